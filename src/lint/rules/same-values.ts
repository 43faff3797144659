/** Rules for values that two records must not share. */

import type { Rule } from '../rule.ts';
import { sameValue } from '../rule-kinds.ts';

export const sameValueRules: readonly Rule[] = [
  sameValue('customers', 'email', {
    ...{ name: 'customer-same-email', severity: 'warning', called: 'email address' },
    summary: 'Customers with the same email address',
    reason: 'Receipts of two records go to one person, who is probably one customer.',
    examples: ['huda@example.com', 'omar@example.com'],
  }),
  sameValue('users', 'email', {
    ...{ name: 'user-email-twice', severity: 'error', called: 'email address' },
    summary: 'Users with the same email address',
    reason: 'Who signs in with it, and who gets the reset of the password, is left to chance.',
    examples: ['sara@example.com', 'omar@example.com'],
  }),
  sameValue('inventory_items', 'sku', {
    ...{ name: 'item-sku-twice', severity: 'error', called: 'SKU' },
    summary: 'Inventory items with the same SKU',
    reason: 'Imports and scanners find the wrong one of them.',
    examples: ['SKU-001', 'SKU-002'],
  }),
  sameValue('inventory_items', 'barcode', {
    ...{ name: 'item-barcode-twice', severity: 'error', called: 'barcode' },
    summary: 'Inventory items with the same barcode',
    reason: 'A scanner books the wrong item.',
    examples: ['6281000000001', '6281000000002'],
  }),
];
