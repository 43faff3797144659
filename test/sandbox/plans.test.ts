/**
 * Every statement that the sandbox can run, for each operation, relation and list of the contract, uses an index,
 * whatever the sizes of the tables. SQLite has no statistics here, so its plans are the same for any data.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWrite, operation, operations } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';
import { whoami } from '../../src/resources/whoami.ts';
import type { Cell } from '../../src/storage/database.ts';
import { type Client, openClient } from './client.ts';
import { existingId, fullBody, newRecordId, pathOf } from './examples.ts';

let client: Client;
beforeAll(async () => {
  client = await openClient();
});
afterAll(() => client.sandbox.close());

const methods = ['get', 'all', 'run', 'insert'] as const;

/** Returns the statements that the sandbox runs during some work. */
function statementsOf(work: () => void): Set<string> {
  const { database } = client.sandbox;
  const found = new Set<string>();
  for (const method of methods) {
    Object.defineProperty(database, method, {
      configurable: true,
      value: (sql: string, ...cells: Cell[]) => {
        found.add(sql);
        return Reflect.apply(Object.getPrototypeOf(database)[method], database, [sql, ...cells]);
      },
    });
  }
  try {
    work();
  } finally {
    for (const method of methods) Reflect.deleteProperty(database, method);
  }
  return found;
}

/**
 * Returns the steps of a plan that can read without limit: whole tables and indexes, and sorting of whole results.
 */
function endless(sql: string): string[] {
  if (/^(PRAGMA|BEGIN|COMMIT)/.test(sql)) return [];
  const plan = client.sandbox.database
    .all(`EXPLAIN QUERY PLAN ${sql}`)
    // The index of all records in their order says as much as the table.
    .map(({ detail }) => String(detail).replace(/^SCAN t USING COVERING INDEX \w+_of_all$/, 'SCAN t'));
  return plan.filter((step) => isEndless(step, plan) || isWholeList(step, sql));
}

/** Reading records one by one in the list's order is right only without other conditions. */
function isWholeList(step: string, sql: string): boolean {
  if (!/^(SCAN t|SEARCH t USING (COVERING )?INDEX \w+ \(deleted_at[=>]\?\))$/.test(step)) return false;
  const [, condition = ''] = / t WHERE (.*?) ORDER BY /.exec(sql) ?? [];
  return !/^(t\.deleted_at IS( NOT)? NULL)?$/.test(condition);
}

function isEndless(step: string, plan: readonly string[]): boolean {
  if (step.includes('AUTOMATIC')) return true;
  // The IDs of a page, the results of the text index, the stored numbers of a page, the blocks of a table.
  if (/^SCAN (\w+( EXISTS)? VIRTUAL TABLE|m$|t$|CONSTANT ROW)/.test(step)) return false;
  // The ingredients of an item, recursively; and each branch at the end of its day.
  if (step === 'SCAN parts' || step === 'SCAN branches') return false;
  // Records with any link are read in the order of the list, until the page is full.
  if (/^SCAN x USING COVERING INDEX \w+_from$/.test(step)) return false;
  if (step.startsWith('SCAN')) return true;
  // The few records that one record names are sorted, and those that are equal otherwise.
  const isOfOne = plan.some((other) => /^SEARCH x USING PRIMARY KEY \(from_id=\?\)$/.test(other));
  return step.includes('TEMP B-TREE') && !isOfOne && !step.includes('FOR LAST');
}

const demandPlans = (work: () => void) => {
  const statements = statementsOf(work);
  expect(statements.size).toBeGreaterThan(0);
  for (const sql of statements) expect([sql, endless(sql)]).toEqual([sql, []]);
};

const samples: Record<string, readonly [string, string]> = {
  boolean: ['true', 'false'],
  timestamp: ['2026-01-01', '2026-01-02'],
  date: ['2026-01-01', '2026-01-02'],
  integer: ['1', '2'],
  integers: ['1', '2'],
  choice: ['1', '2'],
};

