/** Timed events: prices or availability that change for certain hours, days and dates. */
import { boolean, choice, date, decimal, hour, integer, integers, many, one } from '../contract/field.ts';
import { filterOn } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

const types = {
  'fixed price': 1,
  'price reduction': 2,
  'price reduction by percentage': 3,
  'price increase': 4,
  'price increase by percentage': 5,
  'activate products': 6,
  'deactivate products': 7,
} as const;

const body = [
  'name',
  'name_localized',
  'type',
  'value',
  'priority',
  'order_types',
  'from_date',
  'to_date',
  'from_time',
  'to_time',
  'is_sat',
  'is_sun',
  'is_mon',
  'is_tue',
  'is_wed',
  'is_thu',
  'is_fri',
  'is_active',
  'branches',
  'products',
  'combos',
  'tags',
  'categories',
] as const;

const on = (day: string) => boolean().about(`Whether it applies on ${day}`).example(true);

export const timedEvents = resource({
  path: '/timed_events',
  one: 'timed-event',
  group: 'menu',
  summary: 'Prices and availability that change for a time',
  key: ['name'],
  known: 'Happy Hour',
  columns: ['id', 'name', 'type', 'value', 'from_date', 'to_date', 'from_time', 'to_time', 'is_active'],
  fields: {
    id,
    name: name.required().updatable().example('Ramadan Evenings'),
    name_localized: nameLocalized.example('أمسيات رمضان'),
    type: choice(types).required().about('What it does').example(3),
    value: decimal()
      .required()
      .about('The price, the amount or the percentage, as the type has it; applied before all discounts')
      .example(20),
    priority: integer()
      .updatable()
      .about('Which event goes first, where several apply; how is not documented')
      .example(1),
    is_active: boolean().about('Whether it is in use').example(true),
    from_date: date().required().about('First day').example('2027-02-08'),
    to_date: date().required().about('Last day').example('2027-03-09'),
    // The field table says string, the samples and deployments use whole hours as numbers.
    from_time: hour().required().about('When it begins each day').example(18),
    to_time: hour().required().about('When it ends each day').example(23),
    is_sat: on('Saturdays'),
    is_sun: on('Sundays'),
    is_mon: on('Mondays'),
    is_tue: on('Tuesdays'),
    is_wed: on('Wednesdays'),
    is_thu: on('Thursdays'),
    is_fri: on('Fridays'),
    // The document shows integers without their meaning; the words are those of deployments (docs/deployments.md: "Values").
    order_types: integers({ 'dine in': 1, pickup: 2, delivery: 3, 'drive thru': 4 })
      .required()
      .open()
      .about('Kinds of order it applies to')
      .example([1, 2]),
    products: many('products').updatable().includable().about('Products it applies to'),
    combos: many('combos').updatable().includable().about('Combos it applies to'),
    branches: many('branches').updatable().includable().about('Branches it applies in'),
    tags: many('tags').updatable().includable().about('Tags of products it applies to'),
    categories: many('categories').updatable().includable().about('Categories it applies to'),
    price_tag: one('price_tags').updatable().includable().about('The price tag it applies to'),
    customer_tags: many('tags').updatable().about('Tags of customers it applies to'),
    ...timestamps,
  },
  filterRules: {
    // The document's own singular; deployments say categories.id, which --filter passes.
    'category.id': filterOn('categories', 'equals', many('categories').about('Applies to this category')),
  },
  list: {
    scope: 'general.read',
    filters: [
      'id',
      'name',
      'name_localized',
      'is_active',
      'type',
      'products.id',
      'tags.id',
      'category.id',
      'branches.id',
      'price_tag_id',
      ...dateFilters,
    ],
  },
  get: { scope: 'general.read' },
  create: { scope: 'admin.write', body },
  update: { scope: 'admin.write', body },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
  check: checkValue,
});

/** Document: "Limits". The rule depends on the type, so an update that names only one of the two can't be held to it. */
function checkValue({ type, value }: Readonly<Record<string, unknown>>): Record<string, string[]> {
  if (typeof value !== 'number') return {};
  const refuse = (message: string) => ({ value: [message] });
  if (type === types['fixed price'] && value < 0) return refuse('must not be less than 0 for a fixed price');
  if ((type === types['price reduction'] || type === types['price increase']) && value <= 0) {
    return refuse('must be greater than 0 for a reduction or an increase');
  }
  const isPercentage =
    type === types['price reduction by percentage'] || type === types['price increase by percentage'];
  if (isPercentage && (value <= 0 || value >= 100)) {
    return refuse('must be greater than 0 and less than 100 for a percentage');
  }
  return {};
}
