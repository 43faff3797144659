/** Tests which requests `findRecords` sends: filters by whole values, filters by a part of a name, or the whole list. */
import { expect, test } from 'vitest';
import type { ValueSearch } from '../../src/account/session/find-queries.ts';
import { findRecords } from '../../src/account/session/find-records.ts';
import type { Lists } from '../../src/account/session/list.ts';
import { partsToQuery } from '../../src/api/contract/normalize-key.ts';
import { customers } from '../../src/api/resources/customers.ts';
import { inventoryItems } from '../../src/api/resources/inventory-items.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';

/** Returns lists whose number of pages depends on the filter, and the queries that they receive. */
function createLists(pagesFor: (text: string) => number) {
  const queries: string[] = [];
  const lists: Lists = {
    get: () => Promise.reject(new Error('unexpected read by ID')),
    list: ({ query: { filters = {} } }) =>
      ({
        async *pages() {
          const text = Object.entries(filters).map((pair) => pair.join('='))[0] ?? '';
          const lastPage = pagesFor(text);
          for (let number = 1; number <= lastPage; number++) {
            queries.push(text === '' ? `page ${number}` : text);
            yield { number, rows: [{ id: `${text} ${number}` }], lastPage } as never;
          }
        },
      }) as never,
  };
  return { lists, queries };
}

async function countRows(
  lists: Lists,
  resource: Parameters<typeof findRecords>[1]['resource'],
  searches: ValueSearch[],
): Promise<number> {
  let count = 0;
  for await (const rows of findRecords(lists, { resource, searches })) count += rows.length;
  return count;
}

test.each([
  ['Farms', 'Farms'],
  ['Fresh  Farmers', 'Farmers'],
  ['Tab\tBetween', 'Between'],
  ['\u200fنور\u200e', 'نور'],
  ['Ma\u200brker', 'rker'],
  ['Cafe\u0301s', 'Caf'],
  ['A,Bc', 'Bc'],
  ['한국', undefined],
])('partsToQuery of %j: the part that all spellings share is %j', (text, common) => {
  expect(partsToQuery(undefined, text).common).toBe(common);
});

test('a name: is searched for in each spelling, then by the part that all spellings share', async () => {
  const { lists, queries } = createLists(() => 1);
  await countRows(lists, suppliers, [{ by: 'name', values: ['Organic  Oil'] }]);
  expect(queries).toEqual(['name=Organic  Oil', 'name=Organic Oil', 'name=Organic']);
});

test('a part that many names contain: reads at most three pages', async () => {
  const { lists, queries } = createLists((text) => (text === 'name=Organic' ? 90 : 0));
  await countRows(lists, suppliers, [{ by: 'name', values: ['Organic Oil'] }]);
  expect(queries.filter((text) => text === 'name=Organic').length).toBeLessThanOrEqual(4);
});

test('two names with a common part: send one request for the part', async () => {
  const { lists, queries } = createLists(() => 0);
  const { lists: listsWithPages, queries: queriesWithPages } = createLists((text) =>
    text === 'name=Organic' ? 1 : 0,
  );
  await countRows(lists, suppliers, [{ by: 'name', values: ['Organic Oil'] }]);
  await countRows(listsWithPages, suppliers, [{ by: 'name', values: ['Organic Oil', 'Organic Tea'] }]);
  expect([queries, queriesWithPages]).toEqual([[], ['name=Organic']]);
});

test('a value with a comma: is searched for in the whole list, because commas separate filter values', async () => {
  const { lists, queries } = createLists(() => 3);
  expect(await countRows(lists, inventoryItems, [{ by: 'sku', values: ['A,B'] }])).toBe(3);
  expect(queries).toEqual(['page 1', 'page 2', 'page 3']);
});

test('500 values: reads the whole list if that takes fewer requests', async () => {
  const values = Array.from({ length: 500 }, (_, index) => `51000${index}`);
  const shortList = createLists((text) => (text === '' ? 4 : 2));
  await countRows(shortList.lists, customers, [{ by: 'phone', values }]);
  expect(shortList.queries).toEqual(['page 1', 'page 2', 'page 3', 'page 4']);
  const long = createLists((text) => (text === '' ? 400 : 2));
  await countRows(long.lists, customers, [{ by: 'phone', values }]);
  expect(long.queries[0]).toBe('page 1');
  expect(long.queries).toHaveLength(11);
});

test('values that cannot be IDs, such as names: send no request by ID', async () => {
  const { lists, queries } = createLists(() => 1);
  await countRows(lists, suppliers, [{ by: 'id', values: ['Fresh Farms', 'A,B'] }]);
  expect(queries).toEqual([]);
});
