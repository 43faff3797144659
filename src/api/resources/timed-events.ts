/** Timed events: price or availability changes at certain hours, days and dates. */
import { boolean, choice, date, decimal, hour, integer, integers, many } from '../contract/field.ts';
import { fieldFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';
import { tagsFor } from './tag-types.ts';

const dayField = (day: string) =>
  boolean()
    .label(day)
    .formGroup('Days')
    .askedInForms()
    .describe(`Whether the event applies on ${day}s`)
    .example(true);

/** The fields, filters and operations of timed events. */
export const timedEvents = resource({
  path: '/timed_events',
  one: 'timed-event',
  searchTerms: ['events', 'promotions'],
  group: 'menu',
  summary: 'Temporary changes of price or availability',
  key: ['name'],
  exampleKey: 'Happy Hour',
  columns: ['id', 'name', 'type', 'value', 'from_date', 'to_date', 'from_time', 'to_time', 'is_active'],
  fields: () => ({
    id,
    name: name.required().writable().example('Ramadan Evenings'),
    name_localized: nameLocalized.writable().example('أمسيات رمضان'),
    type: choice({
      'fixed price': 1,
      'price reduction': 2,
      'price reduction by percentage': 3,
      'price increase': 4,
      'price increase by percentage': 5,
      'activate products': 6,
      'deactivate products': 7,
    })
      .required()
      .writable()
      .describe('Effect of the event')
      .example(3),
    value: decimal()
      .required()
      .writable()
      // API document: "Limits".
      .boundedWhere('type', ['fixed price'], { minimum: 0, unit: 'currency' })
      .boundedWhere('type', ['price reduction', 'price increase'], { above: 0, unit: 'currency' })
      .boundedWhere('type', ['price reduction by percentage', 'price increase by percentage'], {
        above: 0,
        below: 100,
        unit: 'percent',
      })
      .describe('Price, amount or percentage, depending on the type; applied before all discounts')
      .example(20),
    priority: integer()
      .writable()
      .describe("Order of events where several apply; the API document doesn't say how it is used")
      .example(1),
    is_active: boolean().writable().formDefault(true).describe('Whether the event is active').example(true),
    from_date: date().required().writable().describe('First day').example('2027-02-08'),
    to_date: date().required().writable().describe('Last day').example('2027-03-09'),
    // The field table says string; the samples and deployments use whole hours as numbers.
    from_time: hour().required().writable().describe('Start hour of each day').example(18),
    to_time: hour().required().writable().describe('End hour of each day').example(23),
    is_sat: dayField('Saturday').writable(),
    is_sun: dayField('Sunday').writable(),
    is_mon: dayField('Monday').writable(),
    is_tue: dayField('Tuesday').writable(),
    is_wed: dayField('Wednesday').writable(),
    is_thu: dayField('Thursday').writable(),
    is_fri: dayField('Friday').writable(),
    // The API document shows integers without a meaning; the words are from deployments (docs/reference/deployments.md: "Values").
    order_types: integers({ 'dine in': 1, pickup: 2, delivery: 3, 'drive thru': 4 })
      .required()
      .writable()
      .allowsOthers()
      .describe('Order types that the event applies to')
      .example([1, 2]),
    products: many('products')
      .writable()
      .includable()
      .askedInForms()
      .describe('Products that the event applies to'),
    combos: many('combos')
      .writable()
      .includable()
      .askedInForms()
      .describe('Combos that the event applies to'),
    branches: many('branches')
      .writable()
      .includable()
      .askedInForms()
      .describe('Branches in which the event applies'),
    tags: tagsFor('product')
      .writable()
      .includable()
      .askedInForms()
      .describe('Tags of products that the event applies to'),
    categories: many('categories')
      .writable()
      .includable()
      .askedInForms()
      .describe('Categories that the event applies to'),
    // The field table has the name in the singular and the type array.
    price_tag: many('price_tags').updatable().includable().describe('Price tags that the event applies to'),
    customer_tags: tagsFor('customer').updatable().describe('Tags of customers that the event applies to'),
    ...timestamps,
  }),
  filterRules: () => ({
    price_tag_id: fieldFilter(
      'price_tag',
      'equals',
      many('price_tags').describe('Price tag that the event applies to'),
    ),
    // The API document has the singular; deployments use categories.id, which --filter can send.
    'category.id': fieldFilter(
      'categories',
      'equals',
      many('categories').describe('Category that the event applies to'),
    ),
  }),
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
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
  pictures: {
    week: {
      days: {
        sat: 'is_sat',
        sun: 'is_sun',
        mon: 'is_mon',
        tue: 'is_tue',
        wed: 'is_wed',
        thu: 'is_thu',
        fri: 'is_fri',
      },
      fromTime: 'from_time',
      toTime: 'to_time',
      fromDate: 'from_date',
      toDate: 'to_date',
      isActive: 'is_active',
      effect: 'type',
      value: 'value',
      sharedScope: ['branches', 'order_types', 'customer_tags', 'price_tag'],
      appliesTo: ['products', 'combos', 'tags', 'categories'],
    },
  },
});
