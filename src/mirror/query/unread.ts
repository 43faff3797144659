/** What a query asks that the copy was never told: lists that no sync has read to their end. */
import type { Resource } from '../../contract/resource.ts';
import type { Mirrored } from '../schema/derive.ts';
import { wordsView } from '../stores/ddl.ts';
import type { Reader } from '../stores/store.ts';
import { readStates, stateIn } from '../sync/states.ts';

/** Known by the words of the query, texts in it left aside: who only names a table as a column is told once too often. */
export async function unreadIn(
  sql: string,
  reader: Pick<Reader, 'read' | 'queries'>,
  all: readonly Mirrored[],
): Promise<Resource[]> {
  const words = new Set(
    sql
      .replaceAll(/'(?:[^']|'')*'/g, ' ')
      .toLowerCase()
      .match(/\w+/g),
  );
  const named = all.filter(({ tables }) =>
    tables.some((table) => words.has(table.name) || words.has(wordsView(table)?.name ?? table.name)),
  );
  if (named.length === 0) return [];
  const states = await readStates(reader);
  return named.flatMap(({ resource }) =>
    stateIn(states, resource.name).syncedAt === undefined ? [resource] : [],
  );
}
