import { expect, test } from 'vitest';
import { formatHint } from '../../src/base/hint.ts';
import { operation } from '../../src/contract/operation.ts';
import { consequenceOf } from '../../src/reference/operation-summary.ts';
import { addresses } from '../../src/resources/addresses.ts';
import { suppliers } from '../../src/resources/suppliers.ts';

const messageOf = (...[resource, verb]: Parameters<typeof operation>) => {
  const found = operation(resource, verb);
  const words = found && consequenceOf(found);
  return words && formatHint(words);
};

test('consequence of a delete: names the command that restores, or says that none does', () => {
  expect(messageOf(suppliers, 'delete')).toBe('Suppliers can be restored: boh suppliers restore ID');
  expect(messageOf(addresses, 'delete')).toBe("Addresses can't be restored.");
});

test('consequence of other operations: is undefined', () => {
  expect(messageOf(suppliers, 'restore')).toBeUndefined();
  expect(messageOf(suppliers, 'unlink-item')).toBeUndefined();
});
