import { describe, expect, test } from 'vitest';
import { listQuery, pathPart, plainQuery } from '../../src/client/request.ts';
import { fc } from '../harness/fast-check.ts';

const bracket = { filterStyle: 'bracket' } as const;
const plain = { filterStyle: 'plain' } as const;

/** Parses a query according to the URL standard of WHATWG, as services do. */
const parseQuery = (query: string) => [...new URLSearchParams(query)];

describe('the query of a list', () => {
  test('keeps brackets and commas, and percent-encodes names and values', () => {
    const filters = { 'tags.id': 'a,b', name: 'Ä & [b]=c+d' };
    expect(listQuery({ filters }, bracket)).toBe(
      '?filter[tags.id]=a,b&filter[name]=%C3%84%20%26%20%5Bb%5D%3Dc%2Bd',
    );
  });

  test('has plain names if the deployment requires them', () => {
    expect(listQuery({ filters: { name: 'x' } }, plain)).toBe('?name=x');
  });

  test('has include, sort and page after the filters', () => {
    const query = {
      filters: { is_deleted: 'true' },
      include: ['tags', 'a.b'],
      sort: ['-created_at', 'name'],
      page: 2,
    };
    expect(listQuery(query, bracket)).toBe(
      '?filter[is_deleted]=true&include=tags,a.b&sort=-created_at,name&page=2',
    );
  });

  test('is empty without parameters; has a page size if the deployment has such a parameter', () => {
    expect(listQuery({}, bracket)).toBe('');
    expect(listQuery({ filters: {}, include: [], sort: [] }, bracket)).toBe('');
    expect(listQuery({}, { ...bracket, pageSizeParam: 'per_page' })).toBe('?per_page=100');
  });

  test('is parsed to the same names and values', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.dictionary(text, text), fc.boolean(), (filters, isBracket) => {
        const query = listQuery({ filters }, isBracket ? bracket : plain);
        const expected = Object.entries(filters).map(([name, value]) => [
          isBracket ? `filter[${name}]` : name,
          value,
        ]);
        expect(parseQuery(query)).toEqual(expected.map((pair) => pair.map((part) => part?.toWellFormed())));
        expect(query).toMatch(/^[\x21-\x7e]*$/);
        expect(query).not.toContain('#');
      }),
    );
  });
});

test('a query of plain pairs: keeps brackets in names, and is parsed to the same pairs', () => {
  expect(plainQuery([['filter[name]', 'a,b']])).toBe('?filter[name]=a,b');
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      expect(parseQuery(plainQuery(pairs))).toEqual(
        pairs.map((pair) => pair.map((part) => part.toWellFormed())),
      );
    }),
  );
});

describe('a path segment', () => {
  test.each([
    ['../x', '..%2Fx'],
    ['a/b', 'a%2Fb'],
    ['?x=1', '%3Fx%3D1'],
    ['%2f', '%252f'],
    ['#top', '%23top'],
    ['a b', 'a%20b'],
    ['...', '...'],
    ['قهوة', '%D9%82%D9%87%D9%88%D8%A9'],
  ])('%s: is encoded as %s', (id, part) => {
    expect(pathPart(id)).toBe(part);
  });

  test.each(['', '.', '..'])('"%s": is refused, because it would change the path', (id) => {
    expect(() => pathPart(id)).toThrow(RangeError);
  });

  test('any ID: is refused or is one segment of the path', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom(...'./\\%2eE?#;@:&= \t') }),
        ),
        (id) => {
          let part: string;
          try {
            part = pathPart(id);
          } catch {
            return;
          }
          const url = new URL(`https://api.example/v5/suppliers/${part}?page=2`);
          expect(url.pathname.split('/')).toEqual(['', 'v5', 'suppliers', part]);
          expect(decodeURIComponent(part)).toBe(id);
          expect(url.search).toBe('?page=2');
          expect(url.host).toBe('api.example');
        },
      ),
      { numRuns: 1000 },
    );
  });
});
