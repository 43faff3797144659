/** Lists the scopes of the API document with their descriptions. */

/** The scopes with what each allows an application to do. No scope implies another one. API document: "Authentication", 6. */
export const scopes = {
  'general.read': 'Read the menu, taxes, tags, payment methods, sections and delivery zones',
  'orders.list': 'Read the list of orders',
  'orders.limited.pay': 'Manage payment methods of third parties',
  'customers.list': 'Read the list of customers and their addresses',
  'customers.get': 'Read a single customer or address',
  'customers.write': 'Create and change customers and addresses',
  'customers.accounts.read': 'Read house account limits and balances',
  'customers.accounts.write': 'Change house accounts and their limits',
  'customers.loyalty.read': 'Read loyalty balances, transactions and rewards',
  'customers.loyalty.write': 'Change who is enrolled in loyalty, and redeem rewards',
  'users.read': 'Read users and roles',
  'users.write': 'Create, change and delete users and roles',
  'menu.write': 'Change categories, groups and modifiers',
  'tables.write': 'Change dine-in sections',
  'tags.write': 'Create tags',
  'admin.write':
    'Change gift cards, payment methods, taxes, tags, delivery zones and timed events, and delete customers',
  'admin.restore': 'Restore deleted records',
  'inventory.settings.read': 'Read inventory items, their categories and suppliers',
  'inventory.settings.write': 'Change inventory items, their categories and suppliers',
  'inventory.transactions.read': 'Read inventory counts, cost adjustments and transfer orders',
  'inventory.transactions.write': 'Change inventory counts, cost adjustments and transfer orders',
} as const;

/** A scope of the API document. */
export type Scope = keyof typeof scopes;

/** All scopes of the API document. */
export const scopeNames = Object.keys(scopes) as Scope[];
