import { expect, test } from 'vitest';
import { hintText } from '../../src/base/hint.ts';
import { operation } from '../../src/contract/operation.ts';
import { outlook } from '../../src/reference/operation-words.ts';
import { addresses } from '../../src/resources/addresses.ts';
import { suppliers } from '../../src/resources/suppliers.ts';

const outlookOf = (...[resource, verb]: Parameters<typeof operation>) => {
  const found = operation(resource, verb);
  const words = found && outlook(found);
  return words && hintText(words);
};

test('outlook of a delete: names the command that restores, or says that none does', () => {
  expect(outlookOf(suppliers, 'delete')).toBe('Suppliers can be restored: boh suppliers restore ID');
  expect(outlookOf(addresses, 'delete')).toBe("Addresses can't be restored.");
});

test('outlook of other operations: is undefined', () => {
  expect(outlookOf(suppliers, 'restore')).toBeUndefined();
  expect(outlookOf(suppliers, 'unlink-item')).toBeUndefined();
});