describe.each(api.collections.map((resource) => [resource.name, resource] as const))('%s', (_, resource) => {
  const list = (query: string) => {
    const { status, json } = client.get(`${resource.path}?${query}`);
    expect([query, status, json?.message]).toEqual([query, 200, undefined]);
  };
  const includable = Object.keys(resource.fields).filter((name) => resource.fields[name]?.traits.includable);
  const sortable = Object.keys(resource.fields).filter((name) => resource.fields[name]?.traits.sortable);

  it('is listed by index: its pages, its order, its deleted records', () => {
    demandPlans(() => {
      for (const page of [1, 2, 1000]) list(`page=${page}`);
      const has = (match: string) => resource.filters.some((filter) => filter.match === match);
      const deleted = has('deleted') ? ['', '&filter[is_deleted]=true'] : [''];
      for (const more of deleted) {
        list(`page=1${more}`);
        for (const name of sortable) for (const sort of [name, `-${name}`]) list(`sort=${sort}${more}`);
        if (has('after')) list(`filter[updated_after]=2026-01-01${more}`);
      }
    });
  });

  it('finds related records by index, whatever the request includes', () => {
    demandPlans(() => {
      list('');
      for (const name of includable) list(`include=${name}`);
      if (includable.length > 0) list(`include=${includable.join(',')}`);
    });
  });

  for (const { name, value, match, on = '' } of resource.filters) {
    const [first, second] = samples[value.kind] ?? ['abc', 'def'];
    const several = match === 'equals' ? [`${first},${second}`] : [];
    // For filters on missing links, records are checked one by one.
    const values = match === 'any' ? ['true'] : [first, ...several];
    // So they are for indirect relations, and for the type of an item, which depends on its ingredients.
    if (on.includes('.') && match === 'any') continue;
    if (resource.name === 'inventory_items' && name === 'type') continue;
    it.each(values)(`is found by index by ${name}=%s`, (text) => {
      demandPlans(() => list(`filter[${name}]=${text}`));
    });
  }

  it('is written by index', () => {
    for (const given of operations(resource).filter(isWrite)) {
      const ids = given.params.map(({ target }, index) =>
        index === 0 && given.effect !== 'act'
          ? newRecordId(client, resource.name)
          : existingId(client, target),
      );
      if (given.effect === 'restore') client.delete(`${resource.path}/${ids[0]}`);
      const link = given.effect === 'unlink' && operation(resource, given.verb.replace('un', ''));
      if (link) client.post(pathOf(link, ids), fullBody(client, link));
      const body = given.effect === 'delete' ? {} : fullBody(client, given);
      demandPlans(() => {
        const path = pathOf(given, ids);
        const isAct = given.effect === 'act';
        const { status, json } = isAct
          ? client.get(`${path}?order_id=${body.order_id}`)
          : client.ask(given.method, path, JSON.stringify(body));
        expect([given.verb, status, json?.message]).toEqual([
          given.verb,
          expect.toBeOneOf([200, 201]),
          undefined,
        ]);
      });
    }
  });
});

it('changes outside of the API use indexes too', () => {
  const { sandbox } = client;
  const customer = existingId(client, 'customers');
  client.put(`/customers/${customer}`, { is_loyalty_enabled: true });
  demandPlans(() => {
    client.get(whoami.path);
    const { id } = sandbox.placeOrder({ customer, total: 400, at: sandbox.clock.now() - 40 * 3600_000 });
    sandbox.returnOrder(id, 10);
    sandbox.moveStock({
      kind: 'purchasing',
      branchId: existingId(client, 'branches'),
      itemId: existingId(client, 'inventory_items'),
      quantity: 7,
    });
    sandbox.clock.advance(3 * 86_400_000);
    client.get(whoami.path);
    sandbox.events();
    sandbox.createToken({ scopes: [] });
  });
});
