import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/account/client/shape.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { readPagesOf } from './changing-list.ts';

const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }));

describe('the last page of a list', () => {
  test('is last_page; no page is requested twice if the total matches', async () => {
    const body = (page: number) => ({ data: rows(`${page}`), meta: { last_page: 3, total: 3 } });
    expect(await readPagesOf(body)).toEqual({
      requestedPages: [undefined, 2, 3],
      ids: ['1', '2', '3'],
      failure: undefined,
    });
  });

  test('is the page without a next link if last_page is null', async () => {
    const body = (page: number) => ({
      data: rows(`${page}`),
      links: { next: page < 3 ? 'x' : null, last: null },
      meta: { last_page: null },
    });
    // Without a total, each page is reread after the next one.
    expect(await readPagesOf(body)).toEqual({
      requestedPages: [undefined, 2, 1, 3, 2].map((page) => (page === 1 ? undefined : page)),
      ids: ['1', '2', '3'],
      failure: undefined,
    });
  });

  test('is the first of two empty pages if the envelope contains only data', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
    const body = (page: number) => ({ data: page < 3 ? rows(...ids.slice(page * 10 - 10, page * 10)) : [] });
    expect(await readPagesOf(body)).toMatchObject({
      requestedPages: [undefined, 2, undefined, 3, 2, 4],
      ids,
      failure: undefined,
    });
  });

  test('is a short first page if there is no metadata', async () => {
    expect(await readPagesOf(() => ({ data: [] }))).toMatchObject({
      requestedPages: [undefined],
      failure: undefined,
    });
    expect(await readPagesOf((page) => ({ data: page === 1 ? rows('1', '2') : [] }))).toMatchObject({
      requestedPages: [undefined, 2],
      ids: ['1', '2'],
      failure: undefined,
    });
  });

  test('is the page before empty pages, even if these have a next link', async () => {
    const body = (page: number) => ({ data: page < 2 ? rows('1') : [], links: { next: 'x' } });
    expect(await readPagesOf(body)).toMatchObject({ ids: ['1'], failure: undefined });
  });

  test('is the page before a 404 if the service reports no last page', async () => {
    const missing = new Failure('not_found', 'Not found.', { status: 404 });
    const body = (page: number) => {
      if (page > 1) throw missing;
      return { data: rows('1') };
    };
    expect(await readPagesOf(body)).toMatchObject({ ids: ['1'], failure: undefined });
    expect(await readPagesOf((page) => ({ ...body(page), meta: { last_page: 2 } }))).toMatchObject({
      failure: missing,
    });
  });

  test('is the requested page if one is requested', async () => {
    const body = (page: number) => ({ data: rows(`${page}`), meta: { last_page: 9 } });
    expect(await readPagesOf(body, 4)).toEqual({ requestedPages: [4], ids: ['4'], failure: undefined });
    expect(await readPagesOf(body, 1)).toEqual({ requestedPages: [1], ids: ['1'], failure: undefined });
    expect(await readPagesOf(body, 5_000_000)).toMatchObject({ ids: ['5000000'] });
  });
});

describe('an inconsistent list fails as unavailable:', () => {
  const expectUnavailable = (failure: unknown, text: RegExp) => {
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ category: 'unavailable', message: expect.stringMatching(text) });
  };

  test('a page that repeats the previous one', async () => {
    const { failure, ids, requestedPages } = await readPagesOf(() => ({
      data: rows('a', 'b'),
      links: { next: 'x' },
    }));
    expectUnavailable(failure, /^Page 2 of the list repeats/);
    expect(ids).toEqual(['a', 'b']);
    expect(requestedPages).toHaveLength(3);
  });

  test('pages that form a loop', async () => {
    const { failure, ids } = await readPagesOf((page) => ({ data: page % 2 ? rows('a', 'b') : rows('c') }));
    expectUnavailable(failure, /^Page \d of the list repeats/);
    expect(ids).toEqual(['a', 'b', 'c']);
  });

  test('records without ids that repeat', async () => {
    const { failure } = await readPagesOf(() => ({ data: [{ name: 'a' }, { name: 'a' }] }));
    expectUnavailable(failure, /^Page 2 of the list repeats/);
  });

  test('a page that contains a record twice', async () => {
    const { failure, ids } = await readPagesOf(() => ({ data: rows('a', 'b', 'a') }));
    expectUnavailable(failure, /^Page 1 of the list contains the record a twice/);
    expect(ids).toEqual([]);
  });

  test.each([
    [{ data: 'x' }],
    [{ data: { id: '1' } }],
    [{ data: [1] }],
    [{ data: [null] }],
    [{}],
    [{ rows: [] }],
  ])('the body %j, which is no list', async (body) => {
    expectUnavailable(
      (await readPagesOf(() => body)).failure,
      /^The service returned JSON that contains no list/,
    );
  });
});

test('any pages: the reading ends, and returns no record twice', async () => {
  const page = fc.record({
    data: fc.uniqueArray(fc.constantFrom(...'abcdef'), { maxLength: 4 }).map((ids) => rows(...ids)),
    links: fc.constantFrom({ next: 'x' }, { next: null }, {}),
    meta: fc.constantFrom({}, { last_page: 4 }, { last_page: 'many' }, { last_page: -1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 4 }), async (pages) => {
      const { ids, requestedPages } = await readPagesOf((number) => pages[(number - 1) % pages.length] ?? {});
      expect(new Set(ids).size).toBe(ids.length);
      expect(requestedPages.length).toBeLessThanOrEqual(200);
    }),
  );
});
