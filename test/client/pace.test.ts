import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pace } from '../../src/client/pace.ts';
import type { Clock } from '../../src/client/retry.ts';
import { parseLimit, type RequestLimit } from '../../src/pace/limit.ts';
import { openPace } from '../../src/pace/pace.ts';
import { RateLimit } from '../../src/sandbox/faults/rate-limit.ts';
import { fileFormats } from '../../src/storage/formats.ts';

/** A service that counts as deployments do, a clock that sleeping moves on, and as many processes as are wanted. */
function service(perMinute: number, { tells = true } = {}) {
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
  const open = (own?: RequestLimit): Pace =>
    openPace({
      file: join(folder, 'pace.sqlite'),
      key: 'token',
      configuredLimit: own,
      clock,
      onWait: (text) => waits.push(text),
    });
  /** One request: when it left, and whether the service took it. */
  const send = async (pace: Pace): Promise<void> => {
    const turn = await pace.turn();
    now += 20;
    const { isOverLimit, headers } = limit.countRequest('token', now);
    now += 20;
    if (isOverLimit) refusals.push(now);
    const shown = tells ? headers : { 'retry-after': headers['retry-after'] ?? '' };
    turn.end({ status: isOverLimit ? 429 : 200, headers: shown });
    // What is learnt is written before the next one leaves.
    await new Promise((resolve) => setImmediate(resolve));
    if (isOverLimit) await send(pace);
  };
  /** Sets the clock of the machine forward or back; the service's own continues. */
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
  'a limit of %i a minute that answers report is kept to within 2 %%, without a refusal',
  async (perMinute) => {
    const { open, send, refusals, waits, elapsed, now } = service(perMinute);
    const pace = open();
    const [count, from] = [perMinute * 10, now()];
    for (let one = 0; one <= count; one++) await send(pace);
    expect(refusals).toEqual([]);
    // Ten windows lie between the first request and the last.
    expect(elapsed(from) / 60_000).toBeGreaterThanOrEqual(10);
    expect(elapsed(from) / 60_000).toBeLessThan(10.2);
    expect(waits[0]).toMatch(
      /^Waiting \d+ seconds, until \d\d:\d\d:\d\d: the limit is \d+ requests a minute\.$/,
    );
  },
);

test('processes with one token share its limit', async () => {
  const { open, send, refusals } = service(30);
  const paces = [open(), open(), open()];
  for (let round = 0; round < 60; round++) for (const pace of paces) await send(pace);
  expect(refusals).toEqual([]);
});

test('a service that reports no limit: the limit is learned from two refusals', async () => {
  const { open, send, refusals } = service(60, { tells: false });
  const pace = open();
  for (let one = 0; one < 60 * 6; one++) await send(pace);
  expect(refusals.length).toBe(2);
  const other = open();
  for (let one = 0; one < 60 * 2; one++) await send(other);
  expect(refusals.length).toBe(2);
});

test('the lower limit counts: that of the setting or that of the service', async () => {
  const { open, send, refusals, elapsed, now } = service(90);
  const slow = open(parseLimit('30/min'));
  const from = now();
  for (let one = 0; one <= 60; one++) await send(slow);
  expect(elapsed(from)).toBeGreaterThanOrEqual(120_000);
  const fast = open(parseLimit('1000/min'));
  for (let one = 0; one < 300; one++) await send(fast);
  expect(refusals).toEqual([]);
});

test('a pause that the service asks for is kept by every process', async () => {
  const { open, now } = service(90);
  const [pace, other] = [open(), open()];
  const asked = now();
  (await pace.turn()).end({ status: 429, headers: { 'retry-after': '120' } });
  await new Promise((resolve) => setImmediate(resolve));
  (await pace.turn()).end();
  expect(now() - asked).toBeGreaterThanOrEqual(120_000);
  (await other.turn()).end();
  const again = await pace.turn();
  again.end({ status: 429, headers: { 'retry-after': '3000' } });
  await new Promise((resolve) => setImmediate(resolve));
  await expect(open().turn()).rejects.toMatchObject({
    category: 'rate_limited',
    details: { retryAfterSeconds: 3000 },
  });
});

const hour = 3_600_000;

describe('a clock that is set back', () => {
  test.each([hour / 2, hour, 24 * hour, 365 * 24 * hour])(
    'by %i ms: a pause of the service stays as long as before',
    async (back) => {
      const { open, now, setClock } = service(90);
      const pace = open();
      (await pace.turn()).end({ status: 429, headers: { 'retry-after': '120' } });
      await new Promise((resolve) => setImmediate(resolve));
      setClock(-back);
      const from = now();
      (await open().turn()).end();
      expect(now() - from).toBeLessThanOrEqual(120_000);
    },
  );

  test('a limit is kept without a wait longer than its window', async () => {
    const { open, send, refusals, elapsed, now, setClock } = service(30);
    const pace = open();
    for (let one = 0; one < 45; one++) await send(pace);
    setClock(-24 * hour);
    const from = now();
    for (let one = 0; one < 30; one++) await send(open());
    expect(elapsed(from)).toBeLessThan(2 * 60_000);
    expect(refusals.length).toBeLessThanOrEqual(1);
  });

  test('a file of an earlier build without times: no pause is longer than an hour', async () => {
    const { open, now, setClock, file } = service(90);
    const pace = open();
    (await pace.turn()).end({ status: 429, headers: { 'retry-after': '120' } });
    await new Promise((resolve) => setImmediate(resolve));
    pace.close();
    const old = new DatabaseSync(file);
    old.exec('ALTER TABLE limits DROP COLUMN seen_at; PRAGMA user_version = 1');
    old.close();
    setClock(-24 * hour);
    const from = now();
    (await open().turn()).end();
    expect(now() - from).toBeLessThanOrEqual(hour);
  });
});

test('a file with the id of a history, as written up to 0.1.0: its limit is used, and the id is changed', async () => {
  const { open, send, file } = service(90);
  const pace = open();
  await send(pace);
  pace.close();
  const old = new DatabaseSync(file);
  old.exec(`PRAGMA application_id = ${fileFormats.history.applicationId}`);
  old.close();
  const again = open();
  (await again.turn()).end();
  expect(again.describeLimit()).toBe('90 requests a minute');
  again.close();
  const now = new DatabaseSync(file, { readOnly: true });
  const { applicationId } = fileFormats.requestCount;
  expect(now.prepare('PRAGMA application_id').get()).toEqual({ application_id: applicationId });
  now.close();
});

test('a line that is no longer needed is deleted from the queue', async () => {
  const { open, now } = service(90);
  const pace = open(parseLimit('1/h'));
  (await pace.turn()).end();
  const stop = new AbortController();
  stop.abort(new Error('stopped'));
  await expect(pace.turn(stop.signal)).rejects.toThrow('stopped');
  const before = now();
  (await pace.turn()).end();
  expect(now() - before).toBeLessThan(3_700_000);
});

test('the duration of requests is estimated if a limit is known', async () => {
  const { open, send } = service(90);
  const pace = open();
  expect(pace.estimate(1000)).toBeUndefined();
  await send(pace);
  expect(pace.describeLimit()).toBe('90 requests a minute');
  expect(pace.estimate(50)).toBe(0);
  expect(pace.estimate(899)).toBe(540_000);
});
