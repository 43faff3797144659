/** How long a run that was told to end may still take, by a clock of the test's own. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { listenForEnding } from '../../src/base/ending.ts';
import { Failure } from '../../src/base/errors.ts';
import { holdTimers } from '../harness/until.ts';

/** A run that is told to end after a second; `isOver` once it is given up. */
function endedRun() {
  holdTimers();
  const ending = listenForEnding();
  onTestFinished(() => ending.stop());
  const run = { ending, isOver: false };
  ending.overdue.catch(() => {
    run.isOver = true;
  });
  ending.endAfter(1000, new Failure('unavailable', 'It took too long.'));
  return run;
}

test('ending: what heeds no signal is given up 0.4 seconds after it was told to end', async () => {
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

test('ending: while another program is in the foreground, nothing is given up', async () => {
  const run = endedRun();
  const { promise: program, resolve } = Promise.withResolvers<void>();
  const yielded = run.ending.yieldTo(program);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([run.ending.signal.aborted, run.isOver]).toEqual([true, false]);
  resolve();
  await yielded;
});
