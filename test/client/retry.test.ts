import { describe, expect, test } from 'vitest';
import { maxWaitMs, sendWithRetries, systemClock } from '../../src/account/client/retry.ts';
import { type HttpRequest, type HttpResponse, TransportError } from '../../src/account/client/transport.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { fakeClock } from './fake-clock.ts';

type Outcome = HttpResponse | TransportError;

const request: HttpRequest = { method: 'GET', target: '/x', headers: {} };
const ok = response(200);
const reset = new TransportError('The connection broke.', { mayHaveArrived: true });
const refused = new TransportError('The connection was refused.', { mayHaveArrived: false });
const untrusted = new TransportError('The certificate is untrusted.', {
  mayHaveArrived: false,
  isPermanent: true,
});

function response(status: number, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers, body: '' };
}

/** Sends a request through a transport that returns these outcomes in turn and repeats the last one. */
async function sendThrough(outcomes: readonly Outcome[], { isRead = true, jitter = 0 } = {}) {
  const clock = fakeClock(jitter);
  const reasons: string[] = [];
  let attempts = 0;
  const transport = async () => {
    const outcome = outcomes[Math.min(attempts++, outcomes.length - 1)] ?? ok;
    if (outcome instanceof TransportError) throw outcome;
    return outcome;
  };
  const onWait = (reason: string) => reasons.push(reason);
  const result: unknown = await sendWithRetries(transport, request, { isRead, clock, onWait }).catch(
    (error: unknown) => error,
  );
  return { end: result, sent: attempts, waits: clock.waits, reasons };
}

describe('reads', () => {
  test.each([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524])(
    'after a %i: are sent up to four times',
    async (status) => {
      const fault = response(status);
      expect(await sendThrough([fault])).toMatchObject({ end: fault, sent: 4 });
      expect(await sendThrough([fault, fault, ok])).toMatchObject({ end: ok, sent: 3 });
    },
  );

  test.each([200, 204, 301, 400, 401, 403, 404, 409, 422, 501])(
    'after a %i: are sent once',
    async (status) => {
      expect(await sendThrough([response(status)])).toMatchObject({ sent: 1, waits: [] });
    },
  );

  test('after broken connections: are sent up to four times', async () => {
    expect(await sendThrough([reset])).toMatchObject({
      end: reset,
      sent: 4,
      reasons: Array(3).fill('The connection broke.'),
    });
    expect(await sendThrough([refused, reset, ok])).toMatchObject({ end: ok, sent: 3 });
  });

  test('count broken connections and error statuses together', async () => {
    expect(await sendThrough([reset, response(502), reset, response(502)])).toMatchObject({ sent: 4 });
  });

  test('after a permanent failure: are sent once', async () => {
    expect(await sendThrough([untrusted])).toMatchObject({ end: untrusted, sent: 1 });
  });

  test('wait longer each time, with full jitter', async () => {
    expect((await sendThrough([response(500)], { jitter: 0.999_999 })).waits).toEqual([500, 1000, 2000]);
    expect((await sendThrough([response(500)], { jitter: 0 })).waits).toEqual([0, 0, 0]);
  });

  test('after a 503 with Retry-After: are not repeated earlier', async () => {
    const { end: result, waits } = await sendThrough([response(503, { 'retry-after': '120' }), ok]);
    expect(result).toBe(ok);
    expect(waits).toEqual([120_000]);
  });
});

describe('writes', () => {
  const write = { isRead: false };

  test.each([408, 425, 500, 502, 503, 504, 520, 524])('after a %i: are sent once', async (status) => {
    expect(await sendThrough([response(status, { 'retry-after': '1' })], write)).toMatchObject({
      sent: 1,
      waits: [],
    });
  });

  test('with a connection that broke after sending: are sent once', async () => {
    expect(await sendThrough([reset], write)).toMatchObject({ end: reset, sent: 1 });
  });

  test('that were not sent: are sent up to four times', async () => {
    expect(await sendThrough([refused, refused, ok], write)).toMatchObject({ end: ok, sent: 3 });
    expect(await sendThrough([refused], write)).toMatchObject({ end: refused, sent: 4 });
  });

  test('end with the first connection that breaks after sending', async () => {
    expect(await sendThrough([refused, reset, ok], write)).toMatchObject({ end: reset, sent: 2 });
  });

  test('after a 429: are sent again', async () => {
    expect(await sendThrough([response(429, { 'retry-after': '3' }), ok], write)).toMatchObject({
      end: ok,
      waits: [3000],
    });
  });
});

