/** The sandbox's clock: it runs, stops and can be set, and everything follows it. */
import { beforeEach, expect, it } from 'vitest';
import { hourMs } from '../../src/sandbox/calendar.ts';
import { type Client, openClient, startOfTests } from './client.ts';

let machine = startOfTests;
let client: Client;
beforeEach(async () => {
  machine = startOfTests;
  client = await openClient({ empty: true, machineClock: () => machine });
  return () => client.sandbox.close();
});

const now = () => client.post('/tags', { name: 'A tag', type: 1 }).json.data.created_at;

it("clock: follows the machine's clock", () => {
  expect(now()).toBe('2026-11-20 12:00:00');
  machine += hourMs;
  expect(now()).toBe('2026-11-20 13:00:00');
  expect(client.sandbox.clock.state()).toEqual({
    now: '2026-11-20 13:00:00',
    isFrozen: false,
    aheadSeconds: 0,
  });
});

it('clock: can be set, moved forward and reset', () => {
  const { clock } = client.sandbox;
  clock.set(Date.parse('2030-01-31T23:59:59Z'));
  expect(now()).toBe('2030-01-31 23:59:59');
  machine += 1000;
  expect(now()).toBe('2030-02-01 00:00:00');
  clock.advance(26 * hourMs);
  expect(now()).toBe('2030-02-02 02:00:00');
  clock.reset();
  expect(now()).toBe('2026-11-20 12:00:01');
});

it('clock: stands still while frozen, and then runs on', () => {
  const { clock } = client.sandbox;
  clock.freeze();
  machine += 5 * hourMs;
  expect(now()).toBe('2026-11-20 12:00:00');
  clock.advance(hourMs);
  expect(clock.state()).toMatchObject({ now: '2026-11-20 13:00:00', isFrozen: true });
  clock.unfreeze();
  machine += hourMs;
  expect(now()).toBe('2026-11-20 14:00:00');
});

it("clock: refuses years that timestamps can't have", () => {
  expect(() => client.sandbox.clock.advance(1e18)).toThrow('year');
  expect(() => client.sandbox.clock.set(Number.NaN)).toThrow('year');
  expect(now()).toBe('2026-11-20 12:00:00');
});
