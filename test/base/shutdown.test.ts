/** How long a run may take to end after its deadline, measured with a fake clock. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { listenForEnding } from '../../src/base/shutdown.ts';
import { freezeTimers } from '../harness/until.ts';

/** Starts a run with a deadline of one second. `isOver` is true once the run is abandoned. */
function endedRun() {
  freezeTimers();
  const ending = listenForEnding();
  onTestFinished(() => ending.stop());
  const run = { ending, isOver: false };
  ending.overdue.catch(() => {
    run.isOver = true;
  });
  ending.endAfter(1000, new Failure('unavailable', 'It took too long.'));
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
  const yielded = run.ending.yieldTo(program);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([run.ending.signal.aborted, run.isOver]).toEqual([true, false]);
  resolve();
  await yielded;
});