describe('the rate limit', () => {
  test.each(['0', undefined, 'soon'])(
    'that never ends (Retry-After: %s): the request fails within a minute',
    async (value) => {
      const { end: result, sent: attempts, waits } = await sendThrough([limit(value)], { jitter: 0.999_999 });
      expect(result).toMatchObject({ status: 429 });
      expect(attempts).toBe(12);
      expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(60_000);
    },
  );

  const limit = (retryAfter?: string) =>
    response(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter });

  test('with Retry-After: the wait is as long as requested and is reported', async () => {
    const { waits, reasons } = await sendThrough([limit('17'), ok]);
    expect(waits).toEqual([17_000]);
    expect(reasons).toEqual(['The service limits the request rate (429).']);
  });

  test.each([undefined, '-5', 'garbage', 'Soon 5', '1e309', 'Infinity', 'NaN', '5, 10'])(
    'with the Retry-After %s: the wait is chosen by boh',
    async (value) => {
      const { end: result, waits } = await sendThrough([limit(value), limit(value), ok], {
        jitter: 0.999_999,
      });
      expect(result).toBe(ok);
      expect(waits).toEqual([1000, 2000]);
    },
  );

  test('with a Retry-After of five minutes: the request is repeated', async () => {
    expect(await sendThrough([limit('300'), ok], { jitter: 0.9 })).toMatchObject({
      end: ok,
      waits: [maxWaitMs],
    });
  });

  test.each(['301', '999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'with the Retry-After %s: the request fails immediately',
    async (value) => {
      expect(await sendThrough([limit(value), ok])).toMatchObject({
        end: { status: 429 },
        sent: 1,
        waits: [],
      });
    },
  );

  test('with twelve refusals: the request fails', async () => {
    expect(await sendThrough([limit('1')])).toMatchObject({ end: { status: 429 }, sent: 12 });
  });

  test('and other errors: are counted separately', async () => {
    const mixed = [
      limit('1'),
      response(500),
      limit('1'),
      response(500),
      limit('1'),
      response(500),
      limit('1'),
      ok,
    ];
    expect(await sendThrough(mixed)).toMatchObject({ end: ok, sent: 8 });
  });

  test('with any responses: no request is sent earlier than requested, and no wait exceeds five minutes', async () => {
    const retryAfter = fc.oneof(
      fc.nat({ max: 400 }).map(String),
      fc.string(),
      fc.constant('Fri, 20 Nov 2026 08:00:30 GMT'),
    );
    const outcome = fc
      .tuple(fc.constantFrom(429, 503), retryAfter)
      .map(([status, value]) => response(status, { 'retry-after': value }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(outcome, { maxLength: 15 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (outcomes, jitter) => {
          const { waits } = await sendThrough([...outcomes, ok], { jitter });
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
    const result = sendWithRetries(async () => response(429, { 'retry-after': '299' }), request, {
      isRead: true,
      clock: systemClock,
      signal: controller.signal,
      onWait: () => controller.abort(interrupted),
    });
    await expect(result).rejects.toBe(interrupted);
  });

  test.each([2 ** 31, 1e12, Number.MAX_SAFE_INTEGER])(
    'of %i ms, longer than a timer of Node: does not end at once',
    async (ms) => {
      const controller = new AbortController();
      const sleeping = systemClock.sleep(ms, controller.signal);
      const first = await Promise.race([
        sleeping.then(() => 'slept'),
        systemClock.sleep(5).then(() => 'waiting'),
      ]);
      expect(first).toBe('waiting');
      controller.abort(interrupted);
      await expect(sleeping).rejects.toBe(interrupted);
    },
  );

  test('ends a wait in progress', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(299_000, controller.signal);
    controller.abort(interrupted);
    await expect(sleeping).rejects.toBe(interrupted);
  });

  test('thrown by the transport: is thrown unchanged', async () => {
    const result = sendWithRetries(
      async () => {
        throw interrupted;
      },
      request,
      { isRead: true, clock: fakeClock() },
    );
    await expect(result).rejects.toBe(interrupted);
  });
});

// On a busy machine, the sleep takes longer.
test('the system clock: sleeps at least as long as requested', async () => {
  const start = performance.now();
  await systemClock.sleep(3);
  expect(performance.now() - start).toBeGreaterThanOrEqual(3);
});
