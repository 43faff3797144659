/** Payment methods: ways to pay for orders. */
import { boolean, choice, code, integer } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** Either scope allows writes; `orders.limited.pay` allows only methods of third parties. */
const scope = ['admin.write', 'orders.limited.pay'] as const;

/** The fields, filters and operations of payment methods. */
export const paymentMethods = resource({
  path: '/payment_methods',
  one: 'payment-method',
  group: 'account',
  summary: 'Payment methods for orders',
  key: ['code', 'name'],
  exampleKey: 'Cash',
  exampleKeyField: 'name',
  columns: ['id', 'name', 'name_localized', 'code', 'type', 'is_active', 'auto_open_drawer'],
  fields: () => ({
    id,
    name: name.required().writable().example('Courier App'),
    name_localized: nameLocalized.writable().example('تطبيق التوصيل'),
    code: code().writable().describe('Your own code').example('COURIER'),
    auto_open_drawer: boolean()
      .writable()
      .describe('Whether the cash drawer opens automatically')
      .example(false),
    // API document, "Payment Method": gift cards and house accounts can't be created through the API.
    type: choice({ cash: 1, card: 2, other: 3, 'gift card': 4, 'house account': 5, '3rd party': 7 })
      .required()
      .immutable()
      .creatable(1, 2, 3, 7)
      .limitedByScope('orders.limited.pay', 7)
      .describe('Payment type; set at creation')
      .example(7),
    is_active: boolean()
      .writable()
      .formDefault(true)
      .describe('Whether the method can be used')
      .example(true),
    index: integer().updatable().describe('Position in the list of methods').example(8),
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
