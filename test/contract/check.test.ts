import { expect, test } from 'vitest';
import { contractProblems } from '../../src/contract/check.ts';
import type { Fields } from '../../src/contract/field.ts';
import { decimal, many, one, text } from '../../src/contract/field.ts';
import { filterOn } from '../../src/contract/filter.ts';
import { type Declaration, resource } from '../../src/contract/resource.ts';
import { api } from '../../src/resources/index.ts';
import { jars, shelves, shelvesDeclaration, toyApi, toys } from './toy.ts';

test('the project’s own contract is sound', () => {
  expect(contractProblems(api)).toEqual([]);
});

test('so is the toy', () => {
  expect(contractProblems(toyApi)).toEqual([]);
});

/** The toy with its shelves changed. */
const problemsWith = (change: Partial<Declaration>) =>
  contractProblems({
    resources: [resource({ ...(shelvesDeclaration as Declaration), ...change }), jars],
    references: toyApi.references,
  });
const fields = (more: Fields) => ({ fields: () => ({ ...shelves.fields, ...more }) });

test.each<[string, Partial<Declaration>]>([
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
  [
    'shelves: lamp is required, and no request of creation takes it',
    fields({ lamp: text().required().about('x') }),
  ],
  [
    'shelves: lamp is required, and no request of creation takes it',
    fields({ lamp: one('jars').required().updatable().about('x') }),
  ],
  [
    'shelves: lamps.watt is required, and no request of creation takes it',
    fields({
      lamps: many('jars')
        .about('x')
        .pivot({ watt: decimal().required().about('x') }),
    }),
  ],
  [
    'shelves: lamp has a limit where name is bright, which it never is',
    fields({ lamp: decimal().boundedWhere('name', ['bright'], { above: 0 }).about('x') }),
  ],
  [
    'shelves: lamp has limits and is no number',
    fields({ lamp: text().boundedWhere('name', [], { above: 0 }).about('x') }),
  ],
  ['shelves: key id is no filter', { key: ['id'] }],
  ['shelves: column lamp.watt is no field', { columns: ['id', 'lamp.watt'] }],
  ['shelves: column toString is no field', { columns: ['toString'] }],
  [
    'shelves: the rule of filter lamp is for no filter',
    { filterRules: () => ({ lamp: filterOn('name', 'any', text()) }) },
  ],
  ['shelves: create sends keeper_id twice', fields({ keeper_id: text().immutable().about('x') })],
  [
    'shelves: link-jar shows lids, which is no field',
    { links: { jar: { field: 'lids', param: 'jarId', scope: 'admin.write', about: 'x' } } },
  ],
])('%s', (problem, change) => {
  expect(problemsWith(change)).toContain(problem);
});

test('filters that look at nothing, or come twice', () => {
  const names = [...shelvesDeclaration.list.filters, 'name', 'lit'] as const;
  const list = { scope: 'general.read' as const, filters: names };
  const filterRules = () => ({ lit: filterOn('lamp', 'equals', text()) });
  expect(problemsWith({ list, filterRules })).toEqual([
    'shelves: filter lit looks at lamp, which is no field',
    'shelves: filter name is listed twice',
  ]);
});

test('names that come twice, as resources or as references', () => {
  const { references } = toyApi;
  expect(contractProblems({ resources: [...toys, jars], references })).toContain('jars is declared twice');
  const jar = { name: 'jars', one: 'jar', known: '1' };
  expect(contractProblems({ resources: toys, references: [...references, jar] })).toContain(
    'jars is declared twice',
  );
});
