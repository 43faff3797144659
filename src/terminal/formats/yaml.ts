/** YAML, as people edit it and manifests keep it. Loaded only for `-o yaml`: the library takes 30 ms. */
import { Document, isScalar, visit } from 'yaml';
import { escapeText } from '../clean.ts';
import type { Format } from './shape.ts';

/** Characters that could act on a terminal are always written as escapes: YAML forbids most of them raw. */
export function yaml(): Format {
  return {
    one: (value) => yamlText(value),
    async *many(values) {
      let empty = true;
      for await (const value of values) {
        yield yamlText([value]);
        empty = false;
      }
      if (empty) yield '[]\n';
    },
  };
}

/** A value as a YAML 1.2 document, without the marks that begin and end documents. */
export function yamlText(value: unknown): string {
  const document = new Document(value ?? null, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, (_key, node) => {
    if (isScalar(node) && typeof node.value === 'string' && escapeText(node.value) !== node.value) {
      node.type = 'QUOTE_DOUBLE';
    }
  });
  return escapeText(document.toString({ lineWidth: 0 }));
}
