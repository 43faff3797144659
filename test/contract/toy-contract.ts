/** Declares a fictional API of two resources, to test that everything derived from a contract works for any contract. */
import { defineApi } from '../../src/api/contract/api.ts';
import { boolean, choice, integer, many, one, text } from '../../src/api/contract/field.ts';
import { fieldFilter } from '../../src/api/contract/filter.ts';
import { resource } from '../../src/api/contract/resource.ts';
import { dateFilters, id, name, timestamps } from '../../src/api/resources/shared-fields.ts';

export const recipes = resource({
  path: '/recipes',
  one: 'recipe',
  group: 'menu',
  summary: 'How dishes are cooked',
  key: ['code', 'name'],
  exampleKey: 'RECIPE-1',
  columns: ['id', 'name', 'code', 'difficulty', 'minutes'],
  fields: () => ({
    id,
    name: name.required().writable().example('Lentil Soup'),
    code: text().writable().unique().describe('Your own code').example('RECIPE-90'),
    difficulty: choice({ easy: 1, 'not easy': 2 })
      .required()
      .immutable()
      .describe('How hard it is to cook')
      .example(1),
    minutes: integer()
      .writable()
      .nullable()
      .atLeast(1)
      .boundedWhere('difficulty', ['easy'], { maximum: 90 })
      .unit('minutes')
      .describe('How long it takes')
      .example(40),
    cook: one('cooks').writable().includable().describe('Who knows it best').example('cook-1'),
    ...timestamps,
  }),
  list: { scope: 'general.read', filters: ['name', 'code', 'difficulty', 'cook_id', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'menu.write' },
  update: { scope: 'menu.write' },
  delete: { scope: 'menu.write' },
  restore: { scope: 'admin.restore' },
});

export const cooks = resource({
  path: '/cooks',
  one: 'cook',
  group: 'people',
  summary: 'People who cook',
  key: ['name'],
  exampleKey: 'Sami',
  columns: ['id', 'name'],
  fields: () => ({
    id,
    name: name.required().writable().example('Sami'),
    recipes: many('recipes').inverseOf('cook').includable().describe('What this cook knows best'),
    kitchens: many('kitchens')
      .pivot({
        hours: integer().required().writable().atLeast(0).unit('hours').describe('Hours a week').example(8),
      })
      .describe('Where this cook works'),
    ...timestamps,
  }),
  filterRules: () => ({
    with_recipes: fieldFilter('recipes', 'any', boolean().describe('Knows a recipe best')),
  }),
  list: { scope: 'users.read', filters: ['name', 'with_recipes', 'is_deleted'] },
  get: { scope: 'users.read' },
  links: {
    kitchen: {
      field: 'kitchens',
      param: 'kitchenId',
      scope: 'users.write',
      description: 'a kitchen where the cook works',
    },
  },
});

export const toy = defineApi({
  resources: [recipes, cooks],
  references: [{ name: 'kitchens', one: 'kitchen', exampleId: 'kitchen-1' }],
});
