/** Which of the rows that were found for a declared record it is: one, or a mistake. */
import type { Row } from '../../session/row.ts';
import { type Declared, keyText } from '../declared/declared.ts';
import { twice } from '../declared/read-records.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { several } from './target.ts';
import type { Want } from './wants.ts';

/** A declared record with what is looked for on account of it: by its key, and by the one that it had before. */
export interface Wanted {
  record: Declared;
  key: Want | undefined;
  old: Want | undefined;
}

/** Undefined where none was found. */
export function chosenRow({ record, key, old }: Wanted, mistakes: Mistakes): Row | undefined {
  if (key?.found.length === 1 && !old) return key.found[0];
  const [rows, before] = [key?.found ?? [], old?.found ?? []];
  if (rows.length > 1) {
    mistakes.add(
      record.at,
      `${keyText(record)} is ${several(rows, record.resource)}: tell them apart with $key`,
    );
  }
  const isOther = before.some(({ id }) => id !== rows[0]?.id);
  if (rows.length > 0 && isOther) {
    mistakes.add(
      record.at,
      `there is one called ${keyText(record)} already, beside the one that it is renamed from`,
    );
  }
  if (before.length > 1) mistakes.add(record.at, `$renamed_from names ${several(before, record.resource)}`);
  return rows[0] ?? before[0];
}

/** Two that are known by different fields may be one. */
export function refuseSame(
  wanted: readonly Wanted[],
  rows: ReadonlyMap<Declared, Row>,
  mistakes: Mistakes,
): void {
  const seen = new Map<unknown, Declared>();
  // Of one field no two records have the same value: nor can a row of the account have two.
  const names = wanted[0]?.key?.names;
  const isByField = ({ record, key }: Wanted) =>
    names !== undefined &&
    names.length === 1 &&
    key?.names[0] === names[0] &&
    key?.names.length === 1 &&
    key?.found[0] === rows.get(record);
  if (wanted.every(isByField)) return;
  for (const { record } of wanted) {
    const id = rows.get(record)?.id;
    if (id === undefined) continue;
    const other = seen.get(id);
    if (other) mistakes.add(record.at, twice(record, other));
    seen.set(id, record);
  }
}
