/** A service that redirects writes to another address: the run stops immediately, no row is lost, and the run can be resumed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger } from '../../src/runs/ledger/ledger.ts';
import { service } from './carrying-out.ts';

const names = Array.from({ length: 40 }, (_, at) => `Kind ${String(at).padStart(2, '0')}`);

function planned(): Ledger {
  const folder = mkdtempSync(join(tmpdir(), 'boh-elsewhere-'));
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
  'after a %d only requests in progress are completed, without any pause: rows are %s',
  async (status, state) => {
    const ledger = planned();
    let [isMoved, sentOn] = [true, 0];
    const { run, names: held } = await service((body) => {
      const isLate = body !== '' && names.indexOf(JSON.parse(body).name) >= 10;
      if (!isMoved || !isLate) return undefined;
      sentOn++;
      return { status, headers: { location: 'https://elsewhere.example.com/' }, body: '' };
    });
    const waits: string[] = [];
    const results = await run(ledger, { onWait: (reason) => waits.push(reason) });
    expect(waits).toEqual([]);
    expect(sentOn).toBeLessThanOrEqual(4);
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(ledger.count(state === 'unknown' ? 'unknown' : 'planned')).toBeGreaterThan(0);
    isMoved = false;
    await run(ledger);
    expect(held('/inventory_item_categories')).toEqual(names);
  },
);

test('a row that was rejected without an effect is sent again', async () => {
  const ledger = planned();
  const turnedAway = new Set<string>();
  const { run, names: held } = await service((body) => {
    const isThird = body !== '' && names.indexOf(JSON.parse(body).name) % 3 === 2;
    if (!isThird || turnedAway.has(body)) return undefined;
    turnedAway.add(body);
    return { status: 425, headers: {}, body: '' };
  });
  const results = await run(ledger);
  expect(turnedAway.size).toBe(13);
  expect(results.map(({ outcome }) => outcome)).toEqual(names.map(() => 'done'));
  expect(held('/inventory_item_categories')).toEqual(names);
});
