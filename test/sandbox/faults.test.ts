/** Tests faults: the requests that a seed selects, the effect of each fault, and the checks of fault plans. */
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { clearFaultPlan, Faults, storeFaultPlan } from '../../src/sandbox/faults/engine.ts';
import { type FaultRule, parseFaultPlan, validateFaultPlan } from '../../src/sandbox/faults/plan.ts';
import { fc } from '../harness/fast-check.ts';
import { type ServedClient, serve } from './served.ts';

const planOf = (rules: object[], seed = 1) => validateFaultPlan({ seed, rules }, 'test');

/** Returns the decisions about a number of requests, one after another. */
function decisions(rules: object[], count: number, seed = 1, target = 'GET /customers') {
  const faults = new Faults(planOf(rules, seed));
  const [method = '', path = ''] = target.split(' ');
  return Array.from({ length: count }, () => faults.decide({ method, path, token: 't' }, 0));
}

const faultNames = (rules: object[], count: number, seed?: number) =>
  decisions(rules, count, seed).map(({ fault }) => fault?.fault);

describe('the requests that get a fault', () => {
  const resetWithProbability = { fault: 'reset', probability: 0.3 };

  it('are the same for the same seed, and differ for another seed', () => {
    expect(faultNames([resetWithProbability], 200, 7)).toEqual(faultNames([resetWithProbability], 200, 7));
    expect(faultNames([resetWithProbability], 200, 7)).not.toEqual(
      faultNames([resetWithProbability], 200, 8),
    );
  });

  it('have the frequency of the probability', () => {
    const count = faultNames([resetWithProbability], 5000).filter(Boolean).length;
    expect(count).toBeGreaterThan(1400);
    expect(count).toBeLessThan(1600);
  });

  it("don't depend on other rules", () => {
    const ruleOfOtherRoute = { fault: 'half_body', route: 'GET /suppliers' };
    const rules = [
      resetWithProbability,
      ruleOfOtherRoute,
      { fault: 'latency', milliseconds: 1, probability: 0.5 },
    ];
    expect(faultNames(rules, 200)).toEqual(faultNames([resetWithProbability], 200));
  });

  it('are none with probability 0, and all with probability 1', () => {
    expect(faultNames([{ fault: 'reset', probability: 0 }], 300).filter(Boolean)).toEqual([]);
    expect(faultNames([{ fault: 'reset' }], 300).filter(Boolean)).toHaveLength(300);
  });

  it('can be selected by nth, counted from 1', () => {
    expect(faultNames([{ fault: 'reset', nth: [2, 4] }], 5)).toEqual([
      undefined,
      'reset',
      undefined,
      'reset',
      undefined,
    ]);
  });

  it('have delays within the bounds, and the same delays for the same seed', () => {
    fc.assert(
      fc.property(fc.integer(), fc.tuple(fc.nat(5000), fc.nat(5000)), (seed, [a, b]) => {
        const bounds = [Math.min(a, b), Math.max(a, b)];
        const delays = decisions([{ fault: 'latency', milliseconds: bounds }], 5, seed).map(
          ({ delayMs }) => delayMs,
        );
        expect(delays.every((delayMs) => delayMs >= (bounds[0] ?? 0) && delayMs <= (bounds[1] ?? 0))).toBe(
          true,
        );
        expect(
          decisions([{ fault: 'latency', milliseconds: bounds }], 5, seed).map(({ delayMs }) => delayMs),
        ).toEqual(delays);
      }),
      { numRuns: 30 },
    );
  });

  it('get the fault of the first rule that applies', () => {
    expect(faultNames([{ fault: 'half_body' }, { fault: 'reset' }], 1)).toEqual(['half_body']);
  });
});

