/** A contract of two resources, for tests of what reads contracts: shelves hold jars. */
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
} from '../../../src/contract/field.ts';
import { type Operation, operation } from '../../../src/contract/operation.ts';
import { type Resource, resource } from '../../../src/contract/resource.ts';

const id = text().about('Its id');

export const shelves = resource({
  path: '/shelves',
  one: 'shelf',
  group: 'inventory',
  summary: 'Where jars stand',
  key: ['name'],
  known: 'North',
  columns: ['id', 'name', 'jars.id'],
  fields: {
    id,
    name: text().required().searched().sortable().about('Its name'),
    jars: many('jars')
      .includable()
      .pivot({ quantity: decimal().required().atLeast(0).about('How many'), place: integer().about('Where') })
      .amount('quantity')
      .about('What stands on it'),
    keeper: one('people').about('Who looks after it'),
    updated_at: timestamp().about('When it last changed'),
  },
  list: { scope: 'general.read', filters: ['name', 'jars.id', 'keeper_id', 'updated_after'] },
  get: { scope: 'general.read' },
  create: { scope: ['admin.write', 'menu.write'], body: ['name', 'jars', 'keeper_id'] },
  update: { scope: 'admin.write', body: ['name'] },
  delete: { scope: 'admin.write' },
  links: {
    jar: {
      field: 'jars',
      param: 'jarId',
      scope: 'admin.write',
      about: 'a jar on the shelf',
      body: ['quantity', 'place'],
    },
  },
});

export const jars = resource({
  path: '/jars',
  one: 'jar',
  group: 'inventory',
  summary: 'What is kept',
  key: [],
  known: '1',
  columns: ['id'],
  fields: {
    id,
    name: text().about('Its name'),
    code: text().required().nullable().about('Its code'),
    filled: integer().between(0, 100).unit('percent').about('How full it is'),
    price: decimal().about('What it costs'),
    weight: numericText().atLeast(0).about('What it weighs'),
    unit: unitName().about('Its unit'),
    is_open: boolean().about('Whether it is open'),
    made_on: date().about('When it was made'),
    seen_at: timestamp().about('When it was last seen'),
    state: choice({ full: 1, empty: 2, broken: 3 }).creatable(1, 2).about('Its state'),
    opens: hour().about('When it is opened'),
    colours: words(['red', 'green']).about('Its colours'),
    sizes: integers({ small: 1, large: 2 }).about('Its sizes'),
    outline: ring().about('Its outline'),
    shelf: one('shelves').required().includable().about('Where it stands'),
    maker: one('people').required().defaultsToSignedInUser().about('Who made it'),
    shelves: many('shelves').inverseOf('jars').includable().about('Where it may stand'),
  },
  create: {
    scope: 'admin.write',
    body: [
      'name',
      'code',
      'filled',
      'price',
      'weight',
      'unit',
      'is_open',
      'made_on',
      'seen_at',
      'state',
      'opens',
      'colours',
      'sizes',
      'outline',
      'shelf_id',
      'maker_id',
      'shelves',
    ],
  },
  update: { scope: 'admin.write', body: ['name', 'filled', 'state', 'shelf_id'] },
  restore: { scope: 'admin.restore' },
  actions: { shake: { scope: 'admin.write', about: 'Shake it', method: 'GET', body: ['filled'] } },
  check: ({ filled, is_open }) =>
    filled === 100 && is_open === true ? { filled: ['is too full to be open'] } : {},
});

export const toys: readonly Resource[] = [shelves, jars];

/** Names that relations may lead to without a resource behind them. */
export const toyReferences = ['people'];

export function toyNamed(name: string): Resource | undefined {
  return toys.find((toy) => toy.name === name);
}

export function toyOperation(toy: Resource, verb: string): Operation {
  const found = operation(toy, verb);
  if (!found) throw new Error(`There is no ${toy.name} ${verb}.`);
  return found;
}
