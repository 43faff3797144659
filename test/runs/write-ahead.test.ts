/** The write-ahead log records a batch of rows as sent before the first row is sent, and resets rows that weren't sent. */
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import type { LedgerRow } from '../../src/engine/runs/ledger/row.ts';
import { maxBatchRows, WriteAhead } from '../../src/engine/runs/write-ahead.ts';

function openPlannedLedger(
  count: number,
  announce: (rows: readonly LedgerRow[]) => Promise<void> = async () => {},
) {
  const ledger = new Ledger(':memory:');
  onTestFinished(() => ledger.close());
  ledger.add(
    Array.from({ length: count }, (_, index) => ({
      line: index + 2,
      key: `${index}`,
      state: 'planned' as const,
    })),
  );
  const rows = [...ledger.rowsToSend()];
  const announced: number[][] = [];
  const writeAhead = new WriteAhead({
    ledger,
    upcoming: () => rows,
    announce: async (batch, recordRows) => {
      // The ledger doesn't contain the batch before all observers have recorded it.
      expect(sentIn(ledger)).not.toContain(batch[0]?.seq);
      await announce(batch);
      recordRows(() => undefined);
      announced.push(batch.map(({ seq }) => seq));
    },
    now: () => 1,
  });
  return { ledger, rows, announced, writeAhead, record: () => writeAhead.record(rows.shift() as LedgerRow) };
}

const sentIn = (ledger: Ledger) => [...ledger.rows('sent')].map(({ seq }) => seq);
const from = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('write-ahead: a batch is announced once and recorded completely before its first row is sent', async () => {
  const { ledger, announced, record } = openPlannedLedger(40);
  for (let row = 1; row <= 40; row++) {
    await record();
    expect(sentIn(ledger)).toContain(row);
    expect(sentIn(ledger).length - row).toBeLessThan(maxBatchRows);
  }
  expect(announced.flat()).toEqual(from(1, 40));
});

test('write-ahead: rows that were recorded and not sent are planned again when the run has stopped', async () => {
  const { ledger, record, writeAhead } = openPlannedLedger(30);
  for (let count = 0; count < 10; count++) await record();
  writeAhead.resetUnsent();
  expect(sentIn(ledger)).toEqual(from(1, 10));
  expect(ledger.count('planned')).toBe(20);
});

test('write-ahead: a batch that an observer rejects is not recorded, and its other rows are announced again', async () => {
  const { ledger, announced, record } = openPlannedLedger(20, async ([first]) => {
    if (first?.seq === 1) throw new Error('refused');
  });
  await expect(record()).rejects.toThrow('refused');
  expect(sentIn(ledger)).toEqual([]);
  await record();
  expect(announced).toEqual([sentIn(ledger)]);
  expect(sentIn(ledger)[0]).toBe(2);
});

test('write-ahead: the next step of a row is recorded alone if the rows after it are recorded already', async () => {
  const { ledger, announced, record, rows, writeAhead } = openPlannedLedger(20);
  const firstRow = rows[0] as LedgerRow;
  await record();
  ledger.change(1, { state: 'planned', step: 1 });
  await writeAhead.record(firstRow);
  expect(announced.slice(1)).toEqual([[1]]);
  expect(sentIn(ledger)).toEqual(announced[0]);
});