describe('routes', () => {
  it.each([
    ['* /**', 'GET /customers', true],
    ['* /**', 'DELETE /suppliers/7/items/8', true],
    ['GET /**', 'POST /customers', false],
    ['POST /customers', 'POST /customers', true],
    ['POST /customers', 'POST /customers/7', false],
    ['* /customers/*', 'PUT /customers/7', true],
    ['* /customers/*', 'PUT /customers/7/restore', false],
    ['* /customers/**', 'PUT /customers/7/restore', true],
    ['* /customers/**', 'GET /customers', true],
    ['* /customers/**', 'GET /customers_of_another', false],
    ['* /a.c', 'GET /abc', false],
    ['* /**/branches/**', 'PUT /suppliers/7/branches', true],
    ['* /**/branches/**', 'PUT /suppliers/7/branch', false],
    ['* /**/*/9', 'GET /a/b/9', true],
    ['* /*', 'GET /', false],
    ['POST /oauth/token', 'POST /oauth/token', true],
  ])('%s: matches %s: %s', (route, target, isMatch) => {
    const [decision] = decisions([{ fault: 'reset', route }], 1, 1, target);
    expect(decision?.fault !== undefined).toBe(isMatch);
  });
});

it("routes: one with many wildcards that doesn't match is checked in quadratic time", () => {
  const route = `* ${'/**/a'.repeat(50)}/**/b`;
  // If every way to divide the path were tried, this would never end.
  const [decision] = decisions([{ fault: 'reset', route }], 1, 1, `GET ${'/a'.repeat(8000)}`);
  expect(decision?.fault).toBeUndefined();
});

describe('the rate limit', () => {
  const faultsWithLimit = (perMinute: number) =>
    new Faults(planOf([{ fault: 'rate_limit', per_minute: perMinute }]));
  const decide = (faults: Faults, token: string, now: number) =>
    faults.decide({ method: 'GET', path: '/customers', token }, now);

  it.each([30, 90])('allows %i requests per minute for each token', (perMinute) => {
    const faults = faultsWithLimit(perMinute);
    const decisionsInMinute = Array.from({ length: perMinute + 5 }, (_, index) =>
      decide(faults, 'a', index * 10),
    );
    expect(decisionsInMinute.filter(({ fault }) => fault === undefined)).toHaveLength(perMinute);
    expect(decide(faults, 'b', 1000).fault).toBeUndefined();
    expect(decide(faults, 'a', 60_000).fault).toBeUndefined();
  });

  it('sends the remaining requests and the time to wait', () => {
    const faults = faultsWithLimit(2);
    expect(decide(faults, 'a', 0).headers).toEqual({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
    });
    decide(faults, 'a', 0);
    expect(decide(faults, 'a', 12_500).headers).toEqual({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '0',
      'retry-after': '48',
    });
  });

  it("follows the sandbox's clock", async () => {
    const { client, request } = await serve();
    storeFaultPlan(client.sandbox.database, planOf([{ fault: 'rate_limit', per_minute: 1 }]));
    expect((await request('/whoami')).status).toBe(200);
    expect((await request('/whoami')).status).toBe(429);
    client.sandbox.clock.advance(60_000);
    expect((await request('/whoami')).status).toBe(200);
  });
});

