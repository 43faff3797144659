/** Whether a record is as it is declared, word for word: seen while the list comes in, so that nothing is kept of it. */
import { isRow, type Row } from '../../session/row.ts';
import type { Declared } from '../declared/declared.ts';
import { Ref } from '../declared/ref.ts';
import type { Target } from './target.ts';

/** Never true where anything differs; false also where it takes more than a glance, or a name in it is not known yet. */
export function isPlainlyAsDeclared(
  { given }: Declared,
  row: Row,
  target: (ref: Ref) => Target | undefined,
): boolean {
  for (const { field, value } of given.values()) {
    const { secret, writeOnly } = field.field.traits;
    const shown = row[field.name];
    if (value instanceof Ref) {
      const id = isRow(shown) ? shown.id : undefined;
      if (id === undefined || target(value)?.id !== id) return false;
    } else if (secret || writeOnly || shown !== value || (typeof value === 'object' && value !== null))
      return false;
  }
  return true;
}
