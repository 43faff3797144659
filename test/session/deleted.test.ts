/** Lists of deleted records, at services that show them beside the active ones and at those that show them alone. */
import { expect, it } from 'vitest';
import type { Call } from '../../src/client/request.ts';
import type { ListPage, Row } from '../../src/client/response.ts';
import { operation } from '../../src/contract/operation.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { type DeletedFilter, readList } from '../../src/session/list.ts';

const list = operation(suppliers, 'list');

/** A number of pages of fifty, of which every tenth row says that it is deleted. */
function service(pageCount: number) {
  const asked: unknown[] = [];
  async function* pages({ query }: Call): AsyncGenerator<ListPage> {
    for (let number = 1; number <= pageCount; number++) {
      asked.push(query);
      const rows: Row[] = Array.from({ length: 50 }, (_, at) => ({
        id: `${number}-${at}`,
        ...(at % 10 === 0 && { deleted_at: '2026-11-01 10:00:00' }),
        ...(at % 10 === 1 && { deleted_at: null }),
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
  return { client: { pages }, asked };
}

const read = (pageCount: number, filter: DeletedFilter, isFirstPageOnly: boolean) => {
  if (!list) throw new Error('suppliers have a list');
  const { client, asked } = service(pageCount);
  const call = { operation: list, query: { filters: { code: 'A' } } };
  const reading = readList(client, call, { deletedOnly: true, isFirstPageOnly }, filter);
  return Array.fromAsync(reading.rows()).then((rows) => ({ rows, asked }));
};

it('contain only records with a deletion date', async () => {
  const { rows, asked } = await read(3, 'include', false);
  expect(rows).toHaveLength(15);
  expect(rows.every(({ deleted_at: at }) => typeof at === 'string')).toBe(true);
  expect(asked[0]).toEqual({ filters: { code: 'A', is_deleted: 'true' } });
});

it('are read until there is a page of them, up to a limit', async () => {
  expect((await read(12, 'include', true)).asked).toHaveLength(10);
  expect((await read(4, 'include', true)).rows).toHaveLength(20);
});

it('end with the first page if the service lists them alone', async () => {
  expect((await read(12, 'only', true)).asked).toHaveLength(1);
});
