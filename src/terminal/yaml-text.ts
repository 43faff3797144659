/** Values as YAML, as people edit it and manifests keep it. Load lazily: the library takes 30 ms. */
import { Document, isScalar, visit } from 'yaml';
import { escapeText } from './clean.ts';

/** A value as a YAML 1.2 document, without the marks that begin and end documents. */
export function yamlText(value: unknown): string {
  return documentText(new Document(value ?? null, { aliasDuplicateObjects: false, ...compatible }));
}

/** Older readers take `no` for false: such words get quotes. */
export const compatible = { compat: 'yaml-1.1' } as const;

/** The same for a document that holds comments; what is unsafe in those is escaped too. */
export function documentText(document: Document): string {
  visit(document, (_key, node) => {
    if (isScalar(node) && typeof node.value === 'string' && escapeText(node.value) !== node.value) {
      node.type = 'QUOTE_DOUBLE';
    }
  });
  return escapeText(document.toString({ lineWidth: 0 }));
}
