/** Tests runs at a service that redirects writes: the run stops immediately, keeps all rows and can be resumed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/engine/runs/ledger/ledger.ts';
import { startService } from './start-service.ts';

const names = Array.from({ length: 40 }, (_, index) => `Category ${String(index).padStart(2, '0')}`);

function openPlannedRun(): Ledger {
  const folder = mkdtempSync(join(tmpdir(), 'boh-redirected-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const ledger = new Ledger(join(folder, 'run.sqlite'));
  onTestFinished(() => ledger.close());
  const resource = 'inventory_item_categories';
  ledger.add(
    names.map((name) => ({
      line: null,
      key: name,
      resource,
      state: 'planned' as const,
      action: 'create' as const,
      steps: [{ resource, verb: 'create', ids: [], body: { name } }],
    })),
  );
  return ledger;
}

test.each([
  [301, 'planned'],
  [302, 'unknown'],
  [303, 'unknown'],
  [307, 'planned'],
  [308, 'planned'],
  [407, 'planned'],
])(
  'run after status %d: completes only requests in progress, without a pause, and rows become %s',
  async (status, state) => {
    const ledger = openPlannedRun();
    let [isRedirecting, redirectedCount] = [true, 0];
    const { run, names: recordNames } = await startService((body) => {
      const isAfterTen = body !== '' && names.indexOf(JSON.parse(body).name) >= 10;
      if (!isRedirecting || !isAfterTen) return undefined;
      redirectedCount++;
      return { status, headers: { location: 'https://other.example.com/' }, body: '' };
    });
    const waits: string[] = [];
    const results = await run(ledger, { onWait: (reason) => waits.push(reason) });
    expect(waits).toEqual([]);
    expect(redirectedCount).toBeLessThanOrEqual(4);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(ledger.count(state === 'unknown' ? 'unknown' : 'planned')).toBeGreaterThan(0);
    isRedirecting = false;
    await run(ledger);
    expect(recordNames('/inventory_item_categories')).toEqual(names);
  },
);

test('run after status 425: sends the row again', async () => {
  const ledger = openPlannedRun();
  const rejectedBodies = new Set<string>();
  const { run, names: recordNames } = await startService((body) => {
    const isThird = body !== '' && names.indexOf(JSON.parse(body).name) % 3 === 2;
    if (!isThird || rejectedBodies.has(body)) return undefined;
    rejectedBodies.add(body);
    return { status: 425, headers: {}, body: '' };
  });
  const results = await run(ledger);
  expect(rejectedBodies.size).toBe(13);
  expect(results.map(({ outcome }) => outcome)).toEqual(names.map(() => 'done'));
  expect(recordNames('/inventory_item_categories')).toEqual(names);
});
