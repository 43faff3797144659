/** Creates accounts with planted mistakes of every rule, other than the examples of the rules. */
import { RandomGenerator } from '../../src/base/random.ts';
import type { Row } from '../../src/session/row.ts';
import { cleanAccount, families, link, square, week } from './clean-account.ts';

/** The day on which the accounts are checked. */
export const today = '2026-11-23';

/** An account, and its mistakes as `RULE ID`. */
export interface DirtyAccount {
  rows: Map<string, Row[]>;
  planted: Set<string>;
}

/** Returns an account with the mistakes of a seed, `each` of every rule. */
export function dirtyAccount(seed: number, each: number): DirtyAccount {
  const chance = new RandomGenerator(seed);
  const account = cleanAccount(chance);
  const planted = new Set<string>();
  const used = new Map<string, number>();
  /** Returns the next record without a mistake. The first records are kept without mistakes, for comparison. */
  const next = (name: string): Row => {
    const at = (used.get(name) ?? 4) + 1;
    used.set(name, at);
    const row = account.get(name)?.[at];
    if (!row) throw new Error(`more ${name} are needed`);
    return row;
  };
  const plant = (rule: string, name: string, spoil: (row: Row, at: number) => unknown) => {
    for (let at = 0; at < each; at++) {
      const row = next(name);
      spoil(row, at);
      planted.add(`${rule} ${row.id}`);
    }
  };
  const set = (values: Row) => (row: Row) => Object.assign(row, values);
  const original = (name: string) => account.get(name)?.[chance.between(0, 3)] ?? {};

  plant('customer-same-phone', 'customers', (row, at) => {
    const phone = String(original('customers').phone);
    row.phone = [
      `+966 ${phone.slice(0, 2)} ${phone.slice(2)}`,
      `0${phone}`,
      `00966${phone}`,
      `${phone.slice(0, 5)}-${phone.slice(5)}`,
    ][at % 4];
    planted.add(`customer-phone-spelling ${row.id}`);
  });
  plant(
    'customer-same-email',
    'customers',
    (row) => (row.email = String(original('customers').email).toUpperCase()),
  );
  plant('customer-similar-name', 'customers', (row, at) => {
    const other = next('customers');
    const pairs = [
      ['أحمد', 'احمد'],
      ['فاطمة', 'فاطمه'],
      ['هدى', 'هدي'],
      ['مُنى', 'منى'],
      ['آمنة', 'امنه'],
    ];
    const [a, b] = pairs[at % 5] ?? [];
    Object.assign(row, {
      name: `${b} ${families[seed % 10]} ${at} ${seed}`,
      created_at: '2026-02-02 10:00:00',
    });
    Object.assign(other, {
      name: `${a} ${families[seed % 10]} ${at} ${seed}`,
      created_at: '2026-02-01 10:00:00',
    });
  });
  plant(
    'customer-blacklisted-with-house-account',
    'customers',
    set({ is_blacklisted: 1, is_house_account_enabled: true }),
  );
  plant(
    'customer-phone-spelling',
    'customers',
    (row) => (row.phone = String(row.phone).replace(/^(..)(...)/, '$1 $2 ')),
  );
  plant('phone-has-letters', 'customers', (row) => (row.phone = String(row.phone).replace(/.$/, 'O')));
  plant('person-without-name', 'users', set({ name: '' }));
  plant('user-without-role', 'users', set({ roles: [] }));
  plant(
    'user-not-signed-in',
    'users',
    set({ last_login_at: '2026-06-01 09:00:00', last_cashier_login_at: null }),
  );
  plant('user-email-twice', 'users', (row) => (row.email = original('users').email));
  plant('role-without-users', 'roles', set({ users: [] }));
  plant('role-cashier-with-manager-rights', 'roles', (row, at) =>
    Object.assign(row, {
      name: `${['Cashier', 'Head Till', 'Waiter', 'Night cashier'][at % 4]?.replace('Head ', '')} ${row.id}`,
      authorities: ['orders:read', ['menu:manage', 'settings:manage', 'cost:manage'][at % 3]],
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
    plant(rule, name, set(Object.fromEntries(fields.map((field) => [field, []]))));
  const option = (row: Row) => (row.options as Row[])[0] as Row;
  plant('option-below-cost', 'modifiers', (row, at) =>
    Object.assign(
      option(row),
      at % 2 ? { cost: 9 } : { costing_method: 2, ingredients: [link('item-1', { quantity: 900 })] },
    ),
  );
  plant(
    'option-price-differs-by-branch',
    'modifiers',
    (row) => (option(row).branches = [link('branch-9', { price: 40 })]),
  );
  plant('gift-card-price-zero', 'gift_card_products', set({ price: 0 }));
  plant('event-never-runs', 'timed_events', (row, at) =>
    Object.assign(
      row,
      at % 2
        ? Object.fromEntries(Object.keys(week).map((day) => [day, false]))
        : { from_date: '2027-05-01', to_date: '2027-04-01' },
    ),
  );
  plant('event-over-still-active', 'timed_events', set({ to_date: '2026-09-30' }));
  plant('events-contradict', 'timed_events', (row, at) => {
    const other = next('timed_events');
    const same = {
      from_time: 12,
      to_time: 15,
      branches: [link(`pair-${at}`)],
      products: [link(`dish-${at}`)],
    };
    Object.assign(other, same, { type: at % 2 ? 6 : 2, created_at: '2026-01-01 08:00:00' });
    Object.assign(row, same, { type: at % 2 ? 7 : 4, created_at: '2026-01-02 08:00:00' });
  });
  plant('tag-unused', 'tags', ({ id }) => {
    for (const item of account.get('inventory_items') ?? [])
      if ((item.tags as Row[])[0]?.id === id) item.tags = [link('tag-0')];
  });
  plant('reward-worth-too-much', 'loyalty_rewards', (row, at) =>
    Object.assign(row, at % 2 ? { type: 1, amount: 120 } : { amount: 90 }),
  );
  plant('zone-border-invalid', 'delivery_zones', (row, at) => {
    const [a, b, c, d] = row.coordinates as number[][];
    row.coordinates = at % 2 ? [a, c, b, d, a] : [a, b, c, d];
  });
  plant('zones-overlap', 'delivery_zones', (row, at) => {
    row.coordinates = square(30 + at * 0.1 + 0.02, 10);
    Object.assign(row, { created_at: '2026-03-02 08:00:00', branches: [link(`far-${at}`)] });
    Object.assign(next('delivery_zones'), {
      coordinates: square(30 + at * 0.1, 10),
      created_at: '2026-03-01 08:00:00',
    });
  });
  plant(
    'item-sku-twice',
    'inventory_items',
    (row) => (row.sku = String(original('inventory_items').sku).toLowerCase()),
  );
  plant(
    'item-barcode-twice',
    'inventory_items',
    (row) => (row.barcode = original('inventory_items').barcode),
  );
  plant('item-levels-disordered', 'inventory_items', (row, at) => {
    if (at % 2) row.branches = [link('branch-2', { minimum_level: '50', par_level: '5' })];
    else row.minimum_level = '900';
  });
  plant(
    'item-factor-missing',
    'inventory_items',
    (row, at) => (row.storage_to_ingredient_factor = at % 2 ? null : 0),
  );
  plant('item-factor-implausible', 'inventory_items', (row, at) =>
    Object.assign(
      row,
      [
        { storage_to_ingredient_factor: 10 },
        { storage_unit: 'l', ingredient_unit: 'ml', storage_to_ingredient_factor: 100 },
        { storage_unit: 'dozen', ingredient_unit: 'pcs', storage_to_ingredient_factor: 10 },
        { storage_unit: 'l', ingredient_unit: 'g', storage_to_ingredient_factor: 1 },
      ][at % 4],
    ),
  );
  plant('item-ingredient-circle', 'inventory_items', (row) => {
    const other = next('inventory_items');
    row.ingredients = [link(other.id, { quantity: 5 })];
    other.ingredients = [link(row.id, { quantity: 5 })];
    // The circle is reported at the item that closes it, which is the newer item.
    other.created_at = '2025-12-31 08:00:00';
  });
  plant('item-cost-missing', 'inventory_items', (row, at) => {
    row.cost = at % 2 ? null : 0;
    (option(account.get('modifiers')?.[0] ?? {}).ingredients as Row[]).push(link(row.id, { quantity: 1 }));
  });
  const unlink = (name: string, field: string, row: Row) => {
    for (const each of account.get(name) ?? [])
      each[field] = (each[field] as Row[]).filter(({ id }) => id !== row.id);
  };
  plant('item-without-supplier', 'inventory_items', (row) => unlink('suppliers', 'items', row));
  plant('item-never-counted', 'inventory_items', (row) => unlink('inventory_counts', 'items', row));
  plant('supplier-item-cost-implausible', 'suppliers', (row, at) => {
    const [item] = row.items as Row[];
    if (item) item.pivot = { order_unit: 'box', order_to_storage_factor: 10, cost: at % 2 ? 4000 : 1 };
  });
  plant('document-left-open', 'transfer_orders', set({ status: 2, business_date: '2026-09-01' }));
  plant('quantity-negative', 'transfer_orders', set({ items: [link('item-1', { quantity: -3 })] }));
  plant(
    'cost-changed-tenfold',
    'cost_adjustments',
    (row) => (row.items = [link('item-2', { cost_per_unit: 80, previous_cost_per_unit: 8 })]),
  );
  plant('name-has-extra-blanks', 'inventory_item_categories', (row) => (row.name = ` ${row.name}  x`));
  plant(
    'name-differs-only-in-case-or-blanks',
    'suppliers',
    (row) => (row.name = String(original('suppliers').name).toUpperCase().replace(' ', '  ')),
  );
  plant('name-localized-missing', 'payment_methods', set({ name_localized: null }));
  plant('relation-to-missing-record', 'inventory_items', set({ category: { id: 'deleted' } }));
  for (const name of [...planted].filter((each) => each.startsWith('name-differs')))
    planted.add(name.replace('name-differs-only-in-case-or-blanks', 'name-has-extra-blanks'));
  return { rows: account, planted };
}
