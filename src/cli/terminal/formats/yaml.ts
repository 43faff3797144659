/** Writes YAML. Control characters are always escaped, as YAML forbids most of them raw. */
import type { Format } from './format.ts';

export const yaml = {
  name: 'yaml',
  isForPeople: false,
  isStreaming: true,
  isExact: true,
  needsColumns: false,
  layoutFlags: ['columns'],
  async open() {
    const { formatYaml } = await import('../yaml-text.ts');
    return {
      formatValue: (value) => formatYaml(value),
      async *formatList(values) {
        let isEmpty = true;
        for await (const value of values) {
          yield formatYaml([value]);
          isEmpty = false;
        }
        if (isEmpty) yield '[]\n';
      },
    };
  },
} as const satisfies Format;
