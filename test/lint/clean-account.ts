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
  const many = (count: number, make: (at: number) => Row) =>
    Array.from({ length: count }, (_, at) => ({
      created_at: `2026-01-01 00:${String(at % 60).padStart(2, '0')}:00`,
      ...make(at),
    }));
  const named = (at: number, words: readonly string[]) => ({
    name: `${words[chance.between(0, 9)]} ${at}`,
    name_localized: `اسم ${at}`,
  });
  const items: Row[] = many(400, (at) => ({
    ...{ id: `item-${at}`, sku: `SKU-${at}`, barcode: `6281${at}`, ...named(at, foods) },
    ...{
      minimum_level: '2',
      par_level: '6',
      maximum_level: '12',
      branches: [],
      ingredients: [],
      tags: [link(`tag-${at % 60}`)],
    },
    ...{
      storage_unit: 'kg',
      ingredient_unit: 'g',
      storage_to_ingredient_factor: 1000,
      costing_method: 1,
      cost: 8,
    },
    category: { id: `item-category-${at % 40}` },
  }));
  const all = items.map(({ id }) => link(id));
  const event = (at: number) => ({
    from_date: '2026-11-01',
    to_date: '2027-03-01',
    from_time: 8,
    to_time: 10,
    ...week,
    branches: [link(`branch-${at}`)],
  });
  const document = (name: string) => (at: number) => ({
    id: `${name}-${at}`,
    reference: `${name}-${at}`,
    status: 2,
    business_date: '2026-11-01',
    items: [],
  });
  return new Map<string, Row[]>([
    [
      'customers',
      many(120, (at) => ({
        id: `customer-${at}`,
        name: `${givenNames[chance.between(0, 9)]} ${families[chance.between(0, 9)]} the ${at}.`,
        dial_code: 966,
        phone: String(500_000_000 + at * 7919 + chance.between(0, 6999)),
        email: `c${at}@example.com`,
        is_blacklisted: at % 9 === 0,
        is_house_account_enabled: false,
        tags: [],
      })),
    ],
    [
      'addresses',
      many(40, (at) => ({
        id: `address-${at}`,
        name: 'Home',
        latitude: '0.02',
        longitude: '50.02',
        customer: { id: `customer-${at}` },
        delivery_zone: { id: 'zone-0' },
      })),
    ],
    [
      'users',
      many(60, (at) => ({
        id: `user-${at}`,
        name: `${givenNames[chance.between(0, 9)]} ${at}`,
        number: String(1000 + at),
        email: `u${at}@example.com`,
        is_owner: at === 0,
        last_login_at: '2026-11-20 08:00:00',
        last_cashier_login_at: null,
        roles: [{ id: 'role-0' }],
        tags: [],
      })),
    ],
    [
      'roles',
      many(30, (at) => ({
        id: `role-${at}`,
        ...named(at, [
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
      many(30, (at) => ({
        id: `category-${at}`,
        ...named(at, foods),
        products: [link('p')],
        combos: [],
        gift_card_products: [],
        timed_events: [],
      })),
    ],
    [
      'groups',
      many(30, (at) => ({
        id: `group-${at}`,
        ...named(at, foods),
        products: [link('p')],
        combos: [],
        gift_card_products: [],
        subgroups: [],
      })),
    ],
    [
      'modifiers',
      many(50, (at) => ({
        id: `modifier-${at}`,
        ...named(at, foods),
        products: [link('p')],
        options: [
          {
            id: `option-${at}`,
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
      many(40, (at) => ({
        id: `card-${at}`,
        ...named(at, foods),
        sku: `GIFT-${at}`,
        pricing_method: 1,
        price: 100 + at,
        category: { id: 'category-0' },
        tags: [],
        groups: [],
      })),
    ],
    ['payment_methods', many(30, (at) => ({ id: `method-${at}`, type: 1, ...named(at, foods) }))],
    ['tags', many(60, (at) => ({ id: `tag-${at}`, type: 3, ...named(at, foods) }))],
    [
      'sections',
      many(30, (at) => ({
        id: `section-${at}`,
        ...named(at, foods),
        branch: { id: 'branch-1' },
        tables: [link('table-1')],
      })),
    ],
    [
      'delivery_zones',
      many(60, (at) => ({
        id: `zone-${at}`,
        ...named(at, foods),
        reference: `Z-${at}`,
        coordinates: square(50 + (at % 10) * 0.05, Math.floor(at / 10) * 0.05),
        branches: [link(`branch-${at}`)],
      })),
    ],
    [
      'timed_events',
      many(60, (at) => ({
        id: `event-${at}`,
        ...named(at, foods),
        type: 3,
        value: 20,
        priority: 1,
        is_active: true,
        order_types: [1],
        ...event(at),
        products: [link(`only-${at}`)],
        combos: [],
        tags: [],
        categories: [],
        price_tag: [],
        customer_tags: [],
      })),
    ],
    ['inventory_item_categories', many(40, (at) => ({ id: `item-category-${at}`, ...named(at, foods) }))],
    ['inventory_items', items],
    [
      'suppliers',
      many(60, (at) => ({
        id: `supplier-${at}`,
        ...named(at, families),
        name_localized: undefined,
        items: (at < 5 ? all : [link(`item-${200 + at}`)]).map(({ id }) =>
          link(id, { order_unit: 'box', order_to_storage_factor: 10, cost: 80 }),
        ),
        tags: [],
      })),
    ],
    [
      'cost_adjustments',
      many(30, (at) => ({
        ...document('adjustment')(at),
        items: [link('item-1', { cost_per_unit: 8.5, previous_cost_per_unit: 8 })],
      })),
    ],
    [
      'inventory_counts',
      many(10, (at) => ({ ...document('count')(at), items: at < 5 ? all : [link('item-1')] })),
    ],
    ['transfer_orders', many(30, (at) => ({ ...document('transfer')(at), status: 4 }))],
    [
      'loyalty_rewards',
      many(30, (at) => ({
        id: `reward-${at}`,
        code: `R-${at}`,
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
