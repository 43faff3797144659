/** Each fact that differs between services, alone: an account survives every way of moving it. */
import { describe, onTestFinished, test } from 'vitest';
import { openOtherAccounts } from '../harness/other-service/accounts.ts';
import { singleFacts } from '../harness/other-service/facts.ts';
import { roundTrips } from './round-trips.ts';

describe.each(Object.entries(singleFacts))('a service with %s', (_, facts) => {
  test.each(Object.entries(roundTrips))('%s', async (_, roundTrip) => {
    const accounts = await openOtherAccounts(facts);
    onTestFinished(accounts.close);
    await roundTrip(accounts);
  });
});
