/** Values as YAML, as people edit it and manifests keep it. Load lazily: the library takes 30 ms. */
import { Document, isScalar, Scalar, type ScalarTag, visit } from 'yaml';
import { escapeText } from './clean.ts';

/** Returns a value as a YAML 1.2 document, without the marks that begin and end documents. */
export function yamlText(value: unknown): string {
  const options = { aliasDuplicateObjects: false, ...yamlOptions };
  return documentText(new Document(value ?? null, keepNumbers, options));
}

/** A number that is more than a number, as one with more digits than a double holds: written as it says itself. */
const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof Number,
  resolve: Number,
  stringify: ({ value }) => String(value),
};

/** Keeps exact numbers in a document and the nodes created for it: otherwise they would become doubles. */
export function keepNumbers(_key: unknown, value: unknown): unknown {
  return value instanceof Number ? new Scalar(value) : value;
}

/** Older readers take `no` for false: such words get quotes. Numbers stand as they came. */
export const yamlOptions = { compat: 'yaml-1.1' as const, customTags: [exactNumber] };

/** Does the same for a document with comments; unsafe text in those is escaped too. */
export function documentText(document: Document): string {
  visit(document, (_key, node) => {
    if (isScalar(node) && typeof node.value === 'string' && escapeText(node.value) !== node.value) {
      node.type = 'QUOTE_DOUBLE';
    }
  });
  return escapeText(document.toString({ lineWidth: 0 }));
}
