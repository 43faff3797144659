/** Tests that rows without a key are not created again by a copy of an interrupted run, or by a plan of its rows. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { allNames, stage } from './staged-run.ts';

const count = 5;

/** Starts an import that stops at its third row. */
async function startStoppedRun() {
  const staged = await stage(['route: "POST /**", fault: status, status: 403, nth: [3]'], count);
  const ledger = join(staged.config, 'mine.ledger');
  const line = ['customers', 'import', staged.file, '--mode', 'create'];
  const stopped = await staged.boh(...line, '--yes', '--concurrency', '1', '--ledger', ledger);
  expect(stopped.exitCode, stopped.stderr).toBe(4);
  expect(await staged.names()).toHaveLength(2);
  return { ...staged, line, ledger };
}

test('an interrupted run whose ledger was copied: the copy creates nothing that the run has created since', async () => {
  const { boh, config, names, ledger } = await startStoppedRun();
  const copy = join(config, 'copy.ledger');
  copyFileSync(ledger, copy);
  const resumed = await boh('runs', 'resume', ledger);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect((await names()).sort()).toEqual(allNames(count));
  const repeated = await boh('runs', 'resume', copy);
  expect(repeated.exitCode, repeated.stderr).toBe(9);
  expect(repeated.stdout).toContain('with its values was created since the run was planned');
  expect((await names()).sort()).toEqual(allNames(count));
});

test('a saved plan of rows that an interrupted run has partly created: is refused, as the import is', async () => {
  const { boh, config, json, line, names } = await startStoppedRun();
  const [run] = await json('runs', 'list');
  const plan = join(config, 'a.plan');
  // Clocks may differ, so that records of the last minute count as created since the plan.
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect((await boh(...line, '--out', plan)).exitCode).toBe(0);
  const applied = await boh('apply', '--plan', plan, '--yes');
  expect([applied.exitCode, applied.stderr]).toEqual([2, expect.stringContaining(`Run ${run.id} already`)]);
  expect(await names()).toHaveLength(2);
});
