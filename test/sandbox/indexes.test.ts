/** Lists are found by index: SQLite's query plans show immediately what a million records would show in time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../src/contract/resource.ts';
import { api } from '../../src/resources/index.ts';
import { readListQuery } from '../../src/sandbox/lists/query.ts';
import { searchPage } from '../../src/sandbox/lists/search.ts';
import { columnOf, relationOf, Tables } from '../../src/sandbox/store/tables.ts';
import { Database } from '../../src/storage/database.ts';
import { type Client, openClient } from './client.ts';

const tables = new Tables(api);
let client: Client;
beforeAll(async () => {
  client = await openClient({ empty: true });
});
afterAll(() => client.sandbox.close());

/** Returns SQLite's plan for the first page of a list. */
function planOf(resource: Resource, query: Record<string, string>): string {
  const { database } = client.sandbox;
  let plan = '';
  const recorder = Object.assign(Object.create(Database.prototype) as Database, {
    all: (sql: string, ...cells: string[]) => {
      plan = database
        .all(`EXPLAIN QUERY PLAN ${sql}`, ...cells)
        .map(({ detail }) => detail)
        .join('; ');
      return [];
    },
    get: () => undefined,
  });
  searchPage(
    recorder,
    tables.named(resource.name),
    readListQuery(
      { tables, grant: { userId: '', scopes: new Set() }, variant: { 'wire.page_param': 'page' } },
      resource,
      new Map(Object.entries(query)),
    ),
    { 'wire.page_size': 50, 'wire.deleted_filter': 'include' },
  );
  return plan;
}

const samples: Record<string, string> = {
  boolean: 'true',
  timestamp: '2026-01-01',
  date: '2026-01-01',
  integer: '1',
  choice: '1',
};

describe.each(api.collections.map((resource) => [resource.name, resource] as const))('%s', (_, resource) => {
  it('is listed in its order without sorting', () => {
    expect(planOf(resource, {})).not.toContain('TEMP B-TREE');
    for (const [name, { traits }] of Object.entries(resource.fields)) {
      if (!traits.sortable) continue;
      for (const query of [{}, { is_deleted: 'true' }]) {
        expect(planOf(resource, { ...query, sort: `-${name}` })).not.toContain('TEMP B-TREE');
      }
    }
  });

  it('is listed by change, deleted records included, without reading the rest', () => {
    const isAsked = (name: string) => resource.filters.some((filter) => filter.name === name);
    if (!isAsked('updated_after') || !isAsked('is_deleted')) return;
    const plan = planOf(resource, { updated_after: '2026-01-01', is_deleted: 'true' });
    expect(plan).toContain('updated_at>?');
    expect(plan).not.toContain('TEMP B-TREE');
  });

  it('is found by each filter', () => {
    for (const { name, value, match, on = '' } of resource.filters) {
      const column = columnOf(tables.named(resource.name), on)?.name;
      const plan = planOf(resource, { [`filter[${name}]`]: samples[value.kind] ?? 'abc' });
      const expected = {
        equals: column ? `${column}=?` : linkedFrom(on),
        contains: name === 'sku_partial' ? '' : 'VIRTUAL TABLE',
        after: `${column}>?`,
        before: `${column}<?`,
        on_day: `${column}>? AND ${column}<?`,
        // The whole list, in its order.
        deleted: '',
        any: '',
        unknown: '',
      }[match];
      expect([name, plan]).toEqual([name, expect.stringContaining(expected)]);
    }
  });

  /** A link is found from its other end, if this resource declares it. */
  function linkedFrom(on: string): string {
    const relation = relationOf(tables.named(resource.name), on);
    return relation?.kind === 'links' && relation.near === 'from_id' ? 'to_id=?' : '';
  }
});
