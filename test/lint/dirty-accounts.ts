/** Creates accounts with planted mistakes of every rule, other than the examples of the rules. */
import { RandomGenerator } from '../../src/base/random.ts';
import type { Row } from '../../src/session/row.ts';
import { createCleanAccount, families, link, square, week } from './clean-account.ts';

/** The day on which the accounts are checked. */
export const today = '2026-11-23';

/** An account, and its mistakes as `RULE ID`. */
export interface DirtyAccount {
  rows: Map<string, Row[]>;
  planted: Set<string>;
}

/** Returns an account with this number of mistakes of every rule. The mistakes depend on the seed. */
export function createDirtyAccount(seed: number, mistakesPerRule: number): DirtyAccount {
  const random = new RandomGenerator(seed);
  const account = createCleanAccount(random);
  const planted = new Set<string>();
  const lastUsedIndexes = new Map<string, number>();
  /** Returns the next record without a mistake. The first records are kept without mistakes, for comparison. */
  const nextRecord = (name: string): Row => {
    const index = (lastUsedIndexes.get(name) ?? 4) + 1;
    lastUsedIndexes.set(name, index);
    const row = account.get(name)?.[index];
    if (!row) throw new Error(`more ${name} are needed`);
    return row;
  };
  const plant = (rule: string, name: string, addMistake: (row: Row, index: number) => unknown) => {
    for (let index = 0; index < mistakesPerRule; index++) {
      const row = nextRecord(name);
      addMistake(row, index);
      planted.add(`${rule} ${row.id}`);
    }
  };
  const setValues = (values: Row) => (row: Row) => Object.assign(row, values);
  const originalRecord = (name: string) => account.get(name)?.[random.between(0, 3)] ?? {};

  plant('customer-same-phone', 'customers', (row, index) => {
    const phone = String(originalRecord('customers').phone);
    row.phone = [
      `+966 ${phone.slice(0, 2)} ${phone.slice(2)}`,
      `0${phone}`,
      `00966${phone}`,
      `${phone.slice(0, 5)}-${phone.slice(5)}`,
    ][index % 4];
    planted.add(`customer-phone-spelling ${row.id}`);
  });
  plant(
    'customer-same-email',
    'customers',
    (row) => (row.email = String(originalRecord('customers').email).toUpperCase()),
  );
  plant('customer-similar-name', 'customers', (row, index) => {
    const other = nextRecord('customers');
    const pairs = [
      ['أحمد', 'احمد'],
      ['فاطمة', 'فاطمه'],
      ['هدى', 'هدي'],
      ['مُنى', 'منى'],
      ['آمنة', 'امنه'],
    ];
    const [a, b] = pairs[index % 5] ?? [];
    Object.assign(row, {
      name: `${b} ${families[seed % 10]} ${index} ${seed}`,
      created_at: '2026-02-02 10:00:00',
    });
    Object.assign(other, {
      name: `${a} ${families[seed % 10]} ${index} ${seed}`,
      created_at: '2026-02-01 10:00:00',
    });
  });
  plant(
    'customer-blacklisted-with-house-account',
    'customers',
    setValues({ is_blacklisted: 1, is_house_account_enabled: true }),
  );
  plant(
    'customer-phone-spelling',
    'customers',
    (row) => (row.phone = String(row.phone).replace(/^(..)(...)/, '$1 $2 ')),
  );
  plant('phone-has-letters', 'customers', (row) => (row.phone = String(row.phone).replace(/.$/, 'O')));
  plant('person-without-name', 'users', setValues({ name: '' }));
  plant('user-without-role', 'users', setValues({ roles: [] }));
  plant(
    'user-not-signed-in',
    'users',
    setValues({ last_login_at: '2026-06-01 09:00:00', last_cashier_login_at: null }),
  );
  plant('user-email-twice', 'users', (row) => (row.email = originalRecord('users').email));
  plant('role-without-users', 'roles', setValues({ users: [] }));
  plant('role-cashier-with-manager-rights', 'roles', (row, index) =>
    Object.assign(row, {
      name: `${['Cashier', 'Head Till', 'Waiter', 'Night cashier'][index % 4]?.replace('Head ', '')} ${row.id}`,
      authorities: ['orders:read', ['menu:manage', 'settings:manage', 'cost:manage'][index % 3]],
    }),
  );
  for (const [rule, name, fields] of [
    ['category-empty', 'categories', ['products', 'combos', 'gift_card_products']],
    ['group-empty', 'groups', ['products', 'combos', 'gift_card_products', 'subgroups']],
    ['modifier-without-options', 'modifiers', ['options']],
    ['section-without-tables', 'sections', ['tables']],
    ['zone-without-branch', 'delivery_zones', ['branches']],
    ['supplier-without-items', 'suppliers', ['items']],
  ] as const)
    plant(rule, name, setValues(Object.fromEntries(fields.map((field) => [field, []]))));
  const option = (row: Row) => (row.options as Row[])[0] as Row;
  plant('option-below-cost', 'modifiers', (row, index) =>
    Object.assign(
      option(row),
      index % 2 ? { cost: 9 } : { costing_method: 2, ingredients: [link('item-1', { quantity: 900 })] },
    ),
  );
  plant(
    'option-price-differs-by-branch',
    'modifiers',
    (row) => (option(row).branches = [link('branch-9', { price: 40 })]),
  );
  plant('gift-card-price-zero', 'gift_card_products', setValues({ price: 0 }));
  plant('event-never-runs', 'timed_events', (row, index) =>
    Object.assign(
      row,
      index % 2
        ? Object.fromEntries(Object.keys(week).map((day) => [day, false]))
        : { from_date: '2027-05-01', to_date: '2027-04-01' },
    ),
  );
  plant('event-over-still-active', 'timed_events', setValues({ to_date: '2026-09-30' }));
  plant('events-contradict', 'timed_events', (row, index) => {
    const other = nextRecord('timed_events');
    const sharedValues = {
      from_time: 12,
      to_time: 15,
      branches: [link(`pair-${index}`)],
      products: [link(`dish-${index}`)],
    };
    Object.assign(other, sharedValues, { type: index % 2 ? 6 : 2, created_at: '2026-01-01 08:00:00' });
    Object.assign(row, sharedValues, { type: index % 2 ? 7 : 4, created_at: '2026-01-02 08:00:00' });
  });
  plant('tag-unused', 'tags', ({ id }) => {
    for (const item of account.get('inventory_items') ?? [])
      if ((item.tags as Row[])[0]?.id === id) item.tags = [link('tag-0')];
  });
  plant('reward-worth-too-much', 'loyalty_rewards', (row, index) =>
    Object.assign(row, index % 2 ? { type: 1, amount: 120 } : { amount: 90 }),
  );
  plant('zone-border-invalid', 'delivery_zones', (row, index) => {
    const [a, b, c, d] = row.coordinates as number[][];
    row.coordinates = index % 2 ? [a, c, b, d, a] : [a, b, c, d];
  });
  plant('zones-overlap', 'delivery_zones', (row, index) => {
    row.coordinates = square(30 + index * 0.1 + 0.02, 10);
    Object.assign(row, { created_at: '2026-03-02 08:00:00', branches: [link(`far-${index}`)] });
    Object.assign(nextRecord('delivery_zones'), {
      coordinates: square(30 + index * 0.1, 10),
      created_at: '2026-03-01 08:00:00',
    });
  });
  plant(
    'item-sku-twice',
    'inventory_items',
    (row) => (row.sku = String(originalRecord('inventory_items').sku).toLowerCase()),
  );
  plant(
    'item-barcode-twice',
    'inventory_items',
    (row) => (row.barcode = originalRecord('inventory_items').barcode),
  );
  plant('item-levels-disordered', 'inventory_items', (row, index) => {
    if (index % 2) row.branches = [link('branch-2', { minimum_level: '50', par_level: '5' })];
    else row.minimum_level = '900';
  });
  plant(
    'item-factor-missing',
    'inventory_items',
    (row, index) => (row.storage_to_ingredient_factor = index % 2 ? null : 0),
  );
  plant('item-factor-implausible', 'inventory_items', (row, index) =>
    Object.assign(
      row,
      [
        { storage_to_ingredient_factor: 10 },
        { storage_unit: 'l', ingredient_unit: 'ml', storage_to_ingredient_factor: 100 },
        { storage_unit: 'dozen', ingredient_unit: 'pcs', storage_to_ingredient_factor: 10 },
        { storage_unit: 'l', ingredient_unit: 'g', storage_to_ingredient_factor: 1 },
      ][index % 4],
    ),
  );
  plant('item-ingredient-circle', 'inventory_items', (row) => {
    const other = nextRecord('inventory_items');
    row.ingredients = [link(other.id, { quantity: 5 })];
    other.ingredients = [link(row.id, { quantity: 5 })];
    // The circle is reported at the item that closes it, which is the newer item.
    other.created_at = '2025-12-31 08:00:00';
  });
  plant('item-cost-missing', 'inventory_items', (row, index) => {
    row.cost = index % 2 ? null : 0;
    (option(account.get('modifiers')?.[0] ?? {}).ingredients as Row[]).push(link(row.id, { quantity: 1 }));
  });
  const unlink = (name: string, field: string, row: Row) => {
    for (const record of account.get(name) ?? [])
      record[field] = (record[field] as Row[]).filter(({ id }) => id !== row.id);
  };
  plant('item-without-supplier', 'inventory_items', (row) => unlink('suppliers', 'items', row));
  plant('item-never-counted', 'inventory_items', (row) => unlink('inventory_counts', 'items', row));
  plant('supplier-item-cost-implausible', 'suppliers', (row, index) => {
    const [item] = row.items as Row[];
    if (item) item.pivot = { order_unit: 'box', order_to_storage_factor: 10, cost: index % 2 ? 4000 : 1 };
  });
  plant('document-left-open', 'transfer_orders', setValues({ status: 2, business_date: '2026-09-01' }));
  plant('quantity-negative', 'transfer_orders', setValues({ items: [link('item-1', { quantity: -3 })] }));
  plant(
    'cost-changed-tenfold',
    'cost_adjustments',
    (row) => (row.items = [link('item-2', { cost_per_unit: 80, previous_cost_per_unit: 8 })]),
  );
  plant('name-has-extra-blanks', 'inventory_item_categories', (row) => (row.name = ` ${row.name}  x`));
  plant(
    'name-differs-only-in-case-or-blanks',
    'suppliers',
    (row) => (row.name = String(originalRecord('suppliers').name).toUpperCase().replace(' ', '  ')),
  );
  plant('name-localized-missing', 'payment_methods', setValues({ name_localized: null }));
  plant('relation-to-missing-record', 'inventory_items', setValues({ category: { id: 'deleted' } }));
  for (const name of [...planted].filter((mistake) => mistake.startsWith('name-differs')))
    planted.add(name.replace('name-differs-only-in-case-or-blanks', 'name-has-extra-blanks'));
  return { rows: account, planted };
}
