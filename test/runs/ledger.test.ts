import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import { isRunId, newRunId } from '../../src/engine/runs/ledger/run-id.ts';
import { createRunLedger, deleteOldRuns, listRunIds, openRun } from '../../src/engine/runs/ledger/runs.ts';
import { msUntilWindow, parseTimeWindow } from '../../src/engine/runs/time-window.ts';

function openFolder(): { folder: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'boh-ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: join(folder, 'run.sqlite') };
}

const step = { resource: 'customers', verb: 'create', ids: [], body: { name: 'x' } };

function createLedger(file: string, count: number): Ledger {
  const ledger = new Ledger(file).acquireLock();
  ledger.add(
    Array.from({ length: count }, (_, index) => ({
      line: index + 2,
      key: `k${index}`,
      state: 'planned' as const,
      action: 'create' as const,
      steps: [step],
    })),
  );
  return ledger;
}

describe('a ledger', () => {
  test('is readable by its user only, and locked by one process at a time', () => {
    const { file } = openFolder();
    const ledger = createLedger(file, 3);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(() => new Ledger(file).acquireLock()).toThrow('Another process is using this run');
    // Readers don't block any process.
    const reader = new Ledger(file);
    expect(reader.count('planned')).toBe(3);
    reader.close();
    ledger.close();
    new Ledger(file).acquireLock().close();
  });

  test('contains delayed changes when it is read, and after it is closed', () => {
    const { file } = openFolder();
    const ledger = createLedger(file, 2);
    ledger.changeLater(1, { state: 'done', id: '42' });
    expect(ledger.count('done')).toBe(1);
    ledger.changeLater(2, { state: 'done', id: '43' });
    ledger.close();
    const reopened = new Ledger(file);
    expect([...reopened.rows('done')].map(({ id }) => id)).toEqual(['42', '43']);
    reopened.close();
  });

  test('after a power failure: rows that may have been sent become unknown, and no others', () => {
    const { file } = openFolder();
    const ledger = createLedger(file, 10);
    ledger.recordBoot();
    ledger.writeAhead([...ledger.rowsToSend()].slice(0, 4), 1);
    ledger.change(1, { state: 'done', id: '1' });
    // Only the watermark was synced: the other changes of these rows are lost.
    for (const seq of [2, 3, 4]) ledger.change(seq, { state: 'planned' });
    ledger.recover();
    expect(ledger.count('unknown')).toBe(0);
    // The machine was restarted: the newest writes may be lost.
    ledger.setProperty('boot', 'another start');
    ledger.recover();
    expect([...ledger.rows('unknown')].map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect(ledger.count('planned')).toBe(6);
    ledger.close();
  });

  test('returns its rows in order, even if they change during the iteration', () => {
    const { file } = openFolder();
    const ledger = createLedger(file, 1200);
    const readLines: number[] = [];
    for (const row of ledger.rowsToSend()) {
      readLines.push(row.seq);
      ledger.change(row.seq, { state: 'done' });
    }
    expect(readLines).toEqual(Array.from({ length: 1200 }, (_, index) => index + 1));
    ledger.close();
  });
});

describe('runs', () => {
  test('have different ids if they begin in the same millisecond', () => {
    const ids = Array.from({ length: 100 }, () => newRunId(new Date(0)));
    expect(new Set(ids).size).toBe(100);
    expect(ids.filter((id) => !isRunId(id))).toEqual([]);
  });

  test('are listed newest first, and deleted when they are old', () => {
    const { folder } = openFolder();
    const day = 86_400_000;
    const now = Date.now();
    const ids = ['finished', 'unfinished', 'planned'].map((state, index) => {
      const id = newRunId(new Date(now - index * 1000));
      const ledger = createRunLedger(folder, id);
      ledger.setProperty('state', state);
      ledger.close();
      return id;
    });
    expect(listRunIds(folder)).toEqual(ids);
    deleteOldRuns(folder, new Date(now + 2 * day));
    expect(listRunIds(folder)).toEqual(ids.slice(0, 2));
    deleteOldRuns(folder, new Date(now + 31 * day));
    expect(listRunIds(folder)).toEqual(ids.slice(1, 2));
    deleteOldRuns(folder, new Date(now + 181 * day));
    expect(listRunIds(folder)).toEqual([]);
    expect(() => openRun(folder, ids[0] ?? '')).toThrow('not found');
    expect(() => openRun(folder, '../x')).toThrow('not found');
  });
});

test.each([
  ['23:00-06:00', '22:00', 60],
  ['23:00-06:00', '23:00', 0],
  ['23:00-06:00', '05:59', 0],
  ['23:00-06:00', '06:00', 17 * 60],
  ['09:00-17:30', '08:15', 45],
  ['09:00-17:30', '17:30', 15 * 60 + 30],
])('--between %s at %s: waits for %i minutes', (hours, time, minutes) => {
  const now = new Date(`2026-11-20T${time}:00`);
  expect(msUntilWindow(parseTimeWindow(hours), now)).toBe(minutes * 60_000);
});

test.each(['23:00', '25:00-06:00', '6-7', '06:00-06:00', 'night'])('--between %s: is refused', (hours) => {
  expect(() => parseTimeWindow(hours)).toThrow('--between must be two times of day');
});
