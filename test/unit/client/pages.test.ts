import { describe, expect, test } from 'vitest';
import { walkPages } from '../../../src/client/pages.ts';
import type { Row } from '../../../src/client/shape.ts';
import { Failure } from '../../../src/errors.ts';
import { fc } from '../../harness/fast-check.ts';

type Body = Record<string, unknown>;

const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }));

/** Walks over bodies given by page number, and tells what was asked and what came. */
async function walk(bodyOf: (page: number) => Body, single?: number) {
  const asked: (number | undefined)[] = [];
  const ids: unknown[] = [];
  let failure: unknown;
  const ask = async (page: number | undefined) => {
    asked.push(page);
    const answer = { status: 200, headers: {}, body: JSON.stringify(bodyOf(page ?? 1)) };
    return [answer, { method: 'GET', path: `/suppliers?page=${page}`, what: 'suppliers' }] as const;
  };
  try {
    for await (const page of walkPages(async (page) => [...(await ask(page))], single))
      ids.push(...page.rows.map(({ id }) => id));
  } catch (error) {
    failure = error;
  }
  return { asked, ids, failure };
}

describe('the end of a list', () => {
  test('is where last_page says', async () => {
    const body = (page: number) => ({
      data: rows(`${page}`),
      meta: { last_page: 3 },
      links: { next: 'https://elsewhere.example/?page=2' },
    });
    expect(await walk(body)).toEqual({ asked: [undefined, 2, 3], ids: ['1', '2', '3'], failure: undefined });
  });

  test('is where there is no next link, if last_page is null or missing', async () => {
    const body = (page: number) => ({
      data: rows(`${page}`),
      links: { next: page < 3 ? 'x' : null, last: null },
      meta: { last_page: null },
    });
    expect(await walk(body)).toMatchObject({
      asked: [undefined, 2, 3],
      ids: ['1', '2', '3'],
      failure: undefined,
    });
  });

  test('is an empty page, where the envelope holds no more than data', async () => {
    const body = (page: number) => ({ data: page < 3 ? rows(`${page}`) : [] });
    expect(await walk(body)).toMatchObject({ asked: [undefined, 2, 3], ids: ['1', '2'], failure: undefined });
  });

  test('is an empty page, whatever else is said', async () => {
    const body = (page: number) => ({
      data: page < 2 ? rows('1') : [],
      meta: { last_page: 9 },
      links: { next: 'x' },
    });
    expect(await walk(body)).toMatchObject({ asked: [undefined, 2], ids: ['1'], failure: undefined });
  });

  test('is the page that is named, where one is', async () => {
    const body = (page: number) => ({ data: rows(`${page}`), meta: { last_page: 9 } });
    expect(await walk(body, 4)).toEqual({ asked: [4], ids: ['4'], failure: undefined });
    expect(await walk(body, 1)).toEqual({ asked: [1], ids: ['1'], failure: undefined });
    expect(await walk(body, 5_000_000)).toMatchObject({ ids: ['5000000'] });
  });
});

describe('a list that makes no sense ends with exit 8', () => {
  const unavailable = (failure: unknown, text: RegExp) => {
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ category: 'unavailable', message: expect.stringMatching(text) });
  };

  test('a page that repeats the one before', async () => {
    const { failure, ids, asked } = await walk(() => ({ data: rows('a', 'b'), links: { next: 'x' } }));
    unavailable(failure, /^Page 2 of the list repeats/);
    expect(ids).toEqual(['a', 'b']);
    expect(asked).toHaveLength(2);
  });

  test('pages that go round in a circle', async () => {
    const { failure, ids } = await walk((page) => ({ data: page % 2 ? rows('a', 'b') : rows('c') }));
    unavailable(failure, /^Page 3 of the list repeats/);
    expect(ids).toEqual(['a', 'b', 'c']);
  });

  test('records without ids that repeat', async () => {
    const { failure } = await walk(() => ({ data: [{ name: 'a' }, { name: 'a' }] }));
    unavailable(failure, /^Page 2 of the list repeats/);
  });

  test('a page that holds a record twice', async () => {
    const { failure, ids } = await walk(() => ({ data: rows('a', 'b', 'a') }));
    unavailable(failure, /^Page 1 of the list holds the record a twice/);
    expect(ids).toEqual([]);
  });

  test.each([
    [{ data: 'x' }],
    [{ data: { id: '1' } }],
    [{ data: [1] }],
    [{ data: [null] }],
    [{}],
    [{ rows: [] }],
  ])('%j is no list', async (body) => {
    unavailable((await walk(() => body)).failure, /^The service answered 200 with JSON without a list/);
  });
});

test('a record that moves to the next page while the list is read is given once', async () => {
  const pages: Body[] = [
    { data: rows('d', 'c') },
    { data: rows('c', 'b') },
    { data: rows('a') },
    { data: rows('a') },
  ];
  const { ids, failure } = await walk((page) => pages[page - 1] ?? { data: [] });
  expect(failure).toMatchObject({ message: expect.stringContaining('Page 4') });
  expect(ids).toEqual(['d', 'c', 'b', 'a']);
});

test('a last page of nothing but moved records is an end like any other', async () => {
  const pages: Body[] = [{ data: rows('c', 'b', 'a') }, { data: rows('a') }];
  expect(await walk((page) => pages[page - 1] ?? { data: [] })).toMatchObject({
    ids: ['c', 'b', 'a'],
    failure: undefined,
  });
});

test('every walk ends, and gives no record twice, whatever the pages hold', async () => {
  const page = fc.record({
    data: fc.uniqueArray(fc.constantFrom(...'abcdef'), { maxLength: 4 }).map((ids) => rows(...ids)),
    links: fc.constantFrom({ next: 'x' }, { next: null }, {}),
    meta: fc.constantFrom({}, { last_page: 4 }, { last_page: 'many' }, { last_page: -1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 4 }), async (pages) => {
      const { ids, asked } = await walk((number) => pages[(number - 1) % pages.length] ?? {});
      expect(new Set(ids).size).toBe(ids.length);
      expect(asked.length).toBeLessThanOrEqual(20);
    }),
  );
});
