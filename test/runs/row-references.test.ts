/** Sends rows of a ledger that refer to each other to a sandbox in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import { type NewRow, rowReference, type Step } from '../../src/engine/runs/ledger/row.ts';
import { startService } from './start-service.ts';

function openLedger(): Ledger {
  const folder = mkdtempSync(join(tmpdir(), 'boh-references-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const ledger = new Ledger(join(folder, 'run.sqlite'));
  onTestFinished(() => ledger.close());
  return ledger;
}

function plannedRow(resource: string, name: string, ...steps: Omit<Step, 'resource'>[]): NewRow {
  return {
    line: null,
    key: name,
    name: `${resource}/${name}`,
    resource,
    state: 'planned',
    action: 'create',
    steps: steps.map((step) => ({ resource, ...step })),
  };
}

const category = (name: string) =>
  plannedRow('inventory_item_categories', name, { verb: 'create', ids: [], body: { name } });

const item = (name: string, fields: object = {}) =>
  plannedRow('inventory_items', name, {
    verb: 'create',
    ids: [],
    body: {
      name,
      sku: name,
      storage_unit: 'kg',
      ingredient_unit: 'g',
      storage_to_ingredient_factor: 1000,
      costing_method: 1,
      ...fields,
    },
  });

const inCategory = (name: string) => ({ category_id: rowReference(`inventory_item_categories/${name}`) });

describe('a reference', () => {
  test('is replaced by an id at any depth of a body, and in the path of a link', async () => {
    const ledger = openLedger();
    const supplier = { name: 'Fresh Farms', tags: [{ id: rowReference('tags/Organic') }] };
    ledger.add([
      plannedRow('tags', 'Organic', { verb: 'create', ids: [], body: { name: 'Organic', type: 5 } }),
      category('Vegetables'),
      item('TOM-01', inCategory('Vegetables')),
      plannedRow('suppliers', 'Fresh Farms', { verb: 'create', ids: [], body: supplier }),
      plannedRow('suppliers', 'Fresh Farms, TOM-01', {
        verb: 'link-item',
        ids: [rowReference('suppliers/Fresh Farms'), rowReference('inventory_items/TOM-01')],
        body: { order_unit: 'crate', order_to_storage_factor: 12 },
      }),
    ]);
    const { run, get } = await startService();
    const results = await run(ledger);
    expect(results.map(({ resource, key, outcome }) => [resource, key, outcome])).toEqual([
      ['tags', 'Organic', 'done'],
      ['inventory_item_categories', 'Vegetables', 'done'],
      ['inventory_items', 'TOM-01', 'done'],
      ['suppliers', 'Fresh Farms', 'done'],
      ['suppliers', 'Fresh Farms, TOM-01', 'done'],
    ]);
    const [tag, vegetables, tomato, farms] = results.map(({ id }) => id);
    expect(get(`/suppliers/${farms}?include=items,tags`)).toMatchObject({
      items: [{ id: tomato, pivot: { order_unit: 'crate' } }],
      tags: [{ id: tag }],
    });
    expect(get(`/inventory_items/${tomato}?include=category`)).toMatchObject({
      category: { id: vegetables },
    });
  });

  test('may refer to its own row after the first step has created the record', async () => {
    const ledger = openLedger();
    const group = plannedRow('groups', 'Menu', { verb: 'create', ids: [], body: { name: 'Menu' } });
    const dependentRow = { resource: 'groups', verb: 'update', ids: [rowReference('groups/Menu')] };
    ledger.add([
      { ...group, steps: [...(group.steps ?? []), { ...dependentRow, body: { name: 'Night Menu' } }] },
    ]);
    const { run, names } = await startService();
    expect((await run(ledger)).map(({ outcome }) => outcome)).toEqual(['done']);
    expect(names('/groups')).toEqual(['Night Menu']);
  });
});

const refused = { status: 422, headers: {}, body: '{"message":"No.","errors":{"name":["No."]}}' };

describe('a run over rows that refer to each other', () => {
  test('fails the rows that depend on a rejected row, directly or indirectly, and no other rows', async () => {
    const ledger = openLedger();
    ledger.add([
      category('Bad'),
      category('Good'),
      item('A', inCategory('Bad')),
      item('B', inCategory('Good')),
      plannedRow('inventory_items', 'A made of B', {
        verb: 'link-ingredient',
        ids: [rowReference('inventory_items/A'), rowReference('inventory_items/B')],
        body: { quantity: 1 },
      }),
      item('C', inCategory('Nowhere')),
    ]);
    const { run, names } = await startService((body) => (body.includes('"Bad"') ? refused : undefined));
    const results = await run(ledger);
    expect(results.map(({ key, outcome, error }) => [key, outcome, error?.message])).toEqual([
      ['Bad', 'failed', expect.any(String)],
      ['Good', 'done', undefined],
      ['A', 'failed', 'Not sent: it depends on inventory_item_categories/Bad, which failed.'],
      ['B', 'done', undefined],
      ['A made of B', 'failed', 'Not sent: it depends on inventory_items/A, which failed.'],
      [
        'C',
        'failed',
        'Not sent: it refers to inventory_item_categories/Nowhere, which is not a row of the run.',
      ],
    ]);
    expect(results[2]?.error).toMatchObject({
      category: 'refused',
      waited_for: 'inventory_item_categories/Bad',
    });
    expect(names('/inventory_items')).toEqual(['B']);
    expect(ledger.count('planned', 'sent', 'unknown')).toBe(0);
  });

  test('lets rows wait for requests in progress while others are sent, and yields results in order', async () => {
    const ledger = openLedger();
    const many = Array.from({ length: 30 }, (_, index) => category(`Free ${String(index).padStart(2, '0')}`));
    ledger.add([category('Slow'), item('A', inCategory('Slow')), item('B', inCategory('Slow')), ...many]);
    const finished: string[] = [];
    const { promise: later, resolve: release } = Promise.withResolvers<void>();
    const { run, maxInProgress } = await startService((body) => {
      const { name } = JSON.parse(body || '{}');
      finished.push(name);
      // The slow request is answered after ten others: if it blocked them, the test would not end.
      if (name === 'Free 10') release();
      return name === 'Slow' ? later.then(() => undefined as never) : undefined;
    });
    const results = await run(ledger);
    expect(results.map(({ key }) => key)).toEqual(['Slow', 'A', 'B', ...many.map(({ key }) => key)]);
    expect(results.every(({ outcome }) => outcome === 'done')).toBe(true);
    expect(maxInProgress()).toBe(4);
    // Rows that wait for nothing weren't blocked.
    expect(finished.indexOf('A')).toBeGreaterThan(finished.indexOf('Free 10'));
  });

  test('sends rows that refer to later rows, even in a long chain', async () => {
    const ledger = openLedger();
    const chain = Array.from({ length: 12 }, (_, index) =>
      plannedRow('groups', `G${index}`, {
        verb: 'create',
        ids: [],
        body: { name: `G${index}` },
      }),
    );
    const updates = chain.slice(1).map(({ key }, index) => ({
      ...plannedRow('groups', `${key} in G${index}`, {
        verb: 'update',
        ids: [rowReference(`groups/G${index}`)],
        body: { subgroups: [{ id: rowReference(`groups/${key}`) }] },
      }),
    }));
    ledger.add([...updates, item('X', inCategory('Late')), ...chain.reverse(), category('Late')]);
    const { run } = await startService();
    const results = await run(ledger);
    expect(results).toHaveLength(ledger.count());
    expect(results.filter(({ outcome }) => outcome !== 'done')).toEqual([]);
  });

  test('fails rows that refer to each other in a circle, and names the rows they refer to', async () => {
    const ledger = openLedger();
    const ring = (name: string, referenced: string) =>
      plannedRow('tags', name, { verb: 'update', ids: [rowReference(`tags/${referenced}`)], body: { name } });
    ledger.add([ring('A', 'B'), ring('B', 'A'), category('Free')]);
    const results = await (await startService()).run(ledger);
    expect(results.map(({ key, outcome }) => [key, outcome])).toEqual([
      ['Free', 'done'],
      ['A', 'failed'],
      ['B', 'failed'],
    ]);
    expect(results[1]?.error?.message).toContain('refers to tags/B');
  });

  test('keeps rows that wait for a row of unknown outcome, and sends them when it is reconciled', async () => {
    const ledger = openLedger();
    ledger.add([category('Odd'), item('A', inCategory('Odd')), category('Free')]);
    let isAvailable = false;
    const { run, names } = await startService((body) => {
      if (isAvailable || body.includes('Free')) return undefined;
      // The outcome is unknown, and the record can't be looked up.
      return body === '' ? refused : { status: 502, headers: {}, body: '' };
    });
    const firstResults = await run(ledger);
    const outcomes = Object.fromEntries(firstResults.map(({ key, outcome }) => [key, outcome]));
    expect(outcomes).toEqual({ Odd: 'unknown', A: 'not_sent', Free: 'done' });
    expect(firstResults.find(({ key }) => key === 'A')?.error?.message).toContain(
      'depends on inventory_item_categories/Odd',
    );
    isAvailable = true;
    await run(ledger);
    expect(ledger.count('done')).toBe(3);
    expect(names('/inventory_item_categories')).toEqual(['Free', 'Odd']);
    expect(names('/inventory_items')).toEqual(['A']);
  });

  test('stops if more rows fail than --max-errors allows', async () => {
    const ledger = openLedger();
    ledger.add([
      category('Bad'),
      ...['A', 'B', 'C', 'D'].map((sku) => item(sku, inCategory('Bad'))),
      category('Last'),
    ]);
    const { run, names } = await startService((body) => (body.includes('"Bad"') ? refused : undefined));
    await run(ledger, { maxErrors: 2, concurrency: 1 });
    expect(ledger.count('failed')).toBe(3);
    expect(names('/inventory_item_categories')).toEqual([]);
  });
});
