/** Who works in the demo business: roles with their authorities, the owner and the staff. */
import { authorities } from '../../resources/roles.ts';
import type { DemoWriter } from './demo-writer.ts';
import { airport, branches, oldTown, riverside } from './places.ts';

/** Every account has one, an empty sandbox too. */
export function addOwner(writer: DemoWriter): string {
  const { tables } = writer;
  return writer.addTo(tables.named('users'), {
    name: 'Nadia Rahman',
    is_owner: true,
    number: '1000',
    pin: '1000',
    email: 'nadia@example.com',
    phone: '555000100',
    lang: 'en',
    email_verified: true,
    display_localized_names: true,
    branches: [...branches],
    notifications: tables.named('users').fields.notifications?.traits.allowed,
  });
}

export function addPeople(writer: DemoWriter, tags: ReadonlyMap<string, string>): void {
  const roles = addRoles(writer);
  const role = (name: string) => roles.get(name) ?? '';
  const staff: [name: string, roles: string[], branches: string[], notifications: string[]][] = [
    ['Omar Nasser', ['Shift Manager'], [riverside], ['new_transfer_order', 'new_pending_transfer_receiving']],
    ['Mariam Saleh', ['Branch Manager'], [riverside], levelsAndCounts],
    ['Khalid Ibrahim', ['Branch Manager'], [oldTown], levelsAndCounts],
    ['Rana Aziz', ['Branch Manager', 'Accountant'], [airport], levelsAndCounts],
    ['Tariq Mahmoud', ['Warehouse Keeper'], [...branches], ['new_transfer_order']],
    ['Dina Farouk', ['Accountant'], [...branches], ['new_cost_adjustment_inventory_transaction']],
    ['Yara Hussein', ['Shift Manager'], [oldTown], []],
    ['Sami Qasim', ['Shift Manager'], [airport], []],
    ['Lina Haddad', ['Cashier'], [riverside], []],
    ['Bilal Odeh', ['Cashier'], [riverside, oldTown], []],
    ['Hana Yousef', ['Cashier'], [oldTown], []],
    ['Faris Najjar', ['Cashier'], [airport], []],
    ['جميلة منصور', ['Kitchen Lead'], [riverside], []],
    ['عادل حمدان', ['Kitchen Lead'], [oldTown, airport], []],
  ];
  for (const [index, [name, roleNames, places, notifications]] of staff.entries()) {
    const number = String(1001 + index);
    const isOnTrial = index >= staff.length - 2;
    writer.add('users', {
      name,
      number,
      // Some never stand at a till, and some never open the console.
      pin: name === 'Dina Farouk' ? undefined : number,
      email: /^[A-Z]/.test(name) ? `${name.toLowerCase().replace(' ', '.')}@example.com` : undefined,
      phone: `5550${number}00`,
      lang: index % 3 === 0 ? 'ar' : 'en',
      email_verified: index % 4 !== 3,
      roles: roleNames.map(role),
      branches: places,
      tags: [tags.get(isOnTrial ? 'On Trial' : 'Full Time')],
      notifications,
    });
  }
}

const levelsAndCounts = [
  'inventory_item_quantity_below_minimum_level',
  'inventory_item_quantity_below_zero',
  'count_transaction_closed',
  'inventory_business_date_ended',
];

function addRoles(writer: DemoWriter): Map<string, string> {
  const { orders, customers, inventory, menu, other, admin } = authorities;
  const roles: [name: string, localized: string, authorities: readonly string[]][] = [
    ['Shift Manager', 'مدير الوردية', [...orders, 'customers:read', 'customers:manage', 'menu:read']],
    ['Branch Manager', 'مدير الفرع', [...orders, ...customers, ...inventory, 'menu:read', 'users:manage']],
    ['Cashier', 'أمين الصندوق', ['orders:read', 'customers:read', 'menu:read']],
    ['Kitchen Lead', 'رئيس المطبخ', ['inventory_items:read', ...menu, ...other]],
    ['Warehouse Keeper', 'أمين المستودع', inventory.filter((name) => !name.startsWith('cost_adjustment'))],
    ['Accountant', 'محاسب', ['orders:read', 'order_transactions:read', 'cost:manage', 'settings:read']],
    ['Administrator', 'مدير النظام', [...menu, ...admin]],
  ];
  return new Map(
    roles.map(([name, name_localized, allowed]) => [
      name,
      writer.add('roles', { name, name_localized, authorities: allowed }),
    ]),
  );
}
