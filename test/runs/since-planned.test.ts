import { describe, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';
import { comparePlannedRow } from '../../src/runs/compare-planned-row.ts';
import type { LedgerRow, Step } from '../../src/runs/ledger/row.ts';
import type { Row } from '../../src/session/row.ts';

const looking = {
  operationOf: ({ resource, verb }: Step) => {
    const named = api.resource(resource);
    const found = named && operation(named, verb);
    if (!found) throw new Error(`no ${resource} ${verb}`);
    return found;
  },
  resolve: (value: unknown) => value,
};

const step = (verb: string, known: Row | undefined, rest: Partial<Step> = {}): Step => ({
  resource: 'suppliers',
  verb,
  ids: ['s1'],
  ...(known && { known }),
  ...rest,
});

function held(steps: Step[], record: Row | undefined, done = 0) {
  const row = { steps, step: done } as unknown as LedgerRow;
  const { steps: kept, skipped } = comparePlannedRow(row, record, looking);
  return { kept: kept.map(({ verb, body }) => (body ? [verb, body] : [verb])), skipped, steps: kept };
}

const there = { id: 's1', name: 'Zed', phone: '1', deleted_at: null };
const changed = 'it was changed since the run was planned';

describe('an update', () => {
  const update = step('update', { id: 's1', phone: '1', code: 'A' }, { body: { phone: '2', code: 'B' } });

  test.each([
    ['goes where all is as it was', { phone: '1', code: 'A' }, [['update', { phone: '2', code: 'B' }]], []],
    ["sends no more than isn't so yet", { phone: '2', code: 'A' }, [['update', { code: 'B' }]], []],
    ['is over where all is so already', { phone: '2', code: 'B' }, [], []],
    ['leaves what is neither', { phone: '3', code: 'A' }, [['update', { code: 'B' }]], ['phone']],
    ['goes where nothing is shown to compare with', {}, [['update', { phone: '2', code: 'B' }]], []],
  ])('%s', (_, now, kept, left) => {
    const found = held([update], { id: 's1', deleted_at: null, ...now });
    expect([found.kept, found.skipped.map(({ field }) => field)]).toEqual([kept, left]);
  });

  test('keeps the current record for the history', () => {
    const [only] = held([step('update', there, { body: { phone: '2' } })], {
      ...there,
      name: 'Zed & Sons',
    }).steps;
    expect(only?.known).toEqual({ ...there, name: 'Zed & Sons' });
  });

  test('is skipped with all following steps if the record is deleted', () => {
    const gone = { ...there, deleted_at: '2026-11-22 08:00:00' };
    expect(held([update, update], gone)).toMatchObject({ kept: [], skipped: [{ reason: 'it is deleted' }] });
    expect(held([update], undefined)).toMatchObject({
      kept: [],
      skipped: [{ reason: 'it no longer exists' }],
    });
  });

  test('compares with the restored record after a restore, and with the earlier update after an update', () => {
    const gone = { ...there, deleted_at: '2026-11-22 08:00:00' };
    const steps = [step('restore', gone), step('update', gone, { body: { phone: '2' } })];
    expect(held(steps, gone).kept).toEqual([['restore'], ['update', { phone: '2' }]]);
    expect(held(steps, there).kept).toEqual([['update', { phone: '2' }]]);
    const twice = ['2', '3'].map((phone) => step('update', there, { body: { phone } }));
    expect(held(twice, there).kept).toEqual([
      ['update', { phone: '2' }],
      ['update', { phone: '3' }],
    ]);
    expect(held(twice, { ...there, phone: '2' }, 1).kept).toEqual([['update', { phone: '3' }]]);
    expect(held(twice, { ...there, phone: '1' }, 1).skipped).toMatchObject([{ field: 'phone' }]);
  });
});

test('an update after a link: the fields of the link are not mistaken for fields of the record', () => {
  const item = { id: 'i1', par_level: 1, deleted_at: null };
  const steps = [
    {
      ...step('link-branch', item, { ids: ['i1', 'b1'], body: { par_level: 7 } }),
      resource: 'inventory_items',
    },
    { ...step('update', item, { ids: ['i1'], body: { par_level: 2 } }), resource: 'inventory_items' },
  ];
  expect(held(steps, item, 1)).toMatchObject({ kept: [['update', { par_level: 2 }]], skipped: [] });
});

describe('a delete', () => {
  test('is sent if nothing has changed, is done if the record is deleted, and is skipped if a field has changed', () => {
    const remove = [step('delete', there)];
    expect(held(remove, there).kept).toEqual([['delete']]);
    expect(held(remove, { ...there, deleted_at: '2026-11-22 08:00:00' })).toMatchObject({
      kept: [],
      skipped: [],
    });
    expect(held(remove, undefined)).toMatchObject({ kept: [], skipped: [] });
    expect(held(remove, { ...there, phone: '2' })).toMatchObject({
      kept: [],
      skipped: [{ field: 'phone', reason: changed }],
    });
  });
});

describe('a link', () => {
  const link = (cost?: number) => ({
    ...there,
    items: cost === undefined ? [] : [{ id: 'i1', pivot: { cost, order_unit: 'box' } }],
  });
  const set = (known: Row) => [step('link-item', known, { ids: ['s1', 'i1'], body: { cost: 5 } })];
  const unset = (known: Row) => [step('unlink-item', known, { ids: ['s1', 'i1'] })];

  test('is set if it has not changed, is done if it already has the values, and is skipped if it has other values', () => {
    expect(held(set(link()), link()).kept).toEqual([['link-item', { cost: 5 }]]);
    expect(held(set(link(3)), link(3)).kept).toEqual([['link-item', { cost: 5 }]]);
    expect(held(set(link(3)), link(5))).toMatchObject({ kept: [], skipped: [] });
    expect(held(set(link(3)), link(4))).toMatchObject({
      kept: [],
      skipped: [{ field: 'items', reason: changed }],
    });
    expect(held(set(link(3)), link())).toMatchObject({ kept: [], skipped: [{ field: 'items' }] });
  });

  test('is removed if it has not changed, and skipped if it has other values', () => {
    expect(held(unset(link(3)), link(3)).kept).toEqual([['unlink-item']]);
    expect(held(unset(link(3)), link())).toMatchObject({ kept: [], skipped: [] });
    expect(held(unset(link(3)), link(4))).toMatchObject({ kept: [], skipped: [{ field: 'items' }] });
  });
});
