/** Whether a record is as it is declared, word for word: seen while the list comes in, so that nothing is kept of it. */
import { isRow, type Row } from '../../session/row.ts';
import type { Declared } from '../declared/declared.ts';
import { PlainRecord } from '../declared/plain-record.ts';
import { Ref } from '../declared/ref.ts';
import type { Target } from './target.ts';

/** Never true where anything differs; false also where it takes more than a glance, or a name in it is not known yet. */
export function isPlainlyAsDeclared(
  record: Declared,
  row: Row,
  target: (ref: Ref) => Target | undefined,
): boolean {
  if (record instanceof PlainRecord) {
    const { shape, values } = record;
    for (let at = 0; at < values.length; at++) {
      const shown = row[shape.fields[at]?.name ?? ''];
      if (shown !== values[at] && !isTarget(values[at], shown, target)) return false;
    }
    return true;
  }
  for (const { field, value } of record.given.values()) {
    const { secret, writeOnly } = field.field.traits;
    if (secret || writeOnly) return false;
    const shown = row[field.name];
    const isObject = typeof value === 'object' && value !== null;
    if (isObject ? !isTarget(value, shown, target) : shown !== value) return false;
  }
  return true;
}

function isTarget(value: unknown, shown: unknown, target: (ref: Ref) => Target | undefined): boolean {
  const id = isRow(shown) ? shown.id : undefined;
  return value instanceof Ref && id !== undefined && target(value)?.id === id;
}
