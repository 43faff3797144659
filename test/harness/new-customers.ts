/** Writes that create customers, for tests of the history and other observers of writes. */

import type { HttpRequest } from '../../src/account/client/transport.ts';
import {
  ObservedWrites,
  type WriteObserver,
  type WriteReader,
} from '../../src/account/session/observed-writes.ts';
import type { Call } from '../../src/account/session/row.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { customers } from '../../src/api/resources/customers.ts';

const creation = operation(customers, 'create');
if (!creation) throw new Error('The API has no operation that creates customers.');
export const createCustomer = creation;

export const emptyReader: WriteReader = {
  get: () => Promise.reject(new Error('A new record has no earlier state to read.')),
  account: async () => ({ service: 'a service', user: {} }),
};

/** Returns the writes of a session with these observers, which read nothing from the account. */
export function observedWrites(
  observers: readonly WriteObserver[],
  requestFor: (call: Call) => HttpRequest,
): ObservedWrites {
  return new ObservedWrites({
    observers,
    reader: emptyReader,
    requestFor,
    isPlanned: () => true,
  });
}
