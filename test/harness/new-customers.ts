/** Writes that make customers, for tests of what keeps writes: what they need of an account, which is next to nothing. */
import { operation } from '../../src/contract/operation.ts';
import { customers } from '../../src/resources/customers.ts';
import type { WriteReader } from '../../src/session/write.ts';

const found = operation(customers, 'create');
if (!found) throw new Error('customers can’t be made');
export const createCustomer = found;

export const readerOfNothing: WriteReader = {
  get: () => Promise.reject(new Error('nothing is read of a new record')),
  whoami: async () => undefined,
  accountKey: async () => 'an account',
};
