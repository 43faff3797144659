import { describe, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';
import { comparePlannedRow } from '../../src/runs/compare-planned-row.ts';
import type { LedgerRow, Step } from '../../src/runs/ledger/row.ts';
import type { Row } from '../../src/session/row.ts';

const context = {
  operationOf: ({ resource, verb }: Step) => {
    const resolvedResource = api.resource(resource);
    const found = resolvedResource && operation(resolvedResource, verb);
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

function compare(steps: Step[], record: Row | undefined, done = 0) {
  const row = { steps, step: done } as unknown as LedgerRow;
  const { steps: kept, skipped } = comparePlannedRow(row, record, context);
  return { kept: kept.map(({ verb, body }) => (body ? [verb, body] : [verb])), skipped, steps: kept };
}

const record = { id: 's1', name: 'Zed', phone: '1', deleted_at: null };
const changed = 'it was changed since the run was planned';

describe('comparePlannedRow: an update', () => {
  const update = step('update', { id: 's1', phone: '1', code: 'A' }, { body: { phone: '2', code: 'B' } });

  test.each([
    [
      'is sent if the record has not changed',
      { phone: '1', code: 'A' },
      [['update', { phone: '2', code: 'B' }]],
      [],
    ],
    [
      "sends only fields that don't have the new value yet",
      { phone: '2', code: 'A' },
      [['update', { code: 'B' }]],
      [],
    ],
    ['sends nothing if the record already has the new values', { phone: '2', code: 'B' }, [], []],
    [
      'skips fields that someone has changed',
      { phone: '3', code: 'A' },
      [['update', { code: 'B' }]],
      ['phone'],
    ],
    ['is sent if the record has none of the fields', {}, [['update', { phone: '2', code: 'B' }]], []],
  ])('%s', (_, current, kept, skippedFields) => {
    const found = compare([update], { id: 's1', deleted_at: null, ...current });
    expect([found.kept, found.skipped.map(({ field }) => field)]).toEqual([kept, skippedFields]);
  });

  test('keeps the current record for the history', () => {
    const [only] = compare([step('update', record, { body: { phone: '2' } })], {
      ...record,
      name: 'Zed & Sons',
    }).steps;
    expect(only?.known).toEqual({ ...record, name: 'Zed & Sons' });
  });

  test('is skipped with all following steps if the record is deleted', () => {
    const deletedRecord = { ...record, deleted_at: '2026-11-22 08:00:00' };
    expect(compare([update, update], deletedRecord)).toMatchObject({
      kept: [],
      skipped: [{ reason: 'it is deleted' }],
    });
    expect(compare([update], undefined)).toMatchObject({
      kept: [],
      skipped: [{ reason: 'it no longer exists' }],
    });
  });

  test('compares with the restored record after a restore, and with the earlier update after an update', () => {
    const deletedRecord = { ...record, deleted_at: '2026-11-22 08:00:00' };
    const steps = [step('restore', deletedRecord), step('update', deletedRecord, { body: { phone: '2' } })];
    expect(compare(steps, deletedRecord).kept).toEqual([['restore'], ['update', { phone: '2' }]]);
    expect(compare(steps, record).kept).toEqual([['update', { phone: '2' }]]);
    const twice = ['2', '3'].map((phone) => step('update', record, { body: { phone } }));
    expect(compare(twice, record).kept).toEqual([
      ['update', { phone: '2' }],
      ['update', { phone: '3' }],
    ]);
    expect(compare(twice, { ...record, phone: '2' }, 1).kept).toEqual([['update', { phone: '3' }]]);
    expect(compare(twice, { ...record, phone: '1' }, 1).skipped).toMatchObject([{ field: 'phone' }]);
  });
});

test('comparePlannedRow: an update after a link: the fields of the link are not mistaken for fields of the record', () => {
  const item = { id: 'i1', par_level: 1, deleted_at: null };
  const steps = [
    {
      ...step('link-branch', item, { ids: ['i1', 'b1'], body: { par_level: 7 } }),
      resource: 'inventory_items',
    },
    { ...step('update', item, { ids: ['i1'], body: { par_level: 2 } }), resource: 'inventory_items' },
  ];
  expect(compare(steps, item, 1)).toMatchObject({ kept: [['update', { par_level: 2 }]], skipped: [] });
});

describe('comparePlannedRow: a delete', () => {
  test('is sent if nothing has changed, is done if the record is deleted, and is skipped if a field has changed', () => {
    const remove = [step('delete', record)];
    expect(compare(remove, record).kept).toEqual([['delete']]);
    expect(compare(remove, { ...record, deleted_at: '2026-11-22 08:00:00' })).toMatchObject({
      kept: [],
      skipped: [],
    });
    expect(compare(remove, undefined)).toMatchObject({ kept: [], skipped: [] });
    expect(compare(remove, { ...record, phone: '2' })).toMatchObject({
      kept: [],
      skipped: [{ field: 'phone', reason: changed }],
    });
  });
});

describe('comparePlannedRow: a link', () => {
  const link = (cost?: number) => ({
    ...record,
    items: cost === undefined ? [] : [{ id: 'i1', pivot: { cost, order_unit: 'box' } }],
  });
  const set = (known: Row) => [step('link-item', known, { ids: ['s1', 'i1'], body: { cost: 5 } })];
  const unset = (known: Row) => [step('unlink-item', known, { ids: ['s1', 'i1'] })];

  test('is set if it has not changed, is done if it already has the values, and is skipped if it has other values', () => {
    expect(compare(set(link()), link()).kept).toEqual([['link-item', { cost: 5 }]]);
    expect(compare(set(link(3)), link(3)).kept).toEqual([['link-item', { cost: 5 }]]);
    expect(compare(set(link(3)), link(5))).toMatchObject({ kept: [], skipped: [] });
    expect(compare(set(link(3)), link(4))).toMatchObject({
      kept: [],
      skipped: [{ field: 'items', reason: changed }],
    });
    expect(compare(set(link(3)), link())).toMatchObject({ kept: [], skipped: [{ field: 'items' }] });
  });

  test('is removed if it has not changed, and skipped if it has other values', () => {
    expect(compare(unset(link(3)), link(3)).kept).toEqual([['unlink-item']]);
    expect(compare(unset(link(3)), link())).toMatchObject({ kept: [], skipped: [] });
    expect(compare(unset(link(3)), link(4))).toMatchObject({ kept: [], skipped: [{ field: 'items' }] });
  });
});
