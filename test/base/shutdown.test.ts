/** Tests the time between a timeout and the forced exit, with fake timers. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { handleSignals } from '../../src/base/shutdown.ts';
import { freezeTimers } from '../harness/wait-until.ts';

/** Starts a run with a timeout of one second. `isForced` is true once the run is abandoned. */
function startRun() {
  freezeTimers();
  const shutdown = handleSignals();
  onTestFinished(() => shutdown.stop());
  const run = { shutdown, isForced: false };
  shutdown.forcedExit.catch(() => {
    run.isForced = true;
  });
  shutdown.shutDownAfter(1000, new Failure('unavailable', 'The run timed out.'));
  return run;
}

test('a timeout: work that ignores the signal is abandoned after 0.4 seconds', async () => {
  const run = startRun();
  await vi.advanceTimersByTimeAsync(999);
  expect(run.shutdown.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.shutdown.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(399);
  expect(run.isForced).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.isForced).toBe(true);
});

test('a timeout: nothing is abandoned while another program is in the foreground', async () => {
  const run = startRun();
  const { promise: program, resolve } = Promise.withResolvers<void>();
  const waiting = run.shutdown.waitForForeground(program);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([run.shutdown.signal.aborted, run.isForced]).toEqual([true, false]);
  resolve();
  await waiting;
});
