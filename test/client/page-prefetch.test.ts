import { describe, expect, test } from 'vitest';
import { PagePrefetch } from '../../src/account/client/read-pages.ts';
import type { ListPage } from '../../src/account/client/response.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { type Change, ChangingList, readPagesOf } from './changing-list.ts';
import { readChangingListPrefetched, readPrefetched } from './prefetched-reading.ts';

const pages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const unchangedService = (list: ChangingList) => ({ bodyOf: (page: number) => list.page(page) });

describe('prefetched pages', () => {
  test('are returned in order, regardless of the order of responses, and each is requested once', async () => {
    const list = new ChangingList(1000);
    const { requestedPages, ids, failure, maxInFlight } = await readPrefetched({
      ...unchangedService(list),
      picks: [5, 0, 3, 1, 2],
    });
    expect(failure).toBeUndefined();
    expect(ids).toEqual(list.ids);
    expect(requestedPages.map((page) => page ?? 1)).toEqual(pages(1, 20));
    expect(maxInFlight).toBe(8);
  });

  test('are requested before the previous page is parsed', async () => {
    const events: string[] = [];
    const requestPage = async (number: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`sent ${number}`);
      return number;
    };
    const parse = (_: number, number: number): ListPage => {
      events.push(`read ${number}`);
      const rows = [{ id: `${number}` }];
      return { number, rows, body: {}, total: 4, lastPage: 4, hasNext: number < 4 } as unknown as ListPage;
    };
    const prefetch = new PagePrefetch(requestPage, parse, {
      maxPages: () => 8,
      expectedRows: () => Infinity,
    });
    for (const number of [1, 2, 3, 4]) await prefetch.read(number);
    expect(events).toEqual(['sent 1', 'read 1', 'sent 2', 'sent 3', 'read 2', 'sent 4', 'read 3', 'read 4']);
  });

  test.each([
    [1, 1],
    [50, 1],
    [51, 2],
    [420, 9],
    [1000, 20],
    [5000, 20],
  ])('are limited to the needed ones: %d rows need %d pages', async (rows, last) => {
    const { requestedPages, maxInFlight } = await readPrefetched(unchangedService(new ChangingList(1000)), {
      rows,
      stopAfter: rows,
    });
    expect(requestedPages.map((page) => page ?? 1)).toEqual(pages(1, last));
    expect(maxInFlight).toBeLessThanOrEqual(Math.max(1, Math.min(8, last - 1)));
  });

  test('are not requested if only one request may be in flight', async () => {
    const list = new ChangingList(1000);
    expect(await readPrefetched(unchangedService(list), { most: 0 })).toMatchObject({
      ids: list.ids,
      maxInFlight: 1,
    });
    expect(await readPrefetched(unchangedService(list), { most: 1 })).toMatchObject({
      ids: list.ids,
      maxInFlight: 1,
    });
  });

  test.each(['last page', 'next', 'bare'] as const)(
    'are not requested without a total (envelope "%s")',
    async (envelope) => {
      const list = new ChangingList(1000, { envelope });
      expect(await readPrefetched(unchangedService(list))).toMatchObject({ ids: list.ids, maxInFlight: 1 });
    },
  );

  test("are not requested if the pages don't match the total", async () => {
    const list = new ChangingList(1000);
    const body = (page: number) => {
      const { meta, ...rest } = list.page(page);
      return { ...rest, meta: { ...(meta as object), last_page: 25 } };
    };
    expect(await readPrefetched({ bodyOf: body })).toMatchObject({ ids: list.ids, maxInFlight: 1 });
  });

  test('are canceled if reading stops or a page fails', async () => {
    const list = new ChangingList(2000);
    const stopped = await readPrefetched(unchangedService(list), { stopAfter: 500 });
    expect(stopped.ids).toHaveLength(500);
    expect(stopped.canceledPages.length).toBeGreaterThan(0);

    const fault = new Failure('unavailable', 'The request failed.');
    const failed = await readPrefetched({ bodyOf: (page) => (page === 12 ? fault : list.page(page)) });
    expect(failed.failure).toBe(fault);
    expect(failed.ids).toEqual(list.ids.slice(0, 550));
    expect(failed.requestedPages.length).toBeLessThanOrEqual(11 + 8);
  });

  test('are requested again after the list has changed', async () => {
    const list = new ChangingList(1000);
    const events: Record<number, Change[]> = { 9: [{ kind: 'delete', position: 0 }] };
    const { failure, ids, requestedPages } = await readChangingListPrefetched(
      list,
      (served) => events[served] ?? [],
      [0],
    );
    expect(failure).toBeUndefined();
    expect(list.ids.filter((id) => !ids.includes(id))).toEqual([]);
    // The requests in flight, and the previous pages, which are reread.
    expect(requestedPages.length).toBeLessThan(20 + 8 + 6);
  });
});

const position = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), position }),
  fc.record({ kind: fc.constant('delete' as const), position }),
  fc.record({ kind: fc.constant('move' as const), from: position, position }),
);

test('any changes between responses in any order: no record that existed all the time is missed without a failure, and none is repeated', async () => {
  let [complete, total] = [0, 0];
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
        const list = new ChangingList(count, { perPage });
        const before = list.ids;
        const { failure, ids } = await readChangingListPrefetched(
          list,
          (served) => events[served] ?? [],
          picks,
        );
        expect(new Set(ids).size).toBe(ids.length);
        total++;
        if (failure === undefined) {
          complete++;
          expect(before.filter((id) => list.ids.includes(id) && !ids.includes(id))).toEqual([]);
        } else {
          expect(failure).toMatchObject({ category: 'unavailable' });
        }
      },
    ),
  );
  // Failures are allowed, but not for most lists.
  expect(complete).toBeGreaterThan(total / 2);
});

test('an unchanged list: the result is the same as without prefetching, whatever the service reports', async () => {
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
      async ({ count, perPage, picks, told: metadata, empty }) => {
        const list = new ChangingList(count, { perPage });
        const bodyOf = (page: number) => {
          const { data, meta, links } = list.page(page);
          return { data: page === empty ? [] : data, links, meta: { ...(meta as object), ...metadata } };
        };
        const [early, late] = [await readPrefetched({ bodyOf, picks }), await readPagesOf(bodyOf)];
        expect(early.ids).toEqual(late.ids);
        expect((early.failure as Failure | undefined)?.message).toBe(
          (late.failure as Failure | undefined)?.message,
        );
      },
    ),
  );
});
