/** OAuth client libraries sign in to a served sandbox with their default settings. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import ClientOAuth2 from 'client-oauth2';
import grant from 'grant';
import * as oauth4webapi from 'oauth4webapi';
import * as openidClient from 'openid-client';
import PassportOAuth2 from 'passport-oauth2';
import { AuthorizationCode } from 'simple-oauth2';
import { describe, expect, it } from 'vitest';
import { demoClient } from '../../src/sandbox/oauth/clients.ts';
import { type ServedClient, serve } from './served.ts';

const redirectUri = 'http://127.0.0.1:53682/callback';
const scopes = ['customers.list', 'users.read'];
const { id, secret } = demoClient;

/** Plays the user: the sandbox approves automatically, and the browser follows the redirect. */
async function follow(address: string | URL): Promise<URL> {
  const answer = await fetch(address, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location') ?? '');
}

const codeAt = (back: URL) => back.searchParams.get('code') ?? '';

/** Each returns the access token that its user would get. */
const clients: Record<string, (served: ServedClient) => Promise<string>> = {
  'simple-oauth2': async ({ baseUrl }) => {
    const client = new AuthorizationCode({
      client: { id, secret },
      auth: { tokenHost: baseUrl, authorizePath: '/authorize' },
    });
    const back = await follow(client.authorizeURL({ redirect_uri: redirectUri, scope: scopes, state: 's' }));
    const { token } = await client.getToken({ code: codeAt(back), redirect_uri: redirectUri });
    return String(token.access_token);
  },

  'openid-client, by discovery, with PKCE and no state': async ({ baseUrl }) => {
    const found = await openidClient.discovery(new URL(baseUrl), id, secret, undefined, {
      algorithm: 'oauth2',
      execute: [openidClient.allowInsecureRequests],
    });
    expect(found.serverMetadata().supportsPKCE()).toBe(true);
    const pkceCodeVerifier = openidClient.randomPKCECodeVerifier();
    const address = openidClient.buildAuthorizationUrl(found, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      code_challenge: await openidClient.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const back = await follow(address);
    return (await openidClient.authorizationCodeGrant(found, back, { pkceCodeVerifier })).access_token;
  },

  'oauth4webapi, with HTTP Basic': async ({ baseUrl }) => {
    const insecure = { [oauth4webapi.allowInsecureRequests]: true };
    const issuer = new URL(baseUrl);
    const found = await oauth4webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth4webapi.processDiscoveryResponse(issuer, found);
    const client = { client_id: id };
    const verifier = oauth4webapi.generateRandomCodeVerifier();
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = String(
      new URLSearchParams({
        client_id: id,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes.join(' '),
        state: 's',
        code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }),
    );
    const parameters = oauth4webapi.validateAuthResponse(server, client, await follow(address), 's');
    const answer = await oauth4webapi.authorizationCodeGrantRequest(
      server,
      client,
      oauth4webapi.ClientSecretBasic(secret),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    return (await oauth4webapi.processAuthorizationCodeResponse(server, client, answer)).access_token;
  },

  'passport-oauth2, with a session': async ({ baseUrl }) => {
    const strategy = new PassportOAuth2(
      {
        authorizationURL: `${baseUrl}/authorize`,
        tokenURL: `${baseUrl}/oauth/token`,
        clientID: id,
        clientSecret: secret,
        callbackURL: redirectUri,
        scope: scopes,
        state: true,
        pkce: true,
      },
      (token: string, _refresh: string, _profile: object, done: PassportOAuth2.VerifyCallback) =>
        done(null, { token }),
    );
    const session = {};
    const act = (query: object) =>
      new Promise<{ location?: string; user?: { token: string } }>((resolve, reject) => {
        const actions = Object.assign(Object.create(strategy) as PassportOAuth2, {
          redirect: (location: string) => resolve({ location }),
          success: (user: { token: string }) => resolve({ user }),
          error: reject,
          fail: reject,
        });
        actions.authenticate({ query, session, headers: {} } as never);
      });
    const back = await follow((await act({})).location ?? '');
    return (await act(Object.fromEntries(back.searchParams))).user?.token ?? '';
  },

  'client-oauth2': async ({ baseUrl }) => {
    const client = new ClientOAuth2({
      clientId: id,
      clientSecret: secret,
      accessTokenUri: `${baseUrl}/oauth/token`,
      authorizationUri: `${baseUrl}/authorize`,
      redirectUri,
      scopes,
      state: 's',
    });
    const back = await follow(client.code.getUri());
    return (await client.code.getToken(back.href)).accessToken;
  },

  'grant, as a server of its own': async ({ baseUrl }) => {
    let app: GrantHandler | undefined;
    const server = createServer(async (request, response) => {
      const { redirect, response: got } = (await app?.(request, response)) ?? {};
      if (!redirect) response.end(JSON.stringify(got ?? { at: request.url }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // Its types lack the handler for Node's own server.
    app = (grant as unknown as { node(options: object): GrantHandler }).node({
      config: {
        defaults: { origin, transport: 'state', state: true },
        sandbox: {
          oauth: 2,
          authorize_url: `${baseUrl}/authorize`,
          access_url: `${baseUrl}/oauth/token`,
          key: id,
          secret,
          scope: scopes,
          callback: '/done',
        },
      },
      session: { secret: 'of this test' },
    });
    try {
      return await visit(`${origin}/connect/sandbox`);
    } finally {
      server.close();
    }
  },
};

type GrantHandler = (
  ...exchange: Parameters<RequestListener>
) => Promise<{ redirect?: boolean; response?: object }>;

/** A minimal browser: it follows redirects and keeps the cookie. */
async function visit(address: string): Promise<string> {
  let [at, cookie] = [address, ''];
  for (let steps = 0; steps < 10; steps++) {
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    const next = answer.headers.get('location');
    if (next === null) {
      const { access_token: token, ...rest } = (await answer.json()) as { access_token?: string };
      if (token === undefined) throw new Error(JSON.stringify(rest));
      return token;
    }
    at = new URL(next, at).href;
  }
  throw new Error('it never came to an end');
}

describe.each(Object.entries(clients))('%s', (_name, signIn) => {
  it('signs in, and gets a token with the requested scopes', async () => {
    const served = await serve({ isAutoApproved: true });
    const token = await signIn(served);
    const whoami = await served.ask('/whoami', { headers: { authorization: `Bearer ${token}` } });
    expect(whoami.status).toBe(200);
    const { data } = (await whoami.json()) as { data: { scopes: string[] } };
    expect(data.scopes).toEqual(scopes);
  });

  it('is refused by a strict sandbox', async () => {
    await expect(signIn(await serve({ isAutoApproved: true, isStrict: true }))).rejects.toThrow();
  });
});
