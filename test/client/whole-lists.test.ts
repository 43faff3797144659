import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { type Body, type Change, type Envelope, LivingList, walk, walkLiving } from './living-list.ts';
import { wholeOrTold } from './whole-or-told.ts';

/** Before which request something happens, and what. */
type Events = Readonly<Record<number, readonly Change[]>>;

async function read(list: LivingList, events: Events = {}) {
  const before = list.ids;
  const walked = await walkLiving(list, (request) => events[request] ?? []);
  const lost = before.filter((id) => list.ids.includes(id) && !walked.ids.includes(id));
  return { ...walked, lost, count: walked.ids.length, requests: walked.asked.length };
}

function short(failure: unknown, text: string | RegExp): void {
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({
    category: 'unavailable',
    exitCode: 8,
    message: expect.stringMatching(text),
  });
}

const envelopes: Envelope[] = ['totals', 'strings', 'last page', 'next', 'bare'];
const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

describe('an unchanged list', () => {
  test.each([0, 1, 49, 50, 51, 1000])(
    'of %d records is read page by page, without further requests',
    async (count) => {
      const list = new LivingList(count);
      expect(await read(list)).toMatchObject({
        ids: list.ids,
        requests: Math.max(1, Math.ceil(count / 50)),
        failure: undefined,
      });
    },
  );

  test.each(envelopes)('is complete with the envelope "%s"', async (envelope) => {
    const list = new LivingList(230, { envelope });
    expect(await read(list)).toMatchObject({ ids: list.ids, failure: undefined });
  });
});

describe.each(envelopes)('while a list is read (envelope "%s")', (envelope) => {
  const list = () => new LivingList(1000, { envelope });
  const whole = { lost: [], failure: undefined };

  test('records are deleted from the part already read', async () => {
    const events = { 4: [{ kind: 'delete', at: 0.01 }], 9: times(3, { kind: 'delete', at: 0.02 }) } as Events;
    const result = await read(list(), events);
    expect(result).toMatchObject(whole);
    // All that was there before, deleted ones included.
    expect(result.count).toBe(1000);
  });

  test('records are deleted from the part still to be read', async () => {
    const result = await read(list(), { 4: times(7, { kind: 'delete', at: 0.9 }) });
    expect(result).toMatchObject(whole);
    expect(result.count).toBe(993);
  });

  test('a record is deleted between every two requests', async () => {
    const events = Object.fromEntries(
      Array.from({ length: 15 }, (_, at) => [at + 2, [{ kind: 'delete', at: 0 } as Change]]),
    );
    expect(await read(list(), events)).toMatchObject(whole);
  });

  test('more records are added at the front than a page has', async () => {
    expect(await read(list(), { 3: times(60, { kind: 'insert', at: 0 }) })).toMatchObject(whole);
    expect(await read(list(), { 3: times(100, { kind: 'insert', at: 0 }) })).toMatchObject(whole);
  });

  test('records are added at the end', async () => {
    const result = await read(list(), { 3: times(60, { kind: 'insert', at: 1 }) });
    expect(result).toMatchObject(whole);
    expect(result.count).toBe(1060);
  });

  test('records move from the end to the front and back', async () => {
    expect(await read(list(), { 5: times(3, { kind: 'move', from: 0.9, at: 0 }) })).toMatchObject(whole);
    expect(await read(list(), { 5: times(3, { kind: 'move', from: 0.05, at: 1 }) })).toMatchObject(whole);
  });

  test('one record is deleted while another is added, so that the total stays', async () => {
    const swap: Change[] = [
      { kind: 'delete', at: 0.01 },
      { kind: 'insert', at: 0.99 },
    ];
    expect(await read(list(), { 6: swap })).toMatchObject(whole);
  });
});

