import { expect, test } from 'vitest';
import { contractProblems } from '../../../src/contract/check.ts';
import { decimal, many, one, text } from '../../../src/contract/field.ts';
import { filterOn } from '../../../src/contract/filter.ts';
import type { Resource } from '../../../src/contract/resource.ts';
import { resources, whoami } from '../../../src/resources/index.ts';
import { references } from '../../../src/resources/references.ts';
import { jars, shelves, toyReferences, toys } from './toy.ts';

test('the project’s own contract is sound', () => {
  expect(
    contractProblems(
      [...resources, whoami],
      references.map(({ name }) => name),
    ),
  ).toEqual([]);
});

test('so is the toy', () => {
  expect(contractProblems(toys, toyReferences)).toEqual([]);
});

/** The toy with its shelves changed. */
const problemsWith = (change: Partial<Resource>) =>
  contractProblems([{ ...shelves, ...change }, jars], toyReferences);
const fields = (more: Resource['fields']) => ({ fields: { ...shelves.fields, ...more } });

test.each<[string, Partial<Resource>]>([
  ['shelves: lamp says nothing about itself', fields({ lamp: text() })],
  [
    'shelves: jars.lid says nothing about itself',
    fields({
      jars: many('jars')
        .about('x')
        .pivot({ quantity: decimal().about('x'), place: decimal().about('x'), lid: text() }),
    }),
  ],
  ['shelves: lamp leads to lamps, which is not there', fields({ lamp: one('lamps').about('x') })],
  ['shelves: lamps is the inverse of nothing', fields({ lamps: many('jars').inverseOf('lamp').about('x') })],
  ['shelves: lamps has no watt in its pivot', fields({ lamps: many('jars').amount('watt').about('x') })],
  ['shelves: create doesn’t send lamp, which is required', fields({ lamp: text().required().about('x') })],
  [
    'shelves: create doesn’t send lamp, which is required',
    fields({ lamp: one('jars').required().about('x') }),
  ],
  [
    'shelves: link-jar sends place, which the link doesn’t have',
    fields({
      jars: many('jars')
        .about('x')
        .pivot({ quantity: decimal().about('x') }),
    }),
  ],
  ['shelves: key id is no filter', { key: ['id'] }],
  ['shelves: column lamp.watt is no field', { columns: ['id', 'lamp.watt'] }],
  ['shelves: column toString is no field', { columns: ['toString'] }],
  [
    'shelves: the rule of filter lamp is for no filter',
    { filterRules: { lamp: filterOn('name', 'any', text()) } },
  ],
  [
    'shelves: create sends name twice',
    { create: { scope: 'admin.write', body: ['name', 'name', 'jars', 'keeper_id'] } },
  ],
  [
    'shelves: link-jar shows lids, which is no field',
    { links: { jar: { field: 'lids', param: 'jarId', scope: 'admin.write', about: 'x', body: [] } } },
  ],
])('%s', (problem, change) => {
  expect(problemsWith(change)).toContain(problem);
});

test('filters that look at nothing, or come twice', () => {
  const filters = shelves.list?.filters ?? [];
  const list = {
    scope: 'general.read' as const,
    filters: [
      ...filters,
      ...filters.slice(0, 1),
      { name: 'lit', value: text(), on: 'lamp', match: 'equals' as const },
    ],
  };
  expect(problemsWith({ list })).toEqual([
    'shelves: filter lit looks at lamp, which is no field',
    'shelves: filter name is listed twice',
  ]);
});

test('names that come twice, as resources or as references', () => {
  expect(contractProblems([...toys, jars], toyReferences)).toContain('jars is declared twice');
  expect(contractProblems(toys, [...toyReferences, 'jars'])).toContain('jars is declared twice');
});
