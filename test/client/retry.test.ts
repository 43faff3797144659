import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { maxWaitMs, sendWithRetries, systemClock } from '../../src/client/retry.ts';
import { type HttpRequest, type HttpResponse, TransportError } from '../../src/client/transport.ts';
import { fc } from '../harness/fast-check.ts';
import { stillClock } from './still-clock.ts';

type Outcome = HttpResponse | TransportError;

const request: HttpRequest = { method: 'GET', target: '/x', headers: {} };
const ok = answer(200);
const reset = new TransportError('The connection broke.', { mayHaveArrived: true });
const refused = new TransportError('Nobody there.', { mayHaveArrived: false });
const untrusted = new TransportError('A bad certificate.', { mayHaveArrived: false, isPermanent: true });

function answer(status: number, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers, body: '' };
}

/** Plays the outcomes in turn, repeats the last one, and returns the result. */
async function play(outcomes: readonly Outcome[], { isRead = true, jitter = 0 } = {}) {
  const clock = stillClock(jitter);
  const reasons: string[] = [];
  let sent = 0;
  const transport = async () => {
    const outcome = outcomes[Math.min(sent++, outcomes.length - 1)] ?? ok;
    if (outcome instanceof TransportError) throw outcome;
    return outcome;
  };
  const onWait = (reason: string) => reasons.push(reason);
  const end: unknown = await sendWithRetries(transport, request, { isRead, clock, onWait }).catch(
    (error: unknown) => error,
  );
  return { end, sent, waits: clock.waits, reasons };
}

describe('reads', () => {
  test.each([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524])(
    'are sent four times after a %i',
    async (status) => {
      const fault = answer(status);
      expect(await play([fault])).toMatchObject({ end: fault, sent: 4 });
      expect(await play([fault, fault, ok])).toMatchObject({ end: ok, sent: 3 });
    },
  );

  test.each([200, 204, 301, 400, 401, 403, 404, 409, 422, 501])(
    'are sent once after a %i',
    async (status) => {
      expect(await play([answer(status)])).toMatchObject({ sent: 1, waits: [] });
    },
  );

  test('are sent four times after broken connections', async () => {
    expect(await play([reset])).toMatchObject({
      end: reset,
      sent: 4,
      reasons: Array(3).fill('The connection broke.'),
    });
    expect(await play([refused, reset, ok])).toMatchObject({ end: ok, sent: 3 });
  });

  test('count breaks and faults together', async () => {
    expect(await play([reset, answer(502), reset, answer(502)])).toMatchObject({ sent: 4 });
  });

  test('are sent once if the failure is permanent', async () => {
    expect(await play([untrusted])).toMatchObject({ end: untrusted, sent: 1 });
  });

  test('wait longer each time, with full jitter', async () => {
    expect((await play([answer(500)], { jitter: 0.999_999 })).waits).toEqual([500, 1000, 2000]);
    expect((await play([answer(500)], { jitter: 0 })).waits).toEqual([0, 0, 0]);
  });

  test("a fault with Retry-After: the request isn't repeated earlier", async () => {
    const { end, waits } = await play([answer(503, { 'retry-after': '120' }), ok]);
    expect(end).toBe(ok);
    expect(waits).toEqual([120_000]);
  });
});

describe('writes', () => {
  const write = { isRead: false };

  test.each([408, 425, 500, 502, 503, 504, 520, 524])('are sent once after a %i', async (status) => {
    expect(await play([answer(status, { 'retry-after': '1' })], write)).toMatchObject({ sent: 1, waits: [] });
  });

  test('are sent once if the connection broke after sending', async () => {
    expect(await play([reset], write)).toMatchObject({ end: reset, sent: 1 });
  });

  test('are sent again if they were not sent', async () => {
    expect(await play([refused, refused, ok], write)).toMatchObject({ end: ok, sent: 3 });
    expect(await play([refused], write)).toMatchObject({ end: refused, sent: 4 });
  });

  test('end with the first break after sending, whatever happened before', async () => {
    expect(await play([refused, reset, ok], write)).toMatchObject({ end: reset, sent: 2 });
  });

  test('are sent again after the rate limit, which refuses before anything is done', async () => {
    expect(await play([answer(429, { 'retry-after': '3' }), ok], write)).toMatchObject({
      end: ok,
      waits: [3000],
    });
  });
});

