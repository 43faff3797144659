/** Declares a fictional API with every kind of field, for tests of functions that use a contract: shelves with jars. */
import { defineApi } from '../../src/api/contract/api.ts';
import {
  boolean,
  choice,
  date,
  decimal,
  hour,
  integer,
  integers,
  many,
  numericText,
  one,
  ring,
  text,
  timestamp,
  unitName,
  words,
} from '../../src/api/contract/field.ts';
import { type Operation, operation } from '../../src/api/contract/operation.ts';
import { type Declaration, type Resource, resource } from '../../src/api/contract/resource.ts';

const id = text().describe('Its id');

export const shelvesDeclaration = {
  path: '/shelves',
  one: 'shelf',
  group: 'inventory',
  summary: 'Shelves for jars',
  key: ['name'],
  exampleKey: 'North',
  columns: ['id', 'name', 'jars.id'],
  fields: () => ({
    id,
    name: text().required().writable().matchesParts().sortable().describe('Its name'),
    jars: many('jars')
      .immutable()
      .includable()
      .pivot({
        quantity: decimal().required().writable().atLeast(0).describe('How many'),
        place: integer().writable().describe('Where'),
      })
      .amountField('quantity')
      .describe('Jars on the shelf'),
    keeper: one('people').immutable().describe('Person who maintains the shelf'),
    updated_at: timestamp().describe('When it last changed'),
  }),
  list: { scope: 'general.read', filters: ['name', 'jars.id', 'keeper_id', 'updated_after'] },
  get: { scope: 'general.read' },
  create: { scope: ['admin.write', 'menu.write'] },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  links: {
    jar: {
      field: 'jars',
      param: 'jarId',
      scope: 'admin.write',
      description: 'a jar on the shelf',
    },
  },
} as const satisfies Declaration;

export const shelves = resource(shelvesDeclaration);

export const jars = resource({
  path: '/jars',
  one: 'jar',
  group: 'inventory',
  summary: 'Jars on shelves',
  key: [],
  exampleKey: '1',
  columns: ['id'],
  fields: () => ({
    id,
    name: text().writable().describe('Its name'),
    code: text().immutable().required().nullable().describe('Its code'),
    filled: integer()
      .writable()
      .between(0, 100)
      .boundedWhere('state', ['empty'], { minimum: 0, maximum: 0 })
      .boundedWhere('state', ['full', 'broken'], { above: 0, below: 100 })
      .unit('percent')
      .describe('How full it is'),
    price: decimal().immutable().describe('What it costs'),
    weight: numericText().immutable().atLeast(0).describe('What it weighs'),
    unit: unitName().immutable().describe('Its unit'),
    is_open: boolean().immutable().describe('Whether it is open'),
    made_on: date().immutable().describe('When it was made'),
    seen_at: timestamp().immutable().describe('When it was last seen'),
    state: choice({ full: 1, empty: 2, broken: 3 }).writable().creatable(1, 2).describe('Its state'),
    opens: hour().immutable().describe('When it is opened'),
    colors: words(['red', 'green']).immutable().describe('Its colors'),
    sizes: integers({ small: 1, large: 2 }).immutable().describe('Its sizes'),
    outline: ring().immutable().describe('Its outline'),
    shelf: one('shelves').writable().required().includable().describe('Where it stands'),
    maker: one('people').immutable().required().defaultsToSignedInUser().describe('Who made it'),
    shelves: many('shelves').immutable().inverseOf('jars').includable().describe('Where it is stored'),
  }),
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
  actions: {
    shake: {
      scope: 'admin.write',
      description: 'Shake it',
      pastTense: 'shaken',
      method: 'GET',
      alternate: 'PUT',
      fields: () => ({ filled: integer().writable().between(0, 100).describe('How full it is then') }),
    },
  },
});

export const toys: readonly Resource[] = [shelves, jars];

/** The API of shelves and jars; `people` have no endpoints. */
export const toyApi = defineApi({
  resources: toys,
  references: [{ name: 'people', one: 'person', exampleId: 'person-1' }],
});

export function toyOperation(toy: Resource, verb: string): Operation {
  const resolvedOperation = operation(toy, verb);
  if (!resolvedOperation) throw new Error(`There is no ${toy.name} ${verb}.`);
  return resolvedOperation;
}
