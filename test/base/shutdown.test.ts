/** How long a run may take to end after its deadline, measured with a fake clock. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { handleSignals } from '../../src/base/shutdown.ts';
import { freezeTimers } from '../harness/wait-until.ts';

/** Starts a run with a deadline of one second. `isOver` is true once the run is abandoned. */
function endedRun() {
  freezeTimers();
  const ending = handleSignals();
  onTestFinished(() => ending.stop());
  const run = { ending, isOver: false };
  ending.forcedExit.catch(() => {
    run.isOver = true;
  });
  ending.shutDownAfter(1000, new Failure('unavailable', 'It took too long.'));
  return run;
}

test('ending: work that ignores the signal is abandoned after 0.4 seconds', async () => {
  const run = endedRun();
  await vi.advanceTimersByTimeAsync(999);
  expect(run.ending.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.ending.signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(399);
  expect(run.isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(run.isOver).toBe(true);
});

test('ending: while another program is in the foreground, nothing is abandoned', async () => {
  const run = endedRun();
  const { promise: program, resolve } = Promise.withResolvers<void>();
  const yielded = run.ending.waitForForeground(program);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([run.ending.signal.aborted, run.isOver]).toEqual([true, false]);
  resolve();
  await yielded;
});
