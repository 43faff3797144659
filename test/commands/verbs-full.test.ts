import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const tag = { id: 't1', name: 'VIP' };
const customer = {
  id: '7',
  name: 'Huda',
  dial_code: 966,
  phone: '551',
  email: null,
  gender: 2,
  birth_date: null,
  house_account_limit: 500,
  house_account_balance: 12.5,
  is_loyalty_enabled: 1,
  is_blacklisted: false,
  is_house_account_enabled: false,
  order_count: 3,
  deleted_at: null,
};

let service: TestService;
beforeAll(async () => {
  service = await serve({
    'GET /customers/7?include=tags': { data: { ...customer, tags: [tag] } },
    'GET /customers/8?include=tags': { data: { ...customer, id: '8', house_account_limit: undefined } },
    'GET /users/9?include=roles,branches,tags,notifications': {
      data: { id: '9', name: 'Sara', number: '1', email: 'a@b.c', phone: '1', lang: 'en', pin: '****' },
    },
  });
});
afterAll(() => service.close());

const boh = (...argv: string[]) =>
  runBoh([...argv, '--dry-run', '-o', 'json'], {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl },
  });

describe('update --full', () => {
  test('sends every field that an update accepts, with the current values, and no other field', async () => {
    const { stdout } = await boh('customers', 'update', '7', '--full', '--phone', '552');
    expect(JSON.parse(stdout).body).toEqual({
      name: 'Huda',
      dial_code: 966,
      phone: '552',
      email: null,
      gender: 2,
      birth_date: null,
      house_account_limit: 500,
      is_loyalty_enabled: true,
      is_blacklisted: false,
      is_house_account_enabled: false,
      tags: [{ id: 't1' }],
    });
    expect(service.takeRequests()).toEqual(['GET /customers/7?include=tags']);
  });

  test('a field with an unknown value: is reported, unless the command line sets it', async () => {
    const result = await boh('customers', 'update', '8', '--full', '--phone', '552');
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('house_account_limit, tags');
    expect(failureOf(result).hint).toContain('--house-account-limit, --tags');
    const moreFlags = ['--clear', 'house-account-limit', '--tags', 't1'];
    expect(await boh('customers', 'update', '8', '--full', '--phone', '552', ...moreFlags)).toMatchObject({
      exitCode: 0,
    });
  });

  test('a secret: is always reported as unknown, even if the service returns a value', async () => {
    const result = await boh('users', 'update', '9', '--full', '--phone', '552');
    expect(result.exitCode).toBe(2);
    expect(failureOf(result).message).toContain('pin');
    expect(failureOf(result).hint).toContain('--ask pin');
  });
});
