/** Writes the bundle in ASCII alone: one letter outside of it makes the engine hold the whole file in two bytes each. */
import type { Plugin } from 'rolldown';

export function ascii(): Plugin {
  return {
    name: 'ascii',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replace(/[\u0080-\uffff]/g, escaped);
      }
    },
  };
}

/** Comments are gone, so each is in a string, a template or a regular expression, where this means the same. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
