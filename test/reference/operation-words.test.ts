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

test('of a delete it is said whether it can be undone, and how', () => {
  expect(outlookOf(suppliers, 'delete')).toBe('Suppliers can be restored: boh suppliers restore ID');
  expect(outlookOf(addresses, 'delete')).toBe('Addresses can’t be restored.');
});

test('other operations need no such word', () => {
  expect(outlookOf(suppliers, 'restore')).toBeUndefined();
  expect(outlookOf(suppliers, 'unlink-item')).toBeUndefined();
});
