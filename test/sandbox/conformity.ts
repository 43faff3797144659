/** Checks that a response has the kinds of values of the contract, and null only in nullable fields. */
import type { Field, Fields } from '../../src/api/contract/field.ts';

/** Returns a message for every value of a record that doesn't match its field. Relations may be records or IDs. */
export function deviations(fields: Fields, record: Record<string, unknown>, path = ''): string[] {
  const missing = Object.keys(fields).filter((name) => !(name in record) && !mayBeMissing(fields[name]));
  return [
    ...missing.map((name) => `${path}${name} is missing`),
    ...Object.entries(record).flatMap(([name, value]) => {
      const field = fields[name];
      return field && !matchesField(field, value) ? [`${path}${name} is ${JSON.stringify(value)}`] : [];
    }),
  ];
}

/** Returns whether responses may omit a field: a relation that was never set and isn't nullable is omitted. */
function mayBeMissing(field: Field | undefined): boolean {
  const { writeOnly, nullable, required } = field?.traits ?? {};
  return writeOnly === true || (field?.kind === 'one' && !nullable && !required);
}

function matchesField(field: Field, value: unknown): boolean {
  if (value === null) return field.traits.nullable === true;
  const isText = typeof value === 'string';
  const every = (test: (item: unknown) => boolean) => Array.isArray(value) && value.every(test);
  switch (field.kind) {
    case 'text':
      return isText;
    case 'numeric_text':
      return isText && value !== '' && Number.isFinite(Number(value));
    case 'integer':
      return Number.isInteger(value);
    case 'decimal':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return isText && /^\d{4}-\d\d-\d\d$/.test(value);
    case 'timestamp':
      return isText && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value);
    case 'choice':
      return Object.values(field.traits.words ?? {}).includes(value as number);
    case 'unit':
    case 'hour':
      return isText || Number.isInteger(value);
    case 'words':
      return every((word) => field.traits.allowed?.includes(word as string) ?? false);
    case 'integers':
      return every(Number.isInteger);
    case 'ids':
      return every((id) => typeof id === 'string');
    case 'ring':
      return every((pair) => Array.isArray(pair) && pair.length === 2);
    case 'one':
      return typeof (value as { id?: unknown }).id === 'string';
    case 'many':
    case 'objects':
      return every((item) => typeof (item as { id?: unknown }).id === 'string' && hasValidPivot(field, item));
    case 'object':
      return deviations(field.traits.fields ?? {}, value as Record<string, unknown>).length === 0;
  }
}

function hasValidPivot({ traits: { pivot } }: Field, item: unknown): boolean {
  if (!pivot) return true;
  return deviations(pivot, (item as { pivot?: Record<string, unknown> }).pivot ?? {}).length === 0;
}
