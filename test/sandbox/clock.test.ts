/** The sandbox's clock: it runs, stands, and is moved; everything goes by it. */
import { beforeEach, expect, it } from 'vitest';
import { hourLength } from '../../src/sandbox/calendar.ts';
import { type Client, openClient, startOfTests } from './client.ts';

let machine = startOfTests;
let client: Client;
beforeEach(async () => {
  machine = startOfTests;
  client = await openClient({ empty: true, machineClock: () => machine });
  return () => client.sandbox.close();
});

const now = () => client.post('/tags', { name: 'A tag', type: 1 }).json.data.created_at;

it('runs with the machine’s', () => {
  expect(now()).toBe('2026-11-20 12:00:00');
  machine += hourLength;
  expect(now()).toBe('2026-11-20 13:00:00');
  expect(client.sandbox.clock.state()).toEqual({
    now: '2026-11-20 13:00:00',
    isFrozen: false,
    aheadSeconds: 0,
  });
});

it('is set, moved on, and back to the machine’s', () => {
  const { clock } = client.sandbox;
  clock.set(Date.parse('2030-01-31T23:59:59Z'));
  expect(now()).toBe('2030-01-31 23:59:59');
  machine += 1000;
  expect(now()).toBe('2030-02-01 00:00:00');
  clock.advance(26 * hourLength);
  expect(now()).toBe('2030-02-02 02:00:00');
  clock.reset();
  expect(now()).toBe('2026-11-20 12:00:01');
});

it('stands while it is frozen, and goes on from there', () => {
  const { clock } = client.sandbox;
  clock.freeze();
  machine += 5 * hourLength;
  expect(now()).toBe('2026-11-20 12:00:00');
  clock.advance(hourLength);
  expect(clock.state()).toMatchObject({ now: '2026-11-20 13:00:00', isFrozen: true });
  clock.unfreeze();
  machine += hourLength;
  expect(now()).toBe('2026-11-20 14:00:00');
});

it('stays within the years that timestamps can be written in', () => {
  expect(() => client.sandbox.clock.advance(1e18)).toThrow('year');
  expect(() => client.sandbox.clock.set(Number.NaN)).toThrow('year');
  expect(now()).toBe('2026-11-20 12:00:00');
});
