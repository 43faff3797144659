import { expect, test } from 'vitest';
import { includableAfter, includeProblem, sortable } from '../../../src/contract/include.ts';
import { jars, shelves, toyNamed } from './toy.ts';

test('what may be included is what the contract marks, at any depth', () => {
  expect(includableAfter(shelves, [], toyNamed)).toEqual(['jars']);
  expect(includableAfter(shelves, ['jars'], toyNamed)).toEqual(['shelf', 'shelves']);
  expect(includableAfter(shelves, ['jars', 'shelf'], toyNamed)).toEqual(['jars']);
});

test.each([[['name']], [['keeper']], [['jars', 'code']], [['constructor']], [['__proto__', 'jars']], [['']]])(
  'nothing may follow %j',
  (prefix) => {
    expect(includableAfter(shelves, prefix, toyNamed)).toBeUndefined();
  },
);

test('nothing is known below a relation to what has no resource', () => {
  expect(includableAfter(jars, ['shelf'], () => undefined)).toEqual([]);
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
])('"%s" can be included, or the part that can’t is named', (path, problem) => {
  expect(includeProblem(shelves, path, toyNamed)).toEqual(problem);
});

test('sort takes the fields that the contract marks', () => {
  expect([sortable(shelves), sortable(jars)]).toEqual([['name'], []]);
});
