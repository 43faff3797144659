/** A contract of two resources, for tests of what reads contracts: shelves hold jars. */
import { defineApi } from '../../src/contract/api.ts';
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
} from '../../src/contract/field.ts';
import { type Operation, operation } from '../../src/contract/operation.ts';
import { type Declaration, type Resource, resource } from '../../src/contract/resource.ts';

const id = text().about('Its id');

export const shelvesDeclaration = {
  path: '/shelves',
  one: 'shelf',
  group: 'inventory',
  summary: 'Where jars stand',
  key: ['name'],
  exampleKey: 'North',
  columns: ['id', 'name', 'jars.id'],
  fields: () => ({
    id,
    name: text().required().writable().matchesParts().sortable().about('Its name'),
    jars: many('jars')
      .immutable()
      .includable()
      .pivot({
        quantity: decimal().required().writable().atLeast(0).about('How many'),
        place: integer().writable().about('Where'),
      })
      .amountField('quantity')
      .about('What stands on it'),
    keeper: one('people').immutable().about('Who looks after it'),
    updated_at: timestamp().about('When it last changed'),
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
      about: 'a jar on the shelf',
    },
  },
} as const satisfies Declaration;

export const shelves = resource(shelvesDeclaration);

export const jars = resource({
  path: '/jars',
  one: 'jar',
  group: 'inventory',
  summary: 'What is kept',
  key: [],
  exampleKey: '1',
  columns: ['id'],
  fields: () => ({
    id,
    name: text().writable().about('Its name'),
    code: text().immutable().required().nullable().about('Its code'),
    filled: integer()
      .writable()
      .between(0, 100)
      .boundedWhere('state', ['empty'], { minimum: 0, maximum: 0 })
      .boundedWhere('state', ['full', 'broken'], { above: 0, below: 100 })
      .unit('percent')
      .about('How full it is'),
    price: decimal().immutable().about('What it costs'),
    weight: numericText().immutable().atLeast(0).about('What it weighs'),
    unit: unitName().immutable().about('Its unit'),
    is_open: boolean().immutable().about('Whether it is open'),
    made_on: date().immutable().about('When it was made'),
    seen_at: timestamp().immutable().about('When it was last seen'),
    state: choice({ full: 1, empty: 2, broken: 3 }).writable().creatable(1, 2).about('Its state'),
    opens: hour().immutable().about('When it is opened'),
    colors: words(['red', 'green']).immutable().about('Its colors'),
    sizes: integers({ small: 1, large: 2 }).immutable().about('Its sizes'),
    outline: ring().immutable().about('Its outline'),
    shelf: one('shelves').writable().required().includable().about('Where it stands'),
    maker: one('people').immutable().required().defaultsToSignedInUser().about('Who made it'),
    shelves: many('shelves').immutable().inverseOf('jars').includable().about('Where it is stored'),
  }),
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
  actions: {
    shake: {
      scope: 'admin.write',
      about: 'Shake it',
      pastTense: 'shaken',
      method: 'GET',
      alternate: 'PUT',
      fields: () => ({ filled: integer().writable().between(0, 100).about('How full it is then') }),
    },
  },
});

export const toys: readonly Resource[] = [shelves, jars];

/** `people` are records without endpoints. */
export const toyApi = defineApi({
  resources: toys,
  references: [{ name: 'people', one: 'person', exampleId: 'person-1' }],
});

export function toyOperation(toy: Resource, verb: string): Operation {
  const found = operation(toy, verb);
  if (!found) throw new Error(`There is no ${toy.name} ${verb}.`);
  return found;
}
