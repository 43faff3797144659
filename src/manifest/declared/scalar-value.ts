/** A single value of a manifest as a request gives it, by the kind of its field, where nothing is to be said against it: for trees and plain records alike. */
import type { Field, Kind } from '../../contract/field.ts';
import { readText } from '../../contract/text.ts';

type Scalar = string | number | boolean;
type Read = (value: Scalar, field: Field) => unknown;

const asText: Read = (value) => (typeof value === 'boolean' ? undefined : String(value));
const asNumber: Read = (value) => (typeof value === 'number' ? value : undefined);
const byText: Read = (value, field) =>
  typeof value === 'boolean' ? undefined : readText(field, String(value)).value;

const readers: Partial<Record<Kind, Read>> = {
  text: asText,
  timestamp: asText,
  date: asText,
  integer: asNumber,
  decimal: asNumber,
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  choice: byText,
  unit: byText,
};

/** Whether fields of this kind have single values that can be read so. */
export function isScalarKind(kind: Kind): boolean {
  return readers[kind] !== undefined;
}

/** Undefined where it takes more than a glance. A number is one that is written as it is told: `1.50` is more than its value. */
export function scalarValue(field: Field, value: Scalar): unknown {
  return readers[field.kind]?.(value, field);
}
