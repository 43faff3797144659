/** The scopes that the document names, each with what it lets an application do, in words for people. */

/** Document: "Authentication", 6. Which scope implies another is not shown, so none does. */
export const scopes = {
  'general.read': 'See the menu, taxes, tags, payment methods, sections and delivery zones',
  'orders.list': 'See the list of orders',
  'orders.limited.pay': 'Manage payment methods of third parties',
  'customers.list': 'See the list of customers and their addresses',
  'customers.get': 'See a single customer or address',
  'customers.write': 'Add and change customers and addresses',
  'customers.accounts.read': 'See house account limits and balances',
  'customers.accounts.write': 'Change house account limits and who has one',
  'customers.loyalty.read': 'See loyalty balances, transactions and rewards',
  'customers.loyalty.write': 'Change who takes part in loyalty, and use rewards',
  'users.read': 'See users and roles',
  'users.write': 'Add, change and delete users and roles',
  'menu.write': 'Change categories, groups and modifiers',
  'tables.write': 'Change dine-in sections',
  'tags.write': 'Add tags',
  'admin.write':
    'Change gift cards, payment methods, taxes, tags, delivery zones and timed events, and delete customers',
  'admin.restore': 'Bring deleted records back',
  'inventory.settings.read': 'See inventory items, their categories and suppliers',
  'inventory.settings.write': 'Change inventory items, their categories and suppliers',
  'inventory.transactions.read': 'See inventory counts, cost adjustments and transfer orders',
  'inventory.transactions.write': 'Change inventory counts, cost adjustments and transfer orders',
} as const;

export type Scope = keyof typeof scopes;

export const scopeNames = Object.keys(scopes) as Scope[];
