import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/account/session/row.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import type { LedgerRow, Step } from '../../src/engine/runs/ledger/row.ts';
import { comparePlannedRow } from '../../src/engine/runs/recheck-rows.ts';

const context = {
  operationOf: ({ resource, verb }: Step) => {
    const resolvedResource = api.resource(resource);
    const resolvedOperation = resolvedResource && operation(resolvedResource, verb);
    if (!resolvedOperation) throw new Error(`no ${resource} ${verb}`);
    return resolvedOperation;
  },
  resolve: (value: unknown) => value,
};

const step = (verb: string, knownRecord: Row | undefined, values: Partial<Step> = {}): Step => ({
  resource: 'suppliers',
  verb,
  ids: ['s1'],
  ...(knownRecord && { known: knownRecord }),
  ...values,
});

function compare(steps: Step[], record: Row | undefined, completedSteps = 0) {
  const row = { steps, step: completedSteps } as unknown as LedgerRow;
  const { steps: remainingSteps, skipped } = comparePlannedRow(row, record, {
    ...context,
    upcomingValues: new Map(),
  });
  const remaining = remainingSteps.map(({ verb, body }) => (body ? [verb, body] : [verb]));
  return { remaining, skipped, steps: remainingSteps };
}

const record = { id: 's1', name: 'Zed', phone: '1', deleted_at: null };
const changedReason = 'it was changed since the run was planned';

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
  ])('%s', (_, values, remaining, skippedFields) => {
    const comparison = compare([update], { id: 's1', deleted_at: null, ...values });
    expect([comparison.remaining, comparison.skipped.map(({ field }) => field)]).toEqual([
      remaining,
      skippedFields,
    ]);
  });

  test('keeps the current record for the history', () => {
    const [remainingStep] = compare([step('update', record, { body: { phone: '2' } })], {
      ...record,
      name: 'Zed & Sons',
    }).steps;
    expect(remainingStep?.known).toEqual({ ...record, name: 'Zed & Sons' });
  });

  test('is skipped with all following steps if the record is deleted', () => {
    const deletedRecord = { ...record, deleted_at: '2026-11-22 08:00:00' };
    expect(compare([update, update], deletedRecord)).toMatchObject({
      remaining: [],
      skipped: [{ reason: 'it is deleted' }],
    });
    expect(compare([update], undefined)).toMatchObject({
      remaining: [],
      skipped: [{ reason: 'it no longer exists' }],
    });
  });

  test('compares with the restored record after a restore, and with the earlier update after an update', () => {
    const deletedRecord = { ...record, deleted_at: '2026-11-22 08:00:00' };
    const steps = [step('restore', deletedRecord), step('update', deletedRecord, { body: { phone: '2' } })];
    expect(compare(steps, deletedRecord).remaining).toEqual([['restore'], ['update', { phone: '2' }]]);
    expect(compare(steps, record).remaining).toEqual([['update', { phone: '2' }]]);
    const twoUpdates = ['2', '3'].map((phone) => step('update', record, { body: { phone } }));
    expect(compare(twoUpdates, record).remaining).toEqual([
      ['update', { phone: '2' }],
      ['update', { phone: '3' }],
    ]);
    expect(compare(twoUpdates, { ...record, phone: '2' }, 1).remaining).toEqual([['update', { phone: '3' }]]);
    expect(compare(twoUpdates, { ...record, phone: '1' }, 1).skipped).toMatchObject([{ field: 'phone' }]);
  });
});

test('comparePlannedRow, an update after a link: a field of the link is not compared with the field of the record', () => {
  const item = { id: 'i1', par_level: 1, deleted_at: null };
  const steps = [
    {
      ...step('link-branch', item, { ids: ['i1', 'b1'], body: { par_level: 7 } }),
      resource: 'inventory_items',
    },
    { ...step('update', item, { ids: ['i1'], body: { par_level: 2 } }), resource: 'inventory_items' },
  ];
  expect(compare(steps, item, 1)).toMatchObject({ remaining: [['update', { par_level: 2 }]], skipped: [] });
});

describe('comparePlannedRow: a delete', () => {
  test('is sent if nothing has changed, is done if the record is deleted, and is skipped if a field has changed', () => {
    const deleteSteps = [step('delete', record)];
    expect(compare(deleteSteps, record).remaining).toEqual([['delete']]);
    expect(compare(deleteSteps, { ...record, deleted_at: '2026-11-22 08:00:00' })).toMatchObject({
      remaining: [],
      skipped: [],
    });
    expect(compare(deleteSteps, undefined)).toMatchObject({ remaining: [], skipped: [] });
    expect(compare(deleteSteps, { ...record, phone: '2' })).toMatchObject({
      remaining: [],
      skipped: [{ field: 'phone', reason: changedReason }],
    });
  });
});

describe('comparePlannedRow: a link', () => {
  const link = (cost?: number) => ({
    ...record,
    items: cost === undefined ? [] : [{ id: 'i1', pivot: { cost, order_unit: 'box' } }],
  });
  const linkSteps = (knownRecord: Row) => [
    step('link-item', knownRecord, { ids: ['s1', 'i1'], body: { cost: 5 } }),
  ];
  const unlinkSteps = (knownRecord: Row) => [step('unlink-item', knownRecord, { ids: ['s1', 'i1'] })];

  test('is set if it has not changed, is done if it already has the values, and is skipped if it has other values', () => {
    expect(compare(linkSteps(link()), link()).remaining).toEqual([['link-item', { cost: 5 }]]);
    expect(compare(linkSteps(link(3)), link(3)).remaining).toEqual([['link-item', { cost: 5 }]]);
    expect(compare(linkSteps(link(3)), link(5))).toMatchObject({ remaining: [], skipped: [] });
    expect(compare(linkSteps(link(3)), link(4))).toMatchObject({
      remaining: [],
      skipped: [{ field: 'items', reason: changedReason }],
    });
    expect(compare(linkSteps(link(3)), link())).toMatchObject({
      remaining: [],
      skipped: [{ field: 'items' }],
    });
  });

  test('is removed if it has not changed, and skipped if it has other values', () => {
    expect(compare(unlinkSteps(link(3)), link(3)).remaining).toEqual([['unlink-item']]);
    expect(compare(unlinkSteps(link(3)), link())).toMatchObject({ remaining: [], skipped: [] });
    expect(compare(unlinkSteps(link(3)), link(4))).toMatchObject({
      remaining: [],
      skipped: [{ field: 'items' }],
    });
  });
});
