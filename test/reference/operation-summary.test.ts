import { expect, test } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { consequenceOf } from '../../src/api/reference/operation-summary.ts';
import { addresses } from '../../src/api/resources/addresses.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { formatHint } from '../../src/base/hint.ts';

const messageOf = (...[resource, verb]: Parameters<typeof operation>) => {
  const resolvedOperation = operation(resource, verb);
  const words = resolvedOperation && consequenceOf(resolvedOperation);
  return words && formatHint(words);
};

test('consequenceOf a delete: returns the restore command, or that records can not be restored', () => {
  expect(messageOf(suppliers, 'delete')).toBe('Suppliers can be restored: boh suppliers restore ID');
  expect(messageOf(addresses, 'delete')).toBe("Addresses can't be restored.");
});

test('consequenceOf other operations: returns undefined', () => {
  expect(messageOf(suppliers, 'restore')).toBeUndefined();
  expect(messageOf(suppliers, 'unlink-item')).toBeUndefined();
});
