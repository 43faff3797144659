/** Creates an account without mistakes, to which tests add mistakes. */
import type { RandomGenerator } from '../../src/base/random.ts';
import type { Row } from '../../src/session/row.ts';

const givenNames = ['Huda', 'Layla', 'Omar', 'Sara', 'Yusuf', 'Reem', 'Nadia', 'Faisal', 'Mona', 'Tariq'];
/** Family names. */
export const families = [
  'Haddad',
  'Nasser',
  'Mansour',
  'Darwish',
  'Karam',
  'Saad',
  'Barakat',
  'Rahman',
  'Zayed',
  'Amin',
];
const foods = [
  'Tomato',
  'Cucumber',
  'Rice',
  'Lamb',
  'Flour',
  'Lentil',
  'Pepper',
  'Tahini',
  'Mint',
  'Saffron',
];
/** Every day of the week. */
export const week = {
  is_sat: true,
  is_sun: true,
  is_mon: true,
  is_tue: true,
  is_wed: true,
  is_thu: true,
  is_fri: true,
};
/** Returns a link to a record. */
export const link = (id: unknown, pivot: Row = {}) => ({ id, pivot });
/** Returns the border of a square. */
export const square = (west: number, south: number, size = 0.04) => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];

/** Returns an account without mistakes. Names, phones and borders are random. */
export function createCleanAccount(chance: RandomGenerator): Map<string, Row[]> {
  const many = (count: number, createRow: (index: number) => Row) =>
    Array.from({ length: count }, (_, index) => ({
      created_at: `2026-01-01 00:${String(index % 60).padStart(2, '0')}:00`,
      ...createRow(index),
    }));
  const named = (index: number, words: readonly string[]) => ({
    name: `${words[chance.between(0, 9)]} ${index}`,
    name_localized: `اسم ${index}`,
  });
  const items: Row[] = many(400, (index) => ({
    ...{ id: `item-${index}`, sku: `SKU-${index}`, barcode: `6281${index}`, ...named(index, foods) },
    ...{
      minimum_level: '2',
      par_level: '6',
      maximum_level: '12',
      branches: [],
      ingredients: [],
      tags: [link(`tag-${index % 60}`)],
    },
    ...{
      storage_unit: 'kg',
      ingredient_unit: 'g',
      storage_to_ingredient_factor: 1000,
      costing_method: 1,
      cost: 8,
    },
    category: { id: `item-category-${index % 40}` },
  }));
  const itemLinks = items.map(({ id }) => link(id));
  const event = (index: number) => ({
    from_date: '2026-11-01',
    to_date: '2027-03-01',
    from_time: 8,
    to_time: 10,
    ...week,
    branches: [link(`branch-${index}`)],
  });
  const document = (name: string) => (index: number) => ({
    id: `${name}-${index}`,
    reference: `${name}-${index}`,
    status: 2,
    business_date: '2026-11-01',
    items: [],
  });
  return new Map<string, Row[]>([
    [
      'customers',
      many(120, (index) => ({
        id: `customer-${index}`,
        name: `${givenNames[chance.between(0, 9)]} ${families[chance.between(0, 9)]} the ${index}.`,
        dial_code: 966,
        phone: String(500_000_000 + index * 7919 + chance.between(0, 6999)),
        email: `c${index}@example.com`,
        is_blacklisted: index % 9 === 0,
        is_house_account_enabled: false,
        tags: [],
      })),
    ],
    [
      'addresses',
      many(40, (index) => ({
        id: `address-${index}`,
        name: 'Home',
        latitude: '0.02',
        longitude: '50.02',
        customer: { id: `customer-${index}` },
        delivery_zone: { id: 'zone-0' },
      })),
    ],
    [
      'users',
      many(60, (index) => ({
        id: `user-${index}`,
        name: `${givenNames[chance.between(0, 9)]} ${index}`,
        number: String(1000 + index),
        email: `u${index}@example.com`,
        is_owner: index === 0,
        last_login_at: '2026-11-20 08:00:00',
        last_cashier_login_at: null,
        roles: [{ id: 'role-0' }],
        tags: [],
      })),
    ],
    [
      'roles',
      many(30, (index) => ({
        id: `role-${index}`,
        ...named(index, [
          'Manager',
          'Supervisor',
          'Cook',
          'Buyer',
          'Driver',
          'Host',
          'Chef',
          'مشرف كاشير',
          'Owner',
          'Planner',
        ]),
        users: [link('user-0')],
        authorities: ['orders:read', 'menu:manage'],
      })),
    ],
    [
      'categories',
      many(30, (index) => ({
        id: `category-${index}`,
        ...named(index, foods),
        products: [link('p')],
        combos: [],
        gift_card_products: [],
        timed_events: [],
      })),
    ],
    [
      'groups',
      many(30, (index) => ({
        id: `group-${index}`,
        ...named(index, foods),
        products: [link('p')],
        combos: [],
        gift_card_products: [],
        subgroups: [],
      })),
    ],
    [
      'modifiers',
      many(50, (index) => ({
        id: `modifier-${index}`,
        ...named(index, foods),
        products: [link('p')],
        options: [
          {
            id: `option-${index}`,
            name: 'Large',
            costing_method: 1,
            price: 5,
            cost: 2,
            branches: [link('branch-1', { price: 6 })],
            ingredients: [],
          },
        ],
      })),
    ],
    [
      'gift_card_products',
      many(40, (index) => ({
        id: `card-${index}`,
        ...named(index, foods),
        sku: `GIFT-${index}`,
        pricing_method: 1,
        price: 100 + index,
        category: { id: 'category-0' },
        tags: [],
        groups: [],
      })),
    ],
    ['payment_methods', many(30, (index) => ({ id: `method-${index}`, type: 1, ...named(index, foods) }))],
    ['tags', many(60, (index) => ({ id: `tag-${index}`, type: 3, ...named(index, foods) }))],
    [
      'sections',
      many(30, (index) => ({
        id: `section-${index}`,
        ...named(index, foods),
        branch: { id: 'branch-1' },
        tables: [link('table-1')],
      })),
    ],
    [
      'delivery_zones',
      many(60, (index) => ({
        id: `zone-${index}`,
        ...named(index, foods),
        reference: `Z-${index}`,
        coordinates: square(50 + (index % 10) * 0.05, Math.floor(index / 10) * 0.05),
        branches: [link(`branch-${index}`)],
      })),
    ],
    [
      'timed_events',
      many(60, (index) => ({
        id: `event-${index}`,
        ...named(index, foods),
        type: 3,
        value: 20,
        priority: 1,
        is_active: true,
        order_types: [1],
        ...event(index),
        products: [link(`only-${index}`)],
        combos: [],
        tags: [],
        categories: [],
        price_tag: [],
        customer_tags: [],
      })),
    ],
    [
      'inventory_item_categories',
      many(40, (index) => ({ id: `item-category-${index}`, ...named(index, foods) })),
    ],
    ['inventory_items', items],
    [
      'suppliers',
      many(60, (index) => ({
        id: `supplier-${index}`,
        ...named(index, families),
        name_localized: undefined,
        items: (index < 5 ? itemLinks : [link(`item-${200 + index}`)]).map(({ id }) =>
          link(id, { order_unit: 'box', order_to_storage_factor: 10, cost: 80 }),
        ),
        tags: [],
      })),
    ],
    [
      'cost_adjustments',
      many(30, (index) => ({
        ...document('adjustment')(index),
        items: [link('item-1', { cost_per_unit: 8.5, previous_cost_per_unit: 8 })],
      })),
    ],
    [
      'inventory_counts',
      many(10, (index) => ({ ...document('count')(index), items: index < 5 ? itemLinks : [link('item-1')] })),
    ],
    ['transfer_orders', many(30, (index) => ({ ...document('transfer')(index), status: 4 }))],
    [
      'loyalty_rewards',
      many(30, (index) => ({
        id: `reward-${index}`,
        code: `R-${index}`,
        type: 2,
        amount: 20,
        maximum_discount_amount: 50,
      })),
    ],
    ['loyalty_transactions', []],
    ['taxes', []],
    ['tax_groups', []],
  ]);
}
