import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'DELETE /v5/tags/7': {},
    'GET /v5/tags': { data: [{ id: '1', name: 'VIP' }], meta: { last_page: 1, total: 1 } },
    'GET /v5/loyalty_rewards/7?order_id=9': [502, {}],
    'PATCH /v5/unknown/path': [502, {}],
  });
});
afterAll(() => service.close());

const boh = (...argv: string[]) =>
  runBoh(['api', ...argv], {
    env: {
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: service.baseUrl,
      BOH_API_PREFIX: '/v5',
    },
  });

describe('boh api', () => {
  test('DELETE: needs --yes without a terminal', async () => {
    const refusedResult = await boh('DELETE', '/tags/7');
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).message).toBe('To DELETE /tags/7, add --yes.');
    expect(service.takeRequests()).toEqual([]);
    expect(await boh('DELETE', '/tags/7', '--yes')).toMatchObject({ exitCode: 0 });
    expect(service.takeRequests()).toEqual(['GET /v5/whoami', 'DELETE /v5/tags/7']);
  });

  test('--dry-run: shows the URL of the request, with the API prefix', async () => {
    const { stdout } = await boh('DELETE', '/tags/7', '--dry-run');
    expect(JSON.parse(stdout)).toMatchObject({ method: 'DELETE', url: `${service.baseUrl}/v5/tags/7` });
    const pagesResult = await boh('GET', '/tags', '--paginate', '--dry-run');
    expect(JSON.parse(pagesResult.stdout).url).toBe(`${service.baseUrl}/v5/tags`);
    expect(service.takeRequests()).toEqual([]);
  });

  test.each([[['/tags?page=2']], [['/tags', '--query', 'page=2']], [['/tags?filter[name]=x&page=2']]])(
    '--paginate with a page number: %j is refused',
    async (words) => {
      expect(await boh('GET', ...words, '--paginate')).toMatchObject({ exitCode: 2 });
      expect(service.takeRequests()).toEqual([]);
    },
  );

  test.each([
    ['GET', '/loyalty_rewards/7?order_id=9'],
    ['PATCH', '/unknown/path'],
  ])('%s %s with an unknown outcome: is sent once, and reported as unknown', async (method, path) => {
    const result = await boh(method, path);
    expect(result.exitCode).toBe(8);
    expect(failureOf(result)).toMatchObject({ outcome: 'unknown' });
    expect(failureOf(result).message).toContain('not retried');
    expect(service.takeRequests()).toHaveLength(1);
  });
});
