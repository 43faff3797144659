/**
 * Tests that every statement of the sandbox, for each operation, relation and list of the contract, uses an index.
 * Without statistics, SQLite's query plans are the same for any data.
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
  const statements = new Set<string>();
  for (const method of methods) {
    Object.defineProperty(database, method, {
      configurable: true,
      value: (sql: string, ...cells: Cell[]) => {
        statements.add(sql);
        return Reflect.apply(Object.getPrototypeOf(database)[method], database, [sql, ...cells]);
      },
    });
  }
  try {
    work();
  } finally {
    for (const method of methods) Reflect.deleteProperty(database, method);
  }
  return statements;
}

/**
 * Returns the steps of a query plan that read an unlimited number of rows: of whole tables and indexes, or to sort them.
 */
function unboundedSteps(sql: string): string[] {
  if (/^(PRAGMA|BEGIN|COMMIT)/.test(sql)) return [];
  const plan = client.sandbox.database
    .all(`EXPLAIN QUERY PLAN ${sql}`)
    // Reading the index of all records in order is equivalent to reading the table.
    .map(({ detail }) => String(detail).replace(/^SCAN t USING COVERING INDEX \w+_of_all$/, 'SCAN t'));
  return plan.filter((step) => isUnboundedStep(step, plan) || isWholeList(step, sql));
}

/** Returns whether a step reads the whole list although the statement has conditions. */
function isWholeList(step: string, sql: string): boolean {
  if (!/^(SCAN t|SEARCH t USING (COVERING )?INDEX \w+ \(deleted_at[=>]\?\))$/.test(step)) return false;
  const [, condition = ''] = / t WHERE (.*?) ORDER BY /.exec(sql) ?? [];
  return !/^(t\.deleted_at IS( NOT)? NULL)?$/.test(condition);
}

function isUnboundedStep(step: string, plan: readonly string[]): boolean {
  if (step.includes('AUTOMATIC')) return true;
  // The IDs of a page, the stored numbers of a page, the blocks of a table.
  if (/^SCAN (\w+( EXISTS)? VIRTUAL TABLE|m$|t$|CONSTANT ROW)/.test(step)) return false;
  // The ingredients of an item, recursively; and each branch at the end of its day.
  if (step === 'SCAN parts' || step === 'SCAN branches') return false;
  // Records with any link are read in the order of the list, until the page is full.
  if (/^SCAN x USING COVERING INDEX \w+_from$/.test(step)) return false;
  if (step.startsWith('SCAN')) return true;
  // Sorting is allowed for the few records that one record is linked to, and for equal records.
  const isForOneRecord = plan.some((otherStep) =>
    /^SEARCH x USING PRIMARY KEY \(from_id=\?\)$/.test(otherStep),
  );
  return step.includes('TEMP B-TREE') && !isForOneRecord && !step.includes('FOR LAST');
}

const expectIndexedPlans = (work: () => void) => {
  const statements = statementsOf(work);
  expect(statements.size).toBeGreaterThan(0);
  for (const sql of statements) expect([sql, unboundedSteps(sql)]).toEqual([sql, []]);
};

const sampleValues: Record<string, readonly [string, string]> = {
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

  it('lists use an index: for pages, orders and deleted records', () => {
    expectIndexedPlans(() => {
      for (const page of [1, 2, 1000]) list(`page=${page}`);
      const has = (match: string) => resource.filters.some((filter) => filter.match === match);
      const deleted = has('deleted') ? ['', '&filter[is_deleted]=true'] : [''];
      for (const deletedFilter of deleted) {
        list(`page=1${deletedFilter}`);
        for (const name of sortable)
          for (const sort of [name, `-${name}`]) list(`sort=${sort}${deletedFilter}`);
        if (has('after')) list(`filter[updated_after]=2026-01-01${deletedFilter}`);
      }
    });
  });

  it('related records use an index, for every include', () => {
    expectIndexedPlans(() => {
      list('');
      for (const name of includable) list(`include=${name}`);
      if (includable.length > 0) list(`include=${includable.join(',')}`);
    });
  });

  for (const { name, value, match, on = '' } of resource.filters) {
    const [firstValue, secondValue] = sampleValues[value.kind] ?? ['abc', 'def'];
    const severalValues = match === 'equals' ? [`${firstValue},${secondValue}`] : [];
    // For filters on missing links, records are checked one by one.
    const values = match === 'any' ? ['true'] : [firstValue, ...severalValues];
    // The same applies to indirect relations, and for the type of an item, which depends on its ingredients.
    if (on.includes('.') && match === 'any') continue;
    // Parts of texts are searched for in every record.
    if (match === 'contains') continue;
    if (resource.name === 'inventory_items' && name === 'type') continue;
    it.each(values)(`the filter ${name}=%s uses an index`, (text) => {
      expectIndexedPlans(() => list(`filter[${name}]=${text}`));
    });
  }

  it('writes use an index', () => {
    for (const testedOperation of operations(resource).filter(isWrite)) {
      const ids = testedOperation.params.map(({ target }, index) =>
        index === 0 && testedOperation.effect !== 'act'
          ? newRecordId(client, resource.name)
          : existingId(client, target),
      );
      if (testedOperation.effect === 'restore') client.delete(`${resource.path}/${ids[0]}`);
      const link =
        testedOperation.effect === 'unlink' && operation(resource, testedOperation.verb.replace('un', ''));
      if (link) client.post(pathOf(link, ids), fullBody(client, link));
      const body = testedOperation.effect === 'delete' ? {} : fullBody(client, testedOperation);
      expectIndexedPlans(() => {
        const path = pathOf(testedOperation, ids);
        const isAct = testedOperation.effect === 'act';
        const { status, json } = isAct
          ? client.get(`${path}?order_id=${body.order_id}`)
          : client.send(testedOperation.method, path, JSON.stringify(body));
        expect([testedOperation.verb, status, json?.message]).toEqual([
          testedOperation.verb,
          expect.toBeOneOf([200, 201]),
          undefined,
        ]);
      });
    }
  });
});

it('changes outside of the API: use indexes', () => {
  const { sandbox } = client;
  const customer = existingId(client, 'customers');
  client.put(`/customers/${customer}`, { is_loyalty_enabled: true });
  expectIndexedPlans(() => {
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
