/** Tests that pages of long lists contain the right records, independent of earlier reads and writes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import type { StoredRow } from '../../src/base/storage/database.ts';
import { checkOpenSandbox } from '../../src/sandbox/check.ts';
import { insertRow } from '../../src/sandbox/store/rows.ts';
import { Tables } from '../../src/sandbox/store/tables.ts';
import { fc } from '../harness/fast-check.ts';
import { repetitions } from '../harness/repetitions.ts';
import { type Client, openClient } from './client.ts';

const tables = new Tables(api);
let client: Client;
let tags: string[];
let count = 0;
beforeAll(async () => {
  client = await openClient({ empty: true });
  tags = ['A', 'B'].map((name) => client.post('/tags', { name, type: 1 }).json.data.id);
  client.sandbox.database.write(() => {
    while (count < 2300) add();
  });
});
afterAll(() => client.sandbox.close());

const moment = (number: number) => `2026-01-01 00:${String(number % 60).padStart(2, '0')}:00`;

/** Adds records of which many have the same time, in an order that isn't that of their creation. */
function add(): void {
  const { database } = client.sandbox;
  const number = count++;
  insertRow(database, tables.get('customers'), {
    id: `c${number}`,
    name: `${number % 3 ? 'Karam' : 'Haddad'} ${number}`,
    is_blacklisted: number % 2,
    order_count: number % 5 ? 0 : 1,
    created_at: moment(number * 7),
    updated_at: moment(number * 11),
    deleted_at: number % 4 ? null : moment(number * 13),
  });
  for (const tag of tags.filter((_, index) => number % (index + 2) === 0)) {
    database.run('INSERT INTO customers_tags (from_id, to_id, position) VALUES (?, ?, 0)', `c${number}`, tag);
  }
}

interface List {
  query: string;
  matches?: (row: StoredRow, tagged: readonly Set<unknown>[]) => boolean;
  /** The columns to order by; a minus sorts descending. */
  order?: string;
  /** Active records by default. */
  state?: 'deleted' | 'any';
}

const hasKaramName = ({ name }: StoredRow) => String(name).startsWith('Karam');
const isLate = ({ updated_at }: StoredRow) => String(updated_at) > moment(20);

/** Queries, and the same in the terms of this test. */
const lists: readonly List[] = [
  { query: '' },
  { query: 'sort=created_at', order: 'created_at,seq' },
  { query: 'sort=-created_at', order: '-created_at,-seq' },
  { query: 'sort=-created_at,updated_at', order: '-created_at,updated_at,-seq' },
  { query: 'sort=updated_at,-created_at', order: 'updated_at,-created_at,seq' },
  { query: 'is_deleted=true', state: 'any' },
  { query: 'is_deleted=true&sort=-updated_at', state: 'any', order: '-updated_at,-seq' },
  { query: 'is_deleted=true&is_blacklisted=1', state: 'any', matches: (row) => row.is_blacklisted === 1 },
  { query: 'is_deleted=true&is_blacklisted=0,1', state: 'any' },
  { query: 'is_deleted=true&name=kara', state: 'any', matches: hasKaramName },
  { query: 'is_deleted=true&tags.id=A', state: 'any', matches: ({ id }, [a]) => a?.has(id) === true },
  { query: 'is_blacklisted=1', matches: (row) => row.is_blacklisted === 1 },
  { query: 'is_blacklisted=1,0' },
  { query: 'has_orders=true', matches: (row) => row.order_count === 1 },
  { query: 'has_orders=false', matches: (row) => row.order_count !== 1 },
  { query: 'name=kara', matches: hasKaramName },
  { query: 'name=ka', matches: hasKaramName },
  { query: 'name=karam&sort=-updated_at', matches: hasKaramName, order: '-updated_at,-seq' },
  { query: 'tags.id=A', matches: ({ id }, [a]) => a?.has(id) === true },
  { query: 'tags.id=A,B', matches: ({ id }, tagged) => tagged.some((ids) => ids.has(id)) },
  {
    query: 'tags.id=A,B&sort=created_at',
    matches: ({ id }, tagged) => tagged.some((ids) => ids.has(id)),
    order: 'created_at,seq',
  },
  { query: 'updated_after=2026-01-01 00:20:00', matches: isLate, order: 'updated_at,seq' },
  { query: 'updated_after=2026-01-01 00:20:00&sort=-updated_at', matches: isLate, order: '-updated_at,-seq' },
];

