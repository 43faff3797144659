import { expect, test } from 'vitest';
import { decimal, type Fields, many, one, text } from '../../src/api/contract/field.ts';
import { fieldFilter } from '../../src/api/contract/filter.ts';
import { type Declaration, resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { contractProblems } from './contract-problems.ts';
import { jars, shelves, shelvesDeclaration, toyApi, toys } from './toy.ts';

test("contract check: the project's own contract has no problems", () => {
  expect(contractProblems(api)).toEqual([]);
});

test('contract check: the toy contract has no problems', () => {
  expect(contractProblems(toyApi)).toEqual([]);
});

/** Returns the problems of the toy contract with a changed declaration of shelves. */
const problemsWith = (change: Partial<Declaration>) =>
  contractProblems({
    resources: [resource({ ...(shelvesDeclaration as Declaration), ...change }), jars],
    references: toyApi.references,
  });
const fields = (extraFields: Fields) => ({ fields: () => ({ ...shelves.fields, ...extraFields }) });

test.each<[string, Partial<Declaration>]>([
  ['shelves: lamp has no description', fields({ lamp: text() })],
  [
    'shelves: jars.lid has no description',
    fields({
      jars: many('jars')
        .describe('x')
        .pivot({ quantity: decimal().describe('x'), place: decimal().describe('x'), lid: text() }),
    }),
  ],
  ["shelves: lamp refers to lamps, which doesn't exist", fields({ lamp: one('lamps').describe('x') })],
  [
    "shelves: lamps is the inverse of a field that doesn't exist",
    fields({ lamps: many('jars').inverseOf('lamp').describe('x') }),
  ],
  [
    'shelves: lamps has no watt in its pivot',
    fields({ lamps: many('jars').amountField('watt').describe('x') }),
  ],
  [
    "shelves: lamp is required, but can't be set at creation",
    fields({ lamp: text().required().describe('x') }),
  ],
  [
    "shelves: lamp is required, but can't be set at creation",
    fields({ lamp: one('jars').required().updatable().describe('x') }),
  ],
  [
    "shelves: lamps.watt is required, but can't be set at creation",
    fields({
      lamps: many('jars')
        .describe('x')
        .pivot({ watt: decimal().required().describe('x') }),
    }),
  ],
  [
    "shelves: lamp has a limit where name is bright, which isn't a value of it",
    fields({ lamp: decimal().boundedWhere('name', ['bright'], { above: 0 }).describe('x') }),
  ],
  [
    "shelves: lamp has limits, but isn't a number",
    fields({ lamp: text().boundedWhere('name', [], { above: 0 }).describe('x') }),
  ],
  ["shelves: key id isn't a filter", { key: ['id'] }],
  ["shelves: column lamp.watt isn't a field", { columns: ['id', 'lamp.watt'] }],
  ["shelves: column toString isn't a field", { columns: ['toString'] }],
  [
    "shelves: filter rule lamp isn't used by a filter",
    { filterRules: () => ({ lamp: fieldFilter('name', 'any', text()) }) },
  ],
  ['shelves: create sends keeper_id twice', fields({ keeper_id: text().immutable().describe('x') })],
  [
    "shelves: link-jar shows lids, which isn't a field",
    { links: { jar: { field: 'lids', param: 'jarId', scope: 'admin.write', description: 'x' } } },
  ],
])('contract check: reports %s', (problem, change) => {
  expect(problemsWith(change)).toContain(problem);
});

test('contract check: reports filters without a field, and duplicate filters', () => {
  const names = [...shelvesDeclaration.list.filters, 'name', 'lit'] as const;
  const list = { scope: 'general.read' as const, filters: names };
  const filterRules = () => ({ lit: fieldFilter('lamp', 'equals', text()) });
  expect(problemsWith({ list, filterRules })).toEqual([
    "shelves: filter lit is on lamp, which isn't a field",
    'shelves: filter name is listed twice',
  ]);
});

test('contract check: reports duplicate names of resources and references', () => {
  const { references } = toyApi;
  expect(contractProblems({ resources: [...toys, jars], references })).toContain('jars is declared twice');
  const jar = { name: 'jars', one: 'jar', exampleId: '1' };
  expect(contractProblems({ resources: toys, references: [...references, jar] })).toContain(
    'jars is declared twice',
  );
});
