/** Exchanges a code at a service with invalid responses, and tests the whoami request after the exchange. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AuthService,
  createTestHome,
  secrets,
  startAuthService,
  type TestHome,
} from './auth-service.ts';
import { sendCallback, startSignIn } from './auth-sign-in.ts';

let service: AuthService;
let home: TestHome;
beforeAll(async () => {
  service = await startAuthService();
});
beforeEach(() => {
  home = createTestHome();
  service.reset();
});
afterEach(() => home.remove());
afterAll(() => service.close());

/** Starts a sign-in, approves it, and waits until boh has exchanged the code and ended. */
async function completeSignIn(...flags: string[]) {
  const login = await startSignIn(service, home, flags);
  await sendCallback(login, { code: secrets.code, state: login.state });
  return login.ended;
}

const { token } = secrets;

describe.each([
  ['another token_type', JSON.stringify({ token_type: 'mac', access_token: token }), '"mac"'],
  ['ten megabytes', undefined, 'is too long, and was not read completely'],
  [
    'a token too long for a header',
    JSON.stringify({ token_type: 'Bearer', access_token: token.repeat(500) }),
    'characters; the limit is 8192',
  ],
  ['no access_token', JSON.stringify({ token_type: 'Bearer', expires_in: 7 }), '"expires_in":7'],
  [
    'an access_token that is not a string',
    JSON.stringify({ token_type: 'Bearer', access_token: [token] }),
    'Bearer',
  ],
  [
    'HTML',
    `<html><body>Back soon. ${secrets.clientSecret} ${secrets.code} ${token}</body></html>`,
    'Back soon.',
  ],
  ['an empty body', '', 'an empty response'],
])('an exchange with this response: %s', (_, body, message) => {
  it('is refused with the redacted response, and stores nothing', async () => {
    service.exchange = { status: 200, body: body ?? `{"access_token":"${token.repeat(400_000)}"}` };
    const { exitCode, stdout, stderr } = await completeSignIn('-v');
    expect(exitCode, stderr).toBe(8);
    expect(stderr).toContain(message);
    expect(stdout + stderr).not.toContain('canary');
    expect(home.profiles()).toEqual({});
    expect(service.requests).toEqual(['POST /oauth/token']);
  });
});

it('a refused code: reports the message of the service without the code', async () => {
  service.exchange = {
    status: 401,
    body: JSON.stringify({ error: 'invalid_client', message: secrets.code }),
  };
  const { exitCode, stderr } = await completeSignIn();
  expect(exitCode).toBe(3);
  expect(stderr).toContain('invalid_client');
  expect(stderr).toContain('client secret');
  expect(stderr).not.toContain('canary');
});

describe('auth login when whoami', () => {
  it('refuses the token: stores no token, but the other settings', async () => {
    service.whoami = { status: 401, body: '{"message":"Unauthenticated."}' };
    const { exitCode, stderr } = await completeSignIn();
    expect(exitCode, stderr).toBe(3);
    expect(stderr).toContain('The token was not stored.');
    expect(home.profiles().default).toMatchObject({ client_id: 'app-1' });
    expect(home.profiles().default).not.toHaveProperty('token');
  });

  it('is not found: suggests checking the prefix', async () => {
    service.whoami = { status: 404, body: '{"message":"Not found."}' };
    const { exitCode, stderr } = await completeSignIn();
    expect(exitCode, stderr).toBe(5);
    expect(stderr).toContain('api_prefix');
    expect(home.profiles().default).not.toHaveProperty('token');
  });

  it('is not allowed for the token: stores the token anyway', async () => {
    service.whoami = { status: 403, body: '{"message":"This action is unauthorized."}' };
    const { exitCode, stderr } = await completeSignIn();
    expect(exitCode, stderr).toBe(0);
    expect(home.profiles().default).toMatchObject({ token });
  });

  it('fails: with --unchecked, it is not requested and the token is stored', async () => {
    service.whoami = { status: 500, body: '' };
    expect((await completeSignIn('--unchecked')).exitCode).toBe(0);
    expect(service.requests).toEqual(['POST /oauth/token']);
    expect(home.profiles().default).toMatchObject({ token });
  });

  it('returns a name with control characters: prints none of them', async () => {
    const data = { user: { name: 'Sa\u001b[31mra' }, business: { name: 'Di\u202ener' }, scopes: ['a\u0007'] };
    service.whoami = { status: 200, body: JSON.stringify({ data }) };
    const { exitCode, stderr } = await completeSignIn();
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toMatch(/[\p{Cf}--\n]|[\p{Cc}--\n]/v);
  });
});
