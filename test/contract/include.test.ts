import { expect, test } from 'vitest';
import { defineApi } from '../../src/api/contract/api.ts';
import { one } from '../../src/api/contract/field.ts';
import { includableAfter, includeProblem, sortableFields } from '../../src/api/contract/include.ts';
import { type Declaration, resource } from '../../src/api/contract/resource.ts';
import { jars, shelves, shelvesDeclaration } from './toy.ts';

test('includableAfter: returns the relations that the contract marks, at any depth', () => {
  expect(includableAfter(shelves, [])).toEqual(['jars']);
  expect(includableAfter(shelves, ['jars'])).toEqual(['shelf', 'shelves']);
  expect(includableAfter(shelves, ['jars', 'shelf'])).toEqual(['jars']);
});

test.each([[['name']], [['keeper']], [['jars', 'code']], [['constructor']], [['__proto__', 'jars']], [['']]])(
  'includableAfter: %j is no path',
  (prefix) => {
    expect(includableAfter(shelves, prefix)).toBeUndefined();
  },
);

test('includableAfter: returns no relations of an unknown resource', () => {
  const lid = resource({
    ...(shelvesDeclaration as Declaration),
    fields: () => ({ ...shelves.fields, keeper: one('people').includable() }),
  });
  defineApi({ resources: [lid] });
  expect(includableAfter(lid, ['keeper'])).toEqual([]);
});

test.each([
  ['jars', undefined],
  ['jars.shelf.jars', undefined],
  ['jar', { part: 'jar', allowed: ['jars'] }],
  ['jars.lid', { part: 'lid', allowed: ['shelf', 'shelves'] }],
  ['keeper', { part: 'keeper', allowed: ['jars'] }],
  ['toString', { part: 'toString', allowed: ['jars'] }],
  ['jars.', { part: '', allowed: ['shelf', 'shelves'] }],
  ['', { part: '', allowed: ['jars'] }],
])('includeProblem: returns the invalid part of "%s", if any', (path, problem) => {
  expect(includeProblem(shelves, path)).toEqual(problem);
});

test('sortableFields: returns the fields that the contract marks', () => {
  expect([sortableFields(shelves), sortableFields(jars)]).toEqual([['name'], []]);
});
