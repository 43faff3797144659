/** Any combination of the facts that differ between services, with random records: nothing is lost, changed or restored. */
import { describe, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { openOtherAccounts } from '../harness/other-service/accounts.ts';
import type { Facts } from '../harness/other-service/facts.ts';
import { roundTrips } from './round-trips.ts';

const facts: fc.Arbitrary<Partial<Facts>> = fc.record(
  {
    listsDeleted: fc.boolean(),
    deletedFilter: fc.constantFrom('include', 'only', 'ignored', 'refused'),
    relations: fc.constantFrom('links', 'document', 'include'),
    singleRelations: fc.constantFrom('links', 'document', 'include'),
    hasSingleOptions: fc.boolean(),
    namesAllowed: fc.boolean(),
    perPage: fc.constantFrom('ignored', 'accepted', 'capped'),
    totals: fc.constantFrom('all', 'next', 'none'),
    next: fc.constantFrom('complete', 'without filters'),
    put: fc.constantFrom('merge', 'replace'),
    hasUnlistedValues: fc.boolean(),
    hasUnlistedFields: fc.boolean(),
    unlistedFilters: fc.constantFrom('refused', 'ignored'),
    ids: fc.constantFrom('words', 'uuid', 'hex', 'underscore'),
    booleans: fc.constantFrom('booleans', 'numbers'),
    dialCodes: fc.constantFrom('numbers', 'text'),
    hasNullLevels: fc.boolean(),
    refusesEvery: fc.constantFrom(0, 5, 11),
    doneBody: fc.constantFrom('empty', 'no content', 'record'),
    whoami: fc.constantFrom(200, 403, 404),
    brokenLists: fc.constantFrom({}, { transfer_orders: 400 }, { loyalty_rewards: 404 }),
    hasLookupLists: fc.boolean(),
    pageSize: fc.integer({ min: 1, max: 8 }),
  },
  { requiredKeys: [] },
);

describe('a service with any facts', () => {
  test.each(Object.entries(roundTrips))('%s', async (_, roundTrip) => {
    await fc.assert(
      fc.asyncProperty(facts, fc.nat(99_999), fc.integer({ min: 1, max: 12 }), async (facts, seed, size) => {
        const accounts = await openOtherAccounts(facts, { seed, size });
        try {
          await roundTrip(accounts);
        } finally {
          await accounts.close();
        }
      }),
    );
  });
});
