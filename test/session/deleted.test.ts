/** Lists deleted records, for services that list them with the active ones and for services that list them alone. */
import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import type { ListPage, Row } from '../../src/account/client/response.ts';
import { type DeletedFilter, readList } from '../../src/account/session/list.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';

const listOperation = operation(suppliers, 'list');

/** Returns a client whose list has pages of 50 rows, of which every tenth is deleted, and the queries that it receives. */
function createClient(pageCount: number) {
  const queries: unknown[] = [];
  async function* pages({ query }: Call): AsyncGenerator<ListPage> {
    for (let number = 1; number <= pageCount; number++) {
      queries.push(query);
      const rows: Row[] = Array.from({ length: 50 }, (_, index) => ({
        id: `${number}-${index}`,
        ...(index % 10 === 0 && { deleted_at: '2026-11-01 10:00:00' }),
        ...(index % 10 === 1 && { deleted_at: null }),
      }));
      yield {
        rows,
        lastPage: pageCount,
        total: undefined,
        hasNext: number < pageCount,
        body: '',
      } as ListPage;
    }
  }
  return { client: { pages }, queries };
}

const listDeleted = (pageCount: number, filter: DeletedFilter, isFirstPageOnly: boolean) => {
  if (!listOperation) throw new Error('suppliers has no list');
  const { client, queries } = createClient(pageCount);
  const call = { operation: listOperation, query: { filters: { code: 'A' } } };
  const listing = readList(client, call, { deletedOnly: true, isFirstPageOnly }, { deletedFilter: filter });
  return Array.fromAsync(listing.rows()).then((rows) => ({ rows, queries }));
};

describe('readList: deletedOnly', () => {
  it('returns only records with a deletion date', async () => {
    const { rows, queries } = await listDeleted(3, 'include', false);
    expect(rows).toHaveLength(15);
    expect(rows.every(({ deleted_at: deletedAt }) => typeof deletedAt === 'string')).toBe(true);
    expect(queries[0]).toEqual({ filters: { code: 'A', is_deleted: 'true' } });
  });

  it('isFirstPageOnly: reads pages until 50 deleted records are found, or to the end', async () => {
    expect((await listDeleted(12, 'include', true)).queries).toHaveLength(10);
    expect((await listDeleted(4, 'include', true)).rows).toHaveLength(20);
  });

  it('isFirstPageOnly: reads only one page if the service lists deleted records alone', async () => {
    expect((await listDeleted(12, 'only', true)).queries).toHaveLength(1);
  });
});
