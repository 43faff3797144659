import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { PagePrefetch } from '../../src/client/page-prefetch.ts';
import type { ListPage } from '../../src/client/response.ts';
import { fc } from '../harness/fast-check.ts';
import { walkEarly, walkLivingEarly } from './early-walk.ts';
import { type Change, LivingList, walk } from './living-list.ts';

const pages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const still = (list: LivingList) => ({ bodyOf: (page: number) => list.page(page) });

describe('prefetched pages', () => {
  test('are returned in order whatever the order of answers, and each is requested once', async () => {
    const list = new LivingList(1000);
    const { asked, ids, failure, mostAtOnce } = await walkEarly({ ...still(list), picks: [5, 0, 3, 1, 2] });
    expect(failure).toBeUndefined();
    expect(ids).toEqual(list.ids);
    expect(asked.map((page) => page ?? 1)).toEqual(pages(1, 20));
    expect(mostAtOnce).toBe(8);
  });

  test('are requested before the previous page is processed, which keeps this process busy', async () => {
    const events: string[] = [];
    const ask = async (number: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`sent ${number}`);
      return number;
    };
    const parse = (_: number, number: number): ListPage => {
      events.push(`read ${number}`);
      const rows = [{ id: `${number}` }];
      return { number, rows, body: {}, total: 4, lastPage: 4, hasNext: number < 4 } as unknown as ListPage;
    };
    const ahead = new PagePrefetch(ask, parse, { maxPages: () => 8, expectedRows: () => Infinity });
    for (const number of [1, 2, 3, 4]) await ahead.read(number);
    expect(events).toEqual(['sent 1', 'read 1', 'sent 2', 'sent 3', 'read 2', 'sent 4', 'read 3', 'read 4']);
  });

  test.each([
    [1, 1],
    [50, 1],
    [51, 2],
    [420, 9],
    [1000, 20],
    [5000, 20],
  ])('are only the wanted ones: of %d rows', async (rows, last) => {
    const { asked, mostAtOnce } = await walkEarly(still(new LivingList(1000)), { rows, stopAfter: rows });
    expect(asked.map((page) => page ?? 1)).toEqual(pages(1, last));
    expect(mostAtOnce).toBeLessThanOrEqual(Math.max(1, Math.min(8, last - 1)));
  });

  test('are not requested if only one request may be in flight', async () => {
    const list = new LivingList(1000);
    expect(await walkEarly(still(list), { most: 0 })).toMatchObject({ ids: list.ids, mostAtOnce: 1 });
    expect(await walkEarly(still(list), { most: 1 })).toMatchObject({ ids: list.ids, mostAtOnce: 1 });
  });

  test.each(['last page', 'next', 'bare'] as const)(
    'are not requested without a total (envelope "%s")',
    async (envelope) => {
      const list = new LivingList(1000, { envelope });
      expect(await walkEarly(still(list))).toMatchObject({ ids: list.ids, mostAtOnce: 1 });
    },
  );

  test("are not requested if the pages don't match the total", async () => {
    const list = new LivingList(1000);
    const body = (page: number) => {
      const { meta, ...rest } = list.page(page);
      return { ...rest, meta: { ...(meta as object), last_page: 25 } };
    };
    expect(await walkEarly({ bodyOf: body })).toMatchObject({ ids: list.ids, mostAtOnce: 1 });
  });

  test('are canceled when reading stops, and when one fails', async () => {
    const list = new LivingList(2000);
    const left = await walkEarly(still(list), { stopAfter: 500 });
    expect(left.ids).toHaveLength(500);
    expect(left.ended.length).toBeGreaterThan(0);

    const fault = new Failure('unavailable', 'It broke.');
    const broken = await walkEarly({ bodyOf: (page) => (page === 12 ? fault : list.page(page)) });
    expect(broken.failure).toBe(fault);
    expect(broken.ids).toEqual(list.ids.slice(0, 550));
    expect(broken.asked.length).toBeLessThanOrEqual(11 + 8);
  });

  test('are requested again after the list has changed, one after another at first', async () => {
    const list = new LivingList(1000);
    const events: Record<number, Change[]> = { 9: [{ kind: 'delete', at: 0 }] };
    const { failure, ids, asked } = await walkLivingEarly(list, (served) => events[served] ?? [], [0]);
    expect(failure).toBeUndefined();
    expect(list.ids.filter((id) => !ids.includes(id))).toEqual([]);
    // What was under way, and the pages before, which are read back.
    expect(asked.length).toBeLessThan(20 + 8 + 6);
  });
});

const position = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: position }),
  fc.record({ kind: fc.constant('delete' as const), at: position }),
  fc.record({ kind: fc.constant('move' as const), from: position, at: position }),
);

test('any changes between answers in any order: no record that existed all the time is missed with success, and none occurs twice', async () => {
  let [whole, tried] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.nat({ max: 80 }),
        perPage: fc.integer({ min: 1, max: 8 }),
        picks: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 20 }),
        events: fc.dictionary(
          fc.integer({ min: 2, max: 40 }).map(String),
          fc.array(change, { minLength: 1, maxLength: 3 }),
          { maxKeys: 5 },
        ),
      }),
      async ({ count, perPage, picks, events }) => {
        const list = new LivingList(count, { perPage });
        const before = list.ids;
        const { failure, ids } = await walkLivingEarly(list, (served) => events[served] ?? [], picks);
        expect(new Set(ids).size).toBe(ids.length);
        tried++;
        if (failure === undefined) {
          whole++;
          expect(before.filter((id) => list.ids.includes(id) && !ids.includes(id))).toEqual([]);
        } else {
          expect(failure).toMatchObject({ category: 'unavailable' });
        }
      },
    ),
  );
  // To fail is allowed, but not the rule.
  expect(whole).toBeGreaterThan(tried / 2);
});

test('an unchanged list: is the same as read page by page, whatever the service reports', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        count: fc.nat({ max: 80 }),
        perPage: fc.integer({ min: 1, max: 8 }),
        picks: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 20 }),
        told: fc.record(
          { total: fc.nat({ max: 100 }), last_page: fc.nat({ max: 20 }), per_page: fc.nat({ max: 10 }) },
          { requiredKeys: [] },
        ),
        empty: fc.option(fc.integer({ min: 2, max: 12 }), { nil: undefined }),
      }),
      async ({ count, perPage, picks, told, empty }) => {
        const list = new LivingList(count, { perPage });
        const bodyOf = (page: number) => {
          const { data, meta, links } = list.page(page);
          return { data: page === empty ? [] : data, links, meta: { ...(meta as object), ...told } };
        };
        const [early, late] = [await walkEarly({ bodyOf, picks }), await walk(bodyOf)];
        expect(early.ids).toEqual(late.ids);
        expect((early.failure as Failure | undefined)?.message).toBe(
          (late.failure as Failure | undefined)?.message,
        );
      },
    ),
  );
});
