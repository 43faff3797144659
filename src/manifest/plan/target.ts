/** What a name in a manifest stands for, and how several that it could stand for are told of. */
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import type { Declared } from '../declared/declared.ts';

/** The record that a name stands for: one that is there, or one that is declared and will be. */
export type Target = { id: string; record?: undefined } | { record: Declared; id?: undefined };

export function several(rows: readonly Row[], { nouns, title }: Resource): string {
  const shown = rows.slice(0, 5).map((row) => {
    const name = title === undefined ? undefined : row[title];
    return typeof name === 'string' ? `${row.id} (${name})` : String(row.id);
  });
  return `${rows.length} ${nouns}: ${shown.join(', ')}${rows.length > shown.length ? ' and others' : ''}`;
}
