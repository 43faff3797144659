/** Payment methods: how orders can be paid. */
import { boolean, choice, integer, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** Either scope opens the writes; with `orders.limited.pay` alone only those of third parties. */
const scope = ['admin.write', 'orders.limited.pay'] as const;

export const paymentMethods = resource({
  path: '/payment_methods',
  one: 'payment-method',
  group: 'account',
  summary: 'Ways to pay for an order',
  key: ['code', 'name'],
  known: 'Cash',
  knownBy: 'name',
  columns: ['id', 'name', 'name_localized', 'code', 'type', 'is_active', 'auto_open_drawer'],
  fields: () => ({
    id,
    name: name.required().writable().example('Courier App'),
    name_localized: nameLocalized.writable().example('تطبيق التوصيل'),
    code: text().writable().about('A code of your own').example('COURIER'),
    auto_open_drawer: boolean().writable().about('Whether the cash drawer opens by itself').example(false),
    // Document, "Payment Method": gift cards and house accounts can't be created through the API.
    type: choice({ cash: 1, card: 2, other: 3, 'gift card': 4, 'house account': 5, '3rd party': 7 })
      .required()
      .immutable()
      .creatable(1, 2, 3, 7)
      .limitedTo('orders.limited.pay', 7)
      .about('The kind of payment; set at creation')
      .example(7),
    is_active: boolean().writable().usually(true).about('Whether it can be used').example(true),
    index: integer().updatable().about('Its place in the order they are shown').example(8),
    ...timestamps,
  }),
  list: {
    scope: 'general.read',
    filters: [
      'id',
      'name',
      'name_localized',
      'code',
      'is_active',
      'type',
      'auto_open_drawer',
      ...dateFilters,
    ],
  },
  get: { scope: 'general.read' },
  create: { scope },
  update: { scope },
  delete: { scope },
  restore: { scope: 'admin.restore' },
});
