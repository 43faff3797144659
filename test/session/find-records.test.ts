/** Which requests find records by their values: parts that every spelling has, whole texts, or the whole list. */
import { expect, test } from 'vitest';
import { partsToQuery } from '../../src/contract/normalize-key.ts';
import { customers } from '../../src/resources/customers.ts';
import { inventoryItems } from '../../src/resources/inventory-items.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { findRecords, type ValueSearch } from '../../src/session/find-records.ts';
import type { Lists } from '../../src/session/list.ts';

/** Lists of pages without rows: as many as are said for each filter, and what was asked. */
function listsOf(pagesFor: (text: string) => number) {
  const asked: string[] = [];
  const lists: Lists = {
    get: () => Promise.reject(new Error('nothing is read by its id here')),
    list: ({ query: { filters = {} } }) =>
      ({
        async *pages() {
          const text = Object.entries(filters).map((pair) => pair.join('='))[0] ?? '';
          const lastPage = pagesFor(text);
          for (let number = 1; number <= lastPage; number++) {
            asked.push(text === '' ? `page ${number}` : text);
            yield { number, rows: [{ id: `${text} ${number}` }], lastPage } as never;
          }
        },
      }) as never,
  };
  return { lists, asked };
}

async function read(
  lists: Lists,
  resource: Parameters<typeof findRecords>[1]['resource'],
  asks: ValueSearch[],
): Promise<number> {
  let count = 0;
  for await (const rows of findRecords(lists, { resource, searches: asks })) count += rows.length;
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
])('a filter by parts of texts is asked for %j by the part that all spellings share: %j', (text, common) => {
  expect(partsToQuery(undefined, text).common).toBe(common);
});

test('a name is searched for in each spelling, and then by the part that all spellings share', async () => {
  const { lists, asked } = listsOf(() => 1);
  await read(lists, suppliers, [{ by: 'name', values: ['Organic  Oil'] }]);
  expect(asked).toEqual(['name=Organic  Oil', 'name=Organic Oil', 'name=Organic']);
});

test('a part that very many names contain: only three pages are read', async () => {
  const { lists, asked } = listsOf((text) => (text === 'name=Organic' ? 90 : 0));
  await read(lists, suppliers, [{ by: 'name', values: ['Organic Oil'] }]);
  expect(asked.filter((text) => text === 'name=Organic').length).toBeLessThanOrEqual(4);
});

test('names that share a part share the request for it', async () => {
  const { lists, asked } = listsOf(() => 0);
  const { lists: counted, asked: all } = listsOf((text) => (text === 'name=Organic' ? 1 : 0));
  await read(lists, suppliers, [{ by: 'name', values: ['Organic Oil'] }]);
  await read(counted, suppliers, [{ by: 'name', values: ['Organic Oil', 'Organic Tea'] }]);
  expect([asked, all]).toEqual([[], ['name=Organic']]);
});

test('a text with a comma is searched for in the whole list: a comma in a filter separates values', async () => {
  const { lists, asked } = listsOf(() => 3);
  expect(await read(lists, inventoryItems, [{ by: 'sku', values: ['A,B'] }])).toBe(3);
  expect(asked).toEqual(['page 1', 'page 2', 'page 3']);
});

test('the whole list is read if that takes fewer requests', async () => {
  const values = Array.from({ length: 500 }, (_, at) => `51000${at}`);
  const short = listsOf((text) => (text === '' ? 4 : 2));
  await read(short.lists, customers, [{ by: 'phone', values }]);
  expect(short.asked).toEqual(['page 1', 'page 2', 'page 3', 'page 4']);
  const long = listsOf((text) => (text === '' ? 400 : 2));
  await read(long.lists, customers, [{ by: 'phone', values }]);
  expect(long.asked[0]).toBe('page 1');
  expect(long.asked).toHaveLength(11);
});

test("a text that can't be an id, such as a name in a file, is not searched for as one", async () => {
  const { lists, asked } = listsOf(() => 1);
  await read(lists, suppliers, [{ by: 'id', values: ['Fresh Farms', 'A,B'] }]);
  expect(asked).toEqual([]);
});