describe('the rate limit', () => {
  test.each(['0', undefined, 'soon'])(
    'that never ends (Retry-After: %s): the request fails within a minute',
    async (value) => {
      const { end, sent, waits } = await play([limit(value)], { jitter: 0.999_999 });
      expect(end).toMatchObject({ status: 429 });
      expect(sent).toBe(12);
      expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(60_000);
    },
  );

  const limit = (retryAfter?: string) =>
    answer(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter });

  test('is waited for as long as the service asks, with the reason', async () => {
    const { waits, reasons } = await play([limit('17'), ok]);
    expect(waits).toEqual([17_000]);
    expect(reasons).toEqual(['The service limits the request rate (429).']);
  });

  test.each([undefined, '-5', 'garbage', 'Soon 5'])(
    'with a Retry-After of %s: boh chooses the wait',
    async (value) => {
      const { end, waits } = await play([limit(value), limit(value), ok], { jitter: 0.999_999 });
      expect(end).toBe(ok);
      expect(waits).toEqual([1000, 2000]);
    },
  );

  test('of five minutes is waited for', async () => {
    expect(await play([limit('300'), ok], { jitter: 0.9 })).toMatchObject({
      end: ok,
      waits: [maxWaitMs],
    });
  });

  test.each(['301', '1000000000', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'of %s is not waited for',
    async (value) => {
      expect(await play([limit(value), ok])).toMatchObject({ end: { status: 429 }, sent: 1, waits: [] });
    },
  );

  test('ends the request after twelve refusals', async () => {
    expect(await play([limit('1')])).toMatchObject({ end: { status: 429 }, sent: 12 });
  });

  test("doesn't count faults in between, nor do they count it", async () => {
    const mixed = [limit('1'), answer(500), limit('1'), answer(500), limit('1'), answer(500), limit('1'), ok];
    expect(await play(mixed)).toMatchObject({ end: ok, sent: 8 });
  });

  test('with any answers: no request is sent earlier than asked, and no wait exceeds five minutes', async () => {
    const retryAfter = fc.oneof(
      fc.nat({ max: 400 }).map(String),
      fc.string(),
      fc.constant('Fri, 20 Nov 2026 08:00:30 GMT'),
    );
    const outcome = fc
      .tuple(fc.constantFrom(429, 503), retryAfter)
      .map(([status, value]) => answer(status, { 'retry-after': value }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(outcome, { maxLength: 15 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (outcomes, jitter) => {
          const { waits } = await play([...outcomes, ok], { jitter });
          for (const [index, ms] of waits.entries()) {
            const value = outcomes[index]?.headers['retry-after'] ?? '';
            if (/^\d+$/.test(value)) expect(ms).toBeGreaterThanOrEqual(Number(value) * 1000);
            expect(ms).toBeLessThanOrEqual(maxWaitMs);
          }
        },
      ),
    );
  });
});

describe('an interruption', () => {
  const interrupted = new Failure('interrupted', 'Interrupted.');

  test('ends a wait before it begins', async () => {
    const controller = new AbortController();
    const end = sendWithRetries(async () => answer(429, { 'retry-after': '299' }), request, {
      isRead: true,
      clock: systemClock,
      signal: controller.signal,
      onWait: () => controller.abort(interrupted),
    });
    await expect(end).rejects.toBe(interrupted);
  });

  test('ends a wait in progress', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(299_000, controller.signal);
    controller.abort(interrupted);
    await expect(sleeping).rejects.toBe(interrupted);
  });

  test('other errors of the transport are thrown unchanged', async () => {
    const end = sendWithRetries(
      async () => {
        throw interrupted;
      },
      request,
      { isRead: true, clock: stillClock() },
    );
    await expect(end).rejects.toBe(interrupted);
  });
});

// A lower bound: a busy machine only sleeps longer.
test("the system's clock sleeps at least as long as requested", async () => {
  const start = performance.now();
  await systemClock.sleep(3);
  expect(performance.now() - start).toBeGreaterThanOrEqual(3);
});
