/** Rows are written down as sent before they leave: the next ones while requests are under way, and never more than a few. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Ledger } from '../../../src/bulk/ledger/ledger.ts';
import type { LedgerRow } from '../../../src/bulk/ledger/row.ts';
import { Departures } from '../../../src/bulk/run/departures.ts';

// On a busy machine nothing would be quick.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function planned(count: number): { ledger: Ledger; rows: LedgerRow[] } {
  const ledger = new Ledger(':memory:');
  onTestFinished(() => ledger.close());
  ledger.add(
    Array.from({ length: count }, (_, at) => ({ line: at + 2, key: `${at}`, state: 'planned' as const })),
  );
  return { ledger, rows: [...ledger.rowsToSend()] };
}

const sentIn = (ledger: Ledger) => [...ledger.rows('sent')].map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

test('the next rows are written down as soon as none is left that was, without a request that waits for it', async () => {
  const { ledger, rows } = planned(30);
  const departures = new Departures(ledger, () => rows);
  const depart = () => departures.depart(rows.shift() as LedgerRow, 1);
  depart();
  expect(sentIn(ledger)).toEqual([1]);
  depart();
  expect(sentIn(ledger)).toEqual(upTo(10));
  for (let count = 0; count < 8; count++) depart();
  expect(sentIn(ledger)).toEqual(upTo(10));
  await new Promise(setImmediate);
  expect(sentIn(ledger)).toEqual(upTo(18));
});

test('those that didn’t leave are planned again once the run has stopped, and no others are written down', async () => {
  const { ledger, rows } = planned(30);
  const departures = new Departures(ledger, () => rows);
  for (let count = 0; count < 10; count++) departures.depart(rows.shift() as LedgerRow, 1);
  departures.takeBack();
  await new Promise(setImmediate);
  expect(sentIn(ledger)).toEqual(upTo(10));
});

test('where requests are slow each row is written down by itself', () => {
  const { ledger, rows } = planned(3);
  const departures = new Departures(ledger, () => rows);
  departures.depart(rows.shift() as LedgerRow, 1);
  vi.advanceTimersByTime(30);
  departures.depart(rows.shift() as LedgerRow, 2);
  expect(sentIn(ledger)).toEqual([1, 2]);
});
