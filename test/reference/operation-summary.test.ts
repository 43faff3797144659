import { expect, test } from 'vitest';
import { formatHint } from '../../src/base/hint.ts';
import { operation } from '../../src/contract/operation.ts';
import { consequenceOf } from '../../src/reference/operation-summary.ts';
import { addresses } from '../../src/resources/addresses.ts';
import { suppliers } from '../../src/resources/suppliers.ts';

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
