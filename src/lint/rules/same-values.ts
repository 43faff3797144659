/** Rules for values that two records must not share. */

import type { Rule } from '../rule.ts';
import { sameValue } from '../rule-kinds.ts';

export const sameValueRules: readonly Rule[] = [
  sameValue({
    ...{ name: 'customer-same-email', severity: 'warning', resource: 'customers', field: 'email' },
    summary: 'Customers with the same email address',
    reason: 'Receipts of two records go to one person, who is probably one customer.',
    ...{ called: 'email address', examples: ['huda@example.com', 'omar@example.com'] },
  }),
  sameValue({
    ...{ name: 'user-email-twice', severity: 'error', resource: 'users', field: 'email' },
    summary: 'Users with the same email address',
    reason: 'Who signs in with it, and who gets the reset of the password, is left to chance.',
    ...{ called: 'email address', examples: ['sara@example.com', 'omar@example.com'] },
  }),
  sameValue({
    ...{ name: 'user-number-twice', severity: 'error', resource: 'users', field: 'number' },
    summary: 'Users with the same staff number',
    reason: 'Hours and sales of two people are mixed.',
    ...{ called: 'staff number', examples: ['1042', '1043'] },
  }),
  sameValue({
    ...{ name: 'gift-card-sku-twice', severity: 'error', resource: 'gift_card_products', field: 'sku' },
    summary: 'Gift cards with the same SKU',
    reason: 'A scanner sells the wrong one of them.',
    ...{ called: 'SKU', examples: ['GIFT-100', 'GIFT-250'] },
  }),
  sameValue({
    ...{ name: 'payment-method-code-twice', severity: 'error', resource: 'payment_methods', field: 'code' },
    summary: 'Payment methods with the same code',
    reason: "The books can't show which of them an order was paid with.",
    ...{ called: 'code', examples: ['CARD', 'COURIER'] },
  }),
  sameValue({
    ...{ name: 'item-sku-twice', severity: 'error', resource: 'inventory_items', field: 'sku' },
    summary: 'Inventory items with the same SKU',
    reason: 'Imports and scanners find the wrong one of them.',
    ...{ called: 'SKU', examples: ['SKU-001', 'SKU-002'] },
  }),
  sameValue({
    ...{ name: 'item-barcode-twice', severity: 'error', resource: 'inventory_items', field: 'barcode' },
    summary: 'Inventory items with the same barcode',
    reason: 'A scanner books the wrong item.',
    ...{ called: 'barcode', examples: ['6281000000001', '6281000000002'] },
  }),
  sameValue({
    ...{ name: 'supplier-code-twice', severity: 'error', resource: 'suppliers', field: 'code' },
    summary: 'Suppliers with the same code',
    reason: 'Imports and `@CODE` find either of them.',
    ...{ called: 'code', examples: ['SUP-01', 'SUP-02'] },
  }),
];
