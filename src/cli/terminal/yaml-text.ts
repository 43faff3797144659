/** Writes values as YAML, for editing records and for manifests. Load it lazily: the library takes 30 ms. */
import { Document, isScalar, Scalar, type ScalarTag, visit } from 'yaml';
import { escapeText } from './clean.ts';

/** Formats a value as a YAML 1.2 document without document markers. */
export function formatYaml(value: unknown): string {
  const options = { aliasDuplicateObjects: false, ...yamlOptions };
  return formatYamlDocument(new Document(value ?? null, preserveExactNumber, options));
}

/** The tag of `Number` objects: numbers with more digits than a double can hold. They are written with all digits. */
const exactNumber: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof Number,
  resolve: Number,
  stringify: ({ value }) => String(value),
};

/** Keeps exact numbers in a document and in new nodes. Otherwise they would become doubles. */
export function preserveExactNumber(_key: unknown, value: unknown): unknown {
  return value instanceof Number ? new Scalar(value) : value;
}

/** Options for documents. Words such as `no`, which YAML 1.1 reads as false, are quoted, and exact numbers keep their digits. */
export const yamlOptions = { compat: 'yaml-1.1' as const, customTags: [exactNumber] };

/** Formats a YAML document with its comments. Unsafe characters are escaped in both. */
export function formatYamlDocument(document: Document): string {
  visit(document, (_key, node) => {
    if (isScalar(node) && typeof node.value === 'string' && escapeText(node.value) !== node.value) {
      node.type = 'QUOTE_DOUBLE';
    }
  });
  return escapeText(document.toString({ lineWidth: 0 }));
}