describe('faults of a served sandbox', () => {
  const supplierRequest = {
    method: 'POST',
    body: '{"name": "Fault & Sons"}',
    headers: { 'content-type': 'application/json' },
  };
  const countSuppliers = ({ client }: ServedClient) =>
    client.get('/suppliers?filter[name]=Fault').json.data.length;

  async function serveWithRule(rule: object): Promise<ServedClient> {
    const served = await serve();
    storeFaultPlan(served.client.sandbox.database, planOf([{ route: 'POST /suppliers', ...rule }]));
    return served;
  }

  it.each([
    [{ fault: 'reset' }, 0],
    [{ fault: 'reset', after_commit: true }, 1],
    [{ fault: 'half_body' }, 1],
  ])('%j: breaks the connection, and creates %i records', async (rule, createdCount) => {
    const served = await serveWithRule(rule);
    await expect(
      served.request('/suppliers', supplierRequest).then((response) => response.text()),
    ).rejects.toThrow();
    expect(countSuppliers(served)).toBe(createdCount);
    expect(served.unexpectedErrors).toEqual([]);
  });

  it.each([
    [{ fault: 'status', status: 502 }, 502, null, 0],
    [{ fault: 'status', status: 502, after_commit: true }, 502, null, 1],
    [{ fault: 'status', status: 503, retry_after: 'Fri, 20 Nov 2026 12:00:30 GMT' }, 503, 'Fri', 0],
    [{ fault: 'status', status: 429 }, 429, '1', 0],
    [{ fault: 'status', status: 429, retry_after: -5 }, 429, '-5', 0],
    [{ fault: 'status', status: 429, retry_after: 'soon' }, 429, 'soon', 0],
    [{ fault: 'status', status: 429, retry_after: null }, 429, null, 0],
  ])('%j: sends the status %i', async (rule, status, retryAfter, createdCount) => {
    const served = await serveWithRule(rule);
    const response = await served.request('/suppliers', supplierRequest);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('message');
    const header = response.headers.get('retry-after');
    expect(header === null ? null : header.split(',')[0]).toBe(retryAfter);
    expect(response.headers.get('x-ratelimit-limit')).toBe(status === 429 ? '30' : null);
    expect(countSuppliers(served)).toBe(createdCount);
  });

  it.each([200, 503])('html: sends a page with status %i', async (status) => {
    const served = await serveWithRule({ fault: 'html', status });
    const response = await served.request('/suppliers', supplierRequest);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    expect(await response.text()).toContain('<h1>');
  });

  it("don't affect other routes or the pages", async () => {
    const { request } = await serveWithRule({ fault: 'reset' });
    expect((await request('/suppliers')).status).toBe(200);
    expect((await request('/')).status).toBe(200);
  });

  it('match paths below the prefix', async () => {
    const { client, request } = await serve({ apiPrefix: '/v5' });
    storeFaultPlan(client.sandbox.database, planOf([{ route: 'GET /whoami', fault: 'html', status: 503 }]));
    expect((await request('/v5/whoami')).status).toBe(503);
  });

  it('restart when the plan is stored again, and end when it is cleared', async () => {
    const { client, request } = await serve();
    const { database } = client.sandbox;
    const plan = planOf([{ fault: 'status', status: 500, probability: 0.5 }], 3);
    const requestStatuses = async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 12; count++) statuses.push((await request('/whoami')).status);
      return statuses;
    };
    storeFaultPlan(database, plan);
    const firstStatuses = await requestStatuses();
    storeFaultPlan(database, plan);
    expect(await requestStatuses()).toEqual(firstStatuses);
    expect(new Set(firstStatuses)).toEqual(new Set([200, 500]));
    clearFaultPlan(database);
    expect(new Set(await requestStatuses())).toEqual(new Set([200]));
  });
});

describe('a fault plan', () => {
  it('is parsed from YAML and JSON, with defaults', () => {
    const rules: FaultRule[] = [{ route: '* /**', probability: 1, fault: 'reset', after_commit: false }];
    expect(parseFaultPlan('rules:\n  - fault: reset\n', 'f')).toEqual({ seed: 1, rules });
    expect(parseFaultPlan('{"seed": 9, "rules": [{"fault": "reset"}]}', 'f')).toEqual({ seed: 9, rules });
  });

  it('is refused with a message for each invalid field', () => {
    const invalidPlan = {
      seed: 1.5,
      rules: [
        { fault: 'reset', probability: 2 },
        { fault: 'latency', milliseconds: [9, 1] },
        { fault: 'status', status: 200 },
        { fault: 'rate_limit' },
        { fault: 'unknown' },
        { fault: 'reset', route: 'customers', often: true },
        { fault: 'html', status: 204 },
      ],
    };
    try {
      validateFaultPlan(invalidPlan, 'f');
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      expect(error.category).toBe('usage');
      expect(Object.keys(error.details.fields ?? {}).sort()).toEqual([
        'rules.0.probability',
        'rules.1.milliseconds',
        'rules.2.status',
        'rules.3.per_minute',
        'rules.4.fault',
        'rules.5',
        'rules.5.route',
        'rules.6.status',
        'seed',
      ]);
    }
  });

  it.each(['', '7', 'rules: [', '{"rules": []}'])('is refused if the text is %j', (text) => {
    expect(() => parseFaultPlan(text, 'f')).toThrow(Failure);
  });
});
