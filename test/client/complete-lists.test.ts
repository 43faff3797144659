import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import {
  type Body,
  type Change,
  ChangingList,
  type Envelope,
  readChangingList,
  readPagesOf,
} from './changing-list.ts';
import { trackListOutcomes } from './list-outcomes.ts';

/** Changes by the number of the request that they precede. */
type Events = Readonly<Record<number, readonly Change[]>>;

async function readWithChanges(list: ChangingList, events: Events = {}) {
  const before = list.ids;
  const result = await readChangingList(list, (request) => events[request] ?? []);
  const missing = before.filter((id) => list.ids.includes(id) && !result.ids.includes(id));
  return { ...result, missing, count: result.ids.length, requests: result.requestedPages.length };
}

function expectIncomplete(failure: unknown, text: string | RegExp): void {
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({
    category: 'unavailable',
    exitCode: 8,
    message: expect.stringMatching(text),
  });
}

const envelopes: Envelope[] = ['totals', 'strings', 'last page', 'next', 'bare'];
const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('an unchanged list', () => {
  test.each([0, 1, 49, 50, 51, 1000])('of %d records: each page is requested once', async (count) => {
    const list = new ChangingList(count);
    expect(await readWithChanges(list)).toMatchObject({
      ids: list.ids,
      requests: Math.max(1, Math.ceil(count / 50)),
      failure: undefined,
    });
  });

  test.each(envelopes)('with the envelope "%s": is read completely', async (envelope) => {
    const list = new ChangingList(230, { envelope });
    expect(await readWithChanges(list)).toMatchObject({ ids: list.ids, failure: undefined });
  });
});

describe.each(envelopes)('a list (envelope "%s") is complete if, while it is read,', (envelope) => {
  const list = () => new ChangingList(1000, { envelope });
  const complete = { missing: [], failure: undefined };

  test('records are deleted before the current position', async () => {
    const events = {
      4: [{ kind: 'delete', position: 0.01 }],
      9: repeat(3, { kind: 'delete', position: 0.02 }),
    } as Events;
    const result = await readWithChanges(list(), events);
    expect(result).toMatchObject(complete);
    // All initial records, including the deleted ones.
    expect(result.count).toBe(1000);
  });

  test('records are deleted after the current position', async () => {
    const result = await readWithChanges(list(), { 4: repeat(7, { kind: 'delete', position: 0.9 }) });
    expect(result).toMatchObject(complete);
    expect(result.count).toBe(993);
  });

  test('a record is deleted between every two requests', async () => {
    const events = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [index + 2, [{ kind: 'delete', position: 0 } as Change]]),
    );
    expect(await readWithChanges(list(), events)).toMatchObject(complete);
  });

  test('more records than the page size are added at the beginning', async () => {
    expect(await readWithChanges(list(), { 3: repeat(60, { kind: 'insert', position: 0 }) })).toMatchObject(
      complete,
    );
    expect(await readWithChanges(list(), { 3: repeat(100, { kind: 'insert', position: 0 }) })).toMatchObject(
      complete,
    );
  });

  test('records are added at the end', async () => {
    const result = await readWithChanges(list(), { 3: repeat(60, { kind: 'insert', position: 1 }) });
    expect(result).toMatchObject(complete);
    expect(result.count).toBe(1060);
  });

  test('records move between the end and the beginning', async () => {
    expect(
      await readWithChanges(list(), { 5: repeat(3, { kind: 'move', from: 0.9, position: 0 }) }),
    ).toMatchObject(complete);
    expect(
      await readWithChanges(list(), { 5: repeat(3, { kind: 'move', from: 0.05, position: 1 }) }),
    ).toMatchObject(complete);
  });

  test('one record is deleted while another is added, so that the total is unchanged', async () => {
    const replacement: Change[] = [
      { kind: 'delete', position: 0.01 },
      { kind: 'insert', position: 0.99 },
    ];
    expect(await readWithChanges(list(), { 6: replacement })).toMatchObject(complete);
  });
});