describe('the service reports wrong facts about a list', () => {
  const page = (list: LivingList, number: number, meta: Body, rest: Body = {}): Body => {
    const body = list.page(number);
    return { ...body, meta: { ...(body.meta as Body), ...meta }, ...rest };
  };

  test('a page is empty once', async () => {
    const list = new LivingList(1000);
    const walked = await walk((number, request) =>
      request === 7 ? page(list, number, {}, { data: [] }) : list.page(number),
    );
    expect(walked).toMatchObject({ failure: undefined });
    expect(walked.ids.sort()).toEqual(list.ids.sort());
  });

  test.each(['next', 'bare'] as const)('a page is empty once, without a total ("%s")', async (envelope) => {
    const list = new LivingList(1000, { envelope });
    let isDue = true;
    const walked = await walk((number) => {
      if (number !== 7 || !isDue) return list.page(number);
      isDue = false;
      return { ...list.page(number), data: [] };
    });
    expect(walked).toMatchObject({ failure: undefined });
    expect(walked.ids.sort()).toEqual(list.ids.sort());
  });

  test('a page is always empty: its records are reported as missing', async () => {
    const list = new LivingList(1000);
    const walked = await walk((number) => page(list, number, {}, number === 7 ? { data: [] } : {}));
    short(
      walked.failure,
      /^The service reports 1000 records but returned 950: 50 records of the list are missing\./,
    );
  });

  test('a page is always empty, without a total: the missing rows are reported', async () => {
    const list = new LivingList(1000, { envelope: 'next' });
    const walked = await walk((number) => (number === 7 ? { ...list.page(7), data: [] } : list.page(number)));
    short(walked.failure, /^Rows 301 to 350 of the list are missing, though later rows exist\./);
  });

  test.each([true, false])('last_page is too small, total given: %s', async (isTold) => {
    const list = new LivingList(1000);
    const meta = { last_page: 5, ...(!isTold && { total: undefined }) };
    const walked = await walk((number) => page(list, number, meta));
    expect(walked).toMatchObject({ ids: list.ids, failure: undefined });
  });

  test('last_page is too large', async () => {
    const list = new LivingList(1000);
    expect(await walk((number) => page(list, number, { last_page: 25 }))).toMatchObject({
      ids: list.ids,
      failure: undefined,
    });
    short(
      (await walk((number) => page(list, number, { last_page: 30, total: undefined }))).failure,
      /^The service reports 30 pages, but page 23/,
    );
  });

  test('last_page changes each time', async () => {
    const list = new LivingList(1000);
    const walked = await walk((number) => page(list, number, { last_page: (number * 7) % 23 }));
    expect(walked).toMatchObject({ ids: list.ids, failure: undefined });
  });

  test('total is too large: the difference is reported as missing', async () => {
    const list = new LivingList(1000);
    const { failure } = await walk((number) => page(list, number, { total: 1040 }));
    short(
      failure,
      /^The service reports 1040 records but returned 1000: 40 records of the list are missing\./,
    );
  });

  test('total is too small, or not a number: every row is still read', async () => {
    const list = new LivingList(1000);
    for (const total of [0, 10, -1, 'many', null, 1.5]) {
      const walked = await walk((number) => page(list, number, { total }));
      expect(walked).toMatchObject({ ids: list.ids, failure: undefined });
    }
  });

  test.each([
    [50, 100],
    [100, 50],
    [50, 20],
    [20, 300],
  ])('per_page changes from %d to %d', async (before, after) => {
    for (const isTold of [true, false]) {
      for (const count of [1000, 1010, 330]) {
        const list = new LivingList(count, { perPage: before });
        const walked = await walk((number, request) => {
          if (request === 4) list.perPage = after;
          return page(list, number, isTold ? {} : { per_page: undefined });
        });
        expect(walked.failure).toBeUndefined();
        expect(walked.ids.sort()).toEqual(list.ids.sort());
      }
    }
  });

  test('per_page is wrong, or changes each time', async () => {
    const list = new LivingList(1000);
    for (const perPage of [() => 15, () => 100, () => 0, (number: number) => (number * 31) % 97]) {
      const walked = await walk((number) => page(list, number, { per_page: perPage(number) }));
      expect(walked.failure).toBeUndefined();
      expect(walked.ids.sort()).toEqual(list.ids.sort());
    }
  });

  test('a page past the end repeats the last one', async () => {
    const list = new LivingList(120);
    const walked = await walk((number) => page(list, Math.min(number, 3), {}, { links: { next: 'x' } }));
    expect(walked).toMatchObject({ ids: list.ids, failure: undefined });
  });

  test('the page parameter is ignored: this is detected without endless requests', async () => {
    const list = new LivingList(1000);
    const walked = await walk(() => list.page(1));
    short(walked.failure, /^Page 2 of the list repeats earlier records/);
    expect(walked.asked.length).toBeLessThan(6);
  });
});

const position = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: position }),
  fc.record({ kind: fc.constant('delete' as const), at: position }),
  fc.record({ kind: fc.constant('move' as const), from: position, at: position }),
);

test('any changes: no record that existed all the time is missed with success, and none occurs twice', async () => {
  const readings = wholeOrTold();
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
        readings.judge(await read(new LivingList(count, { perPage, envelope }), events));
      },
    ),
  );
  readings.demandMostWhole();
});
