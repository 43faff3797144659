/** A run that waits for the hours of --between releases its lock, so that other runs can write the same records. */
import { expect, test } from 'vitest';
import { createHoursGate } from '../../src/engine/runs/time-window.ts';

/** Returns a gate with a clock that returns these times in turn, and the list of its steps. */
function gateAt(...times: string[]) {
  const steps: string[] = [];
  const clockTimes = times.map((time) => new Date(`2026-11-24T${time}`));
  const lastTime = clockTimes.at(-1);
  const gate = createHoursGate('23:00-06:00', {
    now: () => (clockTimes.length > 1 ? clockTimes.shift() : lastTime) as Date,
    onWait: () => undefined,
    unlock: () => void steps.push('unlocked'),
    lock: async () => void steps.push('locked'),
  });
  const idle = async () => void steps.push('idle');
  return { steps, pass: () => gate(new AbortController().signal, idle) };
}

test('--between: outside its hours a run releases its lock after its last request, and acquires it again later', async () => {
  const { steps, pass } = gateAt('22:59:59.995', '22:59:59.996', '23:00:00');
  expect(await pass()).toBe(true);
  expect(steps).toEqual(['idle', 'unlocked', 'locked']);
});

test('--between: within its hours a run keeps its lock', async () => {
  const { steps, pass } = gateAt('23:00:01');
  expect(await pass()).toBe(false);
  expect(steps).toEqual([]);
});