/** Queries for a service whose `is_deleted` returns only deleted records. */
const deletedLists: readonly List[] = [
  { query: 'is_deleted=true', state: 'deleted', order: 'deleted_at,seq' },
  { query: 'is_deleted=true&sort=created_at', state: 'deleted', order: 'created_at,seq' },
  { query: 'is_deleted=true&name=kara', state: 'deleted', matches: hasKaramName, order: 'deleted_at,seq' },
];

function expectedIds({ matches = () => true, order = 'seq', state }: List): string[] {
  const { database } = client.sandbox;
  const tagged = tags.map(
    (tag) =>
      new Set(
        database.all('SELECT from_id FROM customers_tags WHERE to_id = ?', tag).map((row) => row.from_id),
      ),
  );
  const terms = order
    .split(',')
    .map((term) => ({ name: term.replace('-', ''), sign: term.startsWith('-') ? -1 : 1 }));
  const compare = (a: StoredRow, b: StoredRow) => {
    const term = terms.find(({ name }) => a[name] !== b[name]);
    return term ? term.sign * ((a[term.name] ?? '') < (b[term.name] ?? '') ? -1 : 1) : 0;
  };
  return database
    .all('SELECT * FROM customers')
    .filter((row) => state === 'any' || (row.deleted_at !== null) === (state === 'deleted'))
    .filter((row) => matches(row, tagged))
    .sort(compare)
    .map(({ id }) => String(id));
}

function expectPage(list: List, ids: readonly string[], number: number): void {
  const query = list.query
    .replaceAll(' ', '+')
    .replace(/\b[AB]\b/g, (name) => tags[name === 'A' ? 0 : 1] ?? '');
  const { status, json } = client.get(`/customers?${query}&page=${number}`);
  expect([list.query, status, json?.message]).toEqual([list.query, 200, undefined]);
  const returnedIds = json.data.map(({ id }: { id: string }) => id);
  expect([list.query, number, returnedIds]).toEqual([
    list.query,
    number,
    ids.slice(number * 50 - 50, number * 50),
  ]);
  expect([list.query, number, json.links.next !== null]).toEqual([
    list.query,
    number,
    ids.length > number * 50,
  ]);
}

describe('a page', () => {
  it.each(lists)('of the list "$query" has the right records, page by page', (list) => {
    const ids = expectedIds(list);
    for (let number = 1; number <= Math.ceil(ids.length / 50) + 1; number++) expectPage(list, ids, number);
    expectPage(list, ids, 1_000_000);
  });

  it.each(deletedLists)('of deleted records, "$query", has the right records', (list) => {
    client.sandbox.changeSettings({ 'wire.deleted_filter': 'only' });
    const ids = expectedIds(list);
    for (let number = 1; number <= Math.ceil(ids.length / 50) + 1; number++) expectPage(list, ids, number);
    client.sandbox.changeSettings({ 'wire.deleted_filter': 'include' });
  });

  it('of any list has the right records, in any order, with writes in between', () => {
    const changes: (() => void)[] = [
      add,
      () => client.delete('/customers/c10'),
      () => client.put('/customers/c10/restore'),
      () => client.put('/customers/c700', { name: 'Karam again' }),
      () => client.sandbox.database.run('UPDATE customers SET deleted_at = NULL WHERE seq % 97 = 0'),
      () => client.put('/customers/c1501', { tags: tags.map((id) => ({ id })) }),
    ];
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.tuple(
          fc.constantFrom(...lists),
          fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 }),
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom(...changes) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        for (const next of steps) {
          if (typeof next === 'function') next();
          else for (const number of next[1]) expectPage(next[0], expectedIds(next[0]), number);
        }
      }),
      { numRuns: repetitions(12) },
    );
    expect(checkOpenSandbox(client.sandbox)).toEqual([]);
  });

  it('of records that were removed has the right records', () => {
    const { database } = client.sandbox;
    const table = tables.get('transfer_orders');
    database.write(() => {
      for (let number = 0; number < 1600; number++)
        insertRow(database, table, { id: `t${number}`, status: 1 });
      database.run('DELETE FROM transfer_orders WHERE seq % 3 = 0 OR seq BETWEEN 600 AND 1100');
    });
    const ids = database.all('SELECT id FROM transfer_orders ORDER BY seq').map(({ id }) => String(id));
    for (const number of [1, 2, 9, 10, 11, Math.ceil(ids.length / 50), Math.ceil(ids.length / 50) + 1]) {
      const returnedIds = client
        .get(`/transfer_orders?page=${number}`)
        .json.data.map(({ id }: { id: string }) => id);
      expect([number, returnedIds]).toEqual([number, ids.slice(number * 50 - 50, number * 50)]);
    }
    expect(checkOpenSandbox(client.sandbox)).toEqual([]);
  });
});
