/** Tests the sandbox's clock: it runs, can be stopped and set, and timestamps of new records follow it. */
import { beforeEach, expect, it } from 'vitest';
import { hourMs } from '../../src/sandbox/calendar.ts';
import { type Client, openClient, startOfTests } from './client.ts';

let machineTimeMs = startOfTests;
let client: Client;
beforeEach(async () => {
  machineTimeMs = startOfTests;
  client = await openClient({ empty: true, machineClock: () => machineTimeMs });
  return () => client.sandbox.close();
});

const createTag = () => client.post('/tags', { name: 'A tag', type: 1 }).json.data.created_at;

it("clock: follows the machine's clock", () => {
  expect(createTag()).toBe('2026-11-20 12:00:00');
  machineTimeMs += hourMs;
  expect(createTag()).toBe('2026-11-20 13:00:00');
  expect(client.sandbox.clock.state()).toEqual({
    now: '2026-11-20 13:00:00',
    isFrozen: false,
    aheadSeconds: 0,
  });
});

it('clock: can be set, moved forward and reset', () => {
  const { clock } = client.sandbox;
  clock.set(Date.parse('2030-01-31T23:59:59Z'));
  expect(createTag()).toBe('2030-01-31 23:59:59');
  machineTimeMs += 1000;
  expect(createTag()).toBe('2030-02-01 00:00:00');
  clock.advance(26 * hourMs);
  expect(createTag()).toBe('2030-02-02 02:00:00');
  clock.reset();
  expect(createTag()).toBe('2026-11-20 12:00:01');
});

it('clock: stops while frozen, and then continues', () => {
  const { clock } = client.sandbox;
  clock.freeze();
  machineTimeMs += 5 * hourMs;
  expect(createTag()).toBe('2026-11-20 12:00:00');
  clock.advance(hourMs);
  expect(clock.state()).toMatchObject({ now: '2026-11-20 13:00:00', isFrozen: true });
  clock.unfreeze();
  machineTimeMs += hourMs;
  expect(createTag()).toBe('2026-11-20 14:00:00');
});

it('clock: refuses times outside of the supported years', () => {
  expect(() => client.sandbox.clock.advance(1e18)).toThrow('year');
  expect(() => client.sandbox.clock.set(Number.NaN)).toThrow('year');
  expect(createTag()).toBe('2026-11-20 12:00:00');
});