describe('a list with wrong metadata or pages', () => {
  const page = (list: ChangingList, number: number, meta: Body, rest: Body = {}): Body => {
    const body = list.page(number);
    return { ...body, meta: { ...(body.meta as Body), ...meta }, ...rest };
  };

  test('a page is empty once: the list is complete', async () => {
    const list = new ChangingList(1000);
    const result = await readPagesOf((number, request) =>
      request === 7 ? page(list, number, {}, { data: [] }) : list.page(number),
    );
    expect(result).toMatchObject({ failure: undefined });
    expect(result.ids.sort()).toEqual(list.ids.sort());
  });

  test.each(['next', 'bare'] as const)(
    'a page is empty once, without a total (envelope "%s"): the list is complete',
    async (envelope) => {
      const list = new ChangingList(1000, { envelope });
      let isFirstTime = true;
      const result = await readPagesOf((number) => {
        if (number !== 7 || !isFirstTime) return list.page(number);
        isFirstTime = false;
        return { ...list.page(number), data: [] };
      });
      expect(result).toMatchObject({ failure: undefined });
      expect(result.ids.sort()).toEqual(list.ids.sort());
    },
  );

  test('a page is always empty: its records are reported as missing', async () => {
    const list = new ChangingList(1000);
    const result = await readPagesOf((number) => page(list, number, {}, number === 7 ? { data: [] } : {}));
    expectIncomplete(
      result.failure,
      /^The service reports 1000 records but returned 950: 50 records of the list are missing\./,
    );
  });

  test('a page is always empty, without a total: the missing rows are reported', async () => {
    const list = new ChangingList(1000, { envelope: 'next' });
    const result = await readPagesOf((number) =>
      number === 7 ? { ...list.page(7), data: [] } : list.page(number),
    );
    expectIncomplete(result.failure, /^Rows 301 to 350 of the list are missing, though later rows exist\./);
  });

  test.each([true, false])(
    'last_page is too small (total reported: %s): the list is complete',
    async (isReported) => {
      const list = new ChangingList(1000);
      const meta = { last_page: 5, ...(!isReported && { total: undefined }) };
      const result = await readPagesOf((number) => page(list, number, meta));
      expect(result).toMatchObject({ ids: list.ids, failure: undefined });
    },
  );

  test('last_page is too large: the list is complete if its total is reported', async () => {
    const list = new ChangingList(1000);
    expect(await readPagesOf((number) => page(list, number, { last_page: 25 }))).toMatchObject({
      ids: list.ids,
      failure: undefined,
    });
    expectIncomplete(
      (await readPagesOf((number) => page(list, number, { last_page: 30, total: undefined }))).failure,
      /^The service reports 30 pages, but page 23/,
    );
  });

  test('last_page changes with each page: the list is complete', async () => {
    const list = new ChangingList(1000);
    const result = await readPagesOf((number) => page(list, number, { last_page: (number * 7) % 23 }));
    expect(result).toMatchObject({ ids: list.ids, failure: undefined });
  });

  test('total is too large: the difference is reported as missing', async () => {
    const list = new ChangingList(1000);
    const { failure } = await readPagesOf((number) => page(list, number, { total: 1040 }));
    expectIncomplete(
      failure,
      /^The service reports 1040 records but returned 1000: 40 records of the list are missing\./,
    );
  });

  test('total is too small or not a number: the list is complete', async () => {
    const list = new ChangingList(1000);
    for (const total of [0, 10, -1, 'many', null, 1.5]) {
      const result = await readPagesOf((number) => page(list, number, { total }));
      expect(result).toMatchObject({ ids: list.ids, failure: undefined });
    }
  });

  test.each([
    [50, 100],
    [100, 50],
    [50, 20],
    [20, 300],
  ])('per_page changes from %d to %d: the list is complete', async (before, after) => {
    for (const isReported of [true, false]) {
      for (const count of [1000, 1010, 330]) {
        const list = new ChangingList(count, { perPage: before });
        const result = await readPagesOf((number, request) => {
          if (request === 4) list.perPage = after;
          return page(list, number, isReported ? {} : { per_page: undefined });
        });
        expect(result.failure).toBeUndefined();
        expect(result.ids.sort()).toEqual(list.ids.sort());
      }
    }
  });

  test('per_page is wrong or changes with each page: the list is complete', async () => {
    const list = new ChangingList(1000);
    for (const perPage of [() => 15, () => 100, () => 0, (number: number) => (number * 31) % 97]) {
      const result = await readPagesOf((number) => page(list, number, { per_page: perPage(number) }));
      expect(result.failure).toBeUndefined();
      expect(result.ids.sort()).toEqual(list.ids.sort());
    }
  });

  test('a page past the end repeats the last page: the list is complete', async () => {
    const list = new ChangingList(120);
    const result = await readPagesOf((number) =>
      page(list, Math.min(number, 3), {}, { links: { next: 'x' } }),
    );
    expect(result).toMatchObject({ ids: list.ids, failure: undefined });
  });

  test('the page parameter is ignored: this is detected without endless requests', async () => {
    const list = new ChangingList(1000);
    const result = await readPagesOf(() => list.page(1));
    expectIncomplete(result.failure, /^Page 2 of the list repeats earlier records/);
    expect(result.requestedPages.length).toBeLessThan(6);
  });
});

const position = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), position }),
  fc.record({ kind: fc.constant('delete' as const), position }),
  fc.record({ kind: fc.constant('move' as const), from: position, position }),
);

test('any changes: no record that existed all the time is missed without a failure, and none is repeated', async () => {
  const readings = trackListOutcomes();
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.nat({ max: 60 }),
        perPage: fc.integer({ min: 1, max: 10 }),
        envelope: fc.constantFrom<Envelope[]>('totals', 'strings'),
        events: fc.dictionary(
          fc.integer({ min: 2, max: 30 }).map(String),
          fc.array(change, { minLength: 1, maxLength: 3 }),
          { maxKeys: 6 },
        ),
      }),
      async ({ count, perPage, envelope, events }) => {
        readings.check(await readWithChanges(new ChangingList(count, { perPage, envelope }), events));
      },
    ),
  );
  readings.expectMostComplete();
});
