import { describe, expect, test } from 'vitest';
import { listQuery, plainQuery } from '../../src/account/client/request.ts';
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
