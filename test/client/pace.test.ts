import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pace } from '../../src/account/client/pace.ts';
import type { Clock } from '../../src/account/client/retry.ts';
import { parseLimit, type RequestLimit } from '../../src/account/pace/limit.ts';
import { openPace } from '../../src/account/pace/pace.ts';
import { RateLimit } from '../../src/sandbox/faults/limits.ts';

/** Creates a service with a rate limit, a fake clock that waits advance, and any number of processes. */
function createService(perMinute: number, { tells: reportsLimit = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'boh-pace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const limit = new RateLimit(perMinute);
  let now = Date.parse('2026-11-20T12:00:00Z');
  const waits: string[] = [];
  const clock: Clock = {
    now: () => now,
    random: () => 0.5,
    sleep: async (ms) => {
      now += ms;
    },
  };
  const refusals: number[] = [];
  const open = (configuredLimit?: RequestLimit): Pace =>
    openPace({
      file: join(folder, 'pace.sqlite'),
      key: 'token',
      configuredLimit: configuredLimit,
      clock,
      onWait: (text) => waits.push(text),
    });
  /** Sends one request, and repeats it if it is refused. */
  const send = async (pace: Pace): Promise<void> => {
    const turn = await pace.turn();
    now += 20;
    const { isOverLimit, headers } = limit.countRequest('token', now);
    now += 20;
    if (isOverLimit) refusals.push(now);
    const reportedHeaders = reportsLimit ? headers : { 'retry-after': headers['retry-after'] ?? '' };
    turn.end({ status: isOverLimit ? 429 : 200, headers: reportedHeaders });
    // The budget is updated before the next request is sent.
    await new Promise((resolve) => setImmediate(resolve));
    if (isOverLimit) await send(pace);
  };
  /** Sets the clock of the machine forward or back. */
  const setClock = (ms: number) => {
    now += ms;
  };
  const file = join(folder, 'pace.sqlite');
  return {
    open,
    send,
    refusals,
    waits,
    elapsed: (from: number) => now - from,
    now: () => now,
    setClock,
    file,
  };
}

test.each([30, 90])(
  'a reported limit of %i requests a minute: is used to at least 98 %%, without a refusal',
  async (perMinute) => {
    const { open, send, refusals, waits, elapsed, now } = createService(perMinute);
    const pace = open();
    const [count, from] = [perMinute * 10, now()];
    for (let request = 0; request <= count; request++) await send(pace);
    expect(refusals).toEqual([]);
    // The first and the last request are ten windows apart.
    expect(elapsed(from) / 60_000).toBeGreaterThanOrEqual(10);
    expect(elapsed(from) / 60_000).toBeLessThan(10.2);
    expect(waits[0]).toMatch(
      /^Waiting \d+ seconds, until \d\d:\d\d:\d\d: the limit is \d+ requests a minute\.$/,
    );
  },
);

test('several processes with the same token: share its limit', async () => {
  const { open, send, refusals } = createService(30);
  const paces = [open(), open(), open()];
  for (let round = 0; round < 60; round++) for (const pace of paces) await send(pace);
  expect(refusals).toEqual([]);
});

test('a service that reports no limit: the limit is inferred from two refusals', async () => {
  const { open, send, refusals } = createService(60, { tells: false });
  const pace = open();
  for (let request = 0; request < 60 * 6; request++) await send(pace);
  expect(refusals.length).toBe(2);
  const other = open();
  for (let count = 0; count < 60 * 2; count++) await send(other);
  expect(refusals.length).toBe(2);
});

test('the limits of the setting and the service: the lower one applies', async () => {
  const { open, send, refusals, elapsed, now } = createService(90);
  const slow = open(parseLimit('30/min'));
  const from = now();
  for (let request = 0; request <= 60; request++) await send(slow);
  expect(elapsed(from)).toBeGreaterThanOrEqual(120_000);
  const fast = open(parseLimit('1000/min'));
  for (let count = 0; count < 300; count++) await send(fast);
  expect(refusals).toEqual([]);
});

test('a pause that the service requests: is kept by all processes', async () => {
  const { open, now } = createService(90);
  const [pace, other] = [open(), open()];
  const requestedAt = now();
  (await pace.turn()).end({ status: 429, headers: { 'retry-after': '120' } });
  await new Promise((resolve) => setImmediate(resolve));
  (await pace.turn()).end();
  expect(now() - requestedAt).toBeGreaterThanOrEqual(120_000);
  (await other.turn()).end();
  const again = await pace.turn();
  again.end({ status: 429, headers: { 'retry-after': '3000' } });
  await new Promise((resolve) => setImmediate(resolve));
  await expect(open().turn()).rejects.toMatchObject({
    category: 'rate_limited',
    details: { retryAfterSeconds: 3000 },
  });
});

const hourMs = 3_600_000;

describe('a clock that is set back', () => {
  test.each([hourMs / 2, hourMs, 24 * hourMs, 365 * 24 * hourMs])(
    'by %i ms: a pause of the service is not extended',
    async (backMs) => {
      const { open, now, setClock } = createService(90);
      const pace = open();
      (await pace.turn()).end({ status: 429, headers: { 'retry-after': '120' } });
      await new Promise((resolve) => setImmediate(resolve));
      setClock(-backMs);
      const from = now();
      (await open().turn()).end();
      expect(now() - from).toBeLessThanOrEqual(120_000);
    },
  );

  test('a limit is kept, without a wait longer than its window', async () => {
    const { open, send, refusals, elapsed, now, setClock } = createService(30);
    const pace = open();
    for (let request = 0; request < 45; request++) await send(pace);
    setClock(-24 * hourMs);
    const from = now();
    for (let count = 0; count < 30; count++) await send(open());
    expect(elapsed(from)).toBeLessThan(2 * 60_000);
    expect(refusals.length).toBeLessThanOrEqual(1);
  });
});

test('a canceled wait: its slot is released', async () => {
  const { open, now } = createService(90);
  const pace = open(parseLimit('1/h'));
  (await pace.turn()).end();
  const controller = new AbortController();
  controller.abort(new Error('stopped'));
  await expect(pace.turn(controller.signal)).rejects.toThrow('stopped');
  const before = now();
  (await pace.turn()).end();
  expect(now() - before).toBeLessThan(3_700_000);
});

test('estimate: returns the duration of requests if a limit is known', async () => {
  const { open, send } = createService(90);
  const pace = open();
  expect(pace.estimate(1000)).toBeUndefined();
  await send(pace);
  expect(pace.describeLimit()).toBe('90 requests a minute');
  expect(pace.estimate(50)).toBe(0);
  expect(pace.estimate(899)).toBe(540_000);
});
