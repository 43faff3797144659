/** Tests that OAuth client libraries can sign in to a served sandbox with their default settings. */
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

/** Opens an authorization URL and returns the redirect: the sandbox approves automatically. */
async function followRedirect(authorizationUrl: string | URL): Promise<URL> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location') ?? '');
}

const codeOf = (callbackUrl: URL) => callbackUrl.searchParams.get('code') ?? '';

/** Functions that sign in with a library and return the access token. */
const clients: Record<string, (served: ServedClient) => Promise<string>> = {
  'simple-oauth2': async ({ baseUrl }) => {
    const client = new AuthorizationCode({
      client: { id, secret },
      auth: { tokenHost: baseUrl, authorizePath: '/authorize' },
    });
    const callbackUrl = await followRedirect(
      client.authorizeURL({ redirect_uri: redirectUri, scope: scopes, state: 's' }),
    );
    const { token } = await client.getToken({ code: codeOf(callbackUrl), redirect_uri: redirectUri });
    return String(token.access_token);
  },

  'openid-client, by discovery, with PKCE and no state': async ({ baseUrl }) => {
    const discovered = await openidClient.discovery(new URL(baseUrl), id, secret, undefined, {
      algorithm: 'oauth2',
      execute: [openidClient.allowInsecureRequests],
    });
    expect(discovered.serverMetadata().supportsPKCE()).toBe(true);
    const pkceCodeVerifier = openidClient.randomPKCECodeVerifier();
    const authorizationUrl = openidClient.buildAuthorizationUrl(discovered, {
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      code_challenge: await openidClient.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const callbackUrl = await followRedirect(authorizationUrl);
    return (await openidClient.authorizationCodeGrant(discovered, callbackUrl, { pkceCodeVerifier }))
      .access_token;
  },

  'oauth4webapi, with HTTP Basic': async ({ baseUrl }) => {
    const insecure = { [oauth4webapi.allowInsecureRequests]: true };
    const issuer = new URL(baseUrl);
    const discovered = await oauth4webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth4webapi.processDiscoveryResponse(issuer, discovered);
    const client = { client_id: id };
    const verifier = oauth4webapi.generateRandomCodeVerifier();
    const authorizationUrl = new URL(server.authorization_endpoint ?? '');
    authorizationUrl.search = String(
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
    const parameters = oauth4webapi.validateAuthResponse(
      server,
      client,
      await followRedirect(authorizationUrl),
      's',
    );
    const response = await oauth4webapi.authorizationCodeGrantRequest(
      server,
      client,
      oauth4webapi.ClientSecretBasic(secret),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    return (await oauth4webapi.processAuthorizationCodeResponse(server, client, response)).access_token;
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
    const authenticate = (query: object) =>
      new Promise<{ location?: string; user?: { token: string } }>((resolve, reject) => {
        const actions = Object.assign(Object.create(strategy) as PassportOAuth2, {
          redirect: (location: string) => resolve({ location }),
          success: (user: { token: string }) => resolve({ user }),
          error: reject,
          fail: reject,
        });
        actions.authenticate({ query, session, headers: {} } as never);
      });
    const callbackUrl = await followRedirect((await authenticate({})).location ?? '');
    return (await authenticate(Object.fromEntries(callbackUrl.searchParams))).user?.token ?? '';
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
    const callbackUrl = await followRedirect(client.code.getUri());
    return (await client.code.getToken(callbackUrl.href)).accessToken;
  },

  'grant, as a separate server': async ({ baseUrl }) => {
    let app: GrantHandler | undefined;
    const server = createServer(async (request, response) => {
      const { redirect, response: providerResponse } = (await app?.(request, response)) ?? {};
      if (!redirect) response.end(JSON.stringify(providerResponse ?? { at: request.url }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The types of the library don't have the handler for Node's HTTP server.
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

/** Opens a URL, follows redirects with the session's cookie, and returns the access token in the last response. */
async function visit(authorizationUrl: string): Promise<string> {
  let [url, cookie] = [authorizationUrl, ''];
  for (let steps = 0; steps < 10; steps++) {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    const location = response.headers.get('location');
    if (location === null) {
      const { access_token: token, ...body } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(JSON.stringify(body));
      return token;
    }
    url = new URL(location, url).href;
  }
  throw new Error('too many redirects');
}

describe.each(Object.entries(clients))('%s', (_, signIn) => {
  it('signs in, and gets a token with the requested scopes', async () => {
    const served = await serve({ isAutoApproved: true });
    const token = await signIn(served);
    const whoami = await served.request('/whoami', { headers: { authorization: `Bearer ${token}` } });
    expect(whoami.status).toBe(200);
    const { data } = (await whoami.json()) as { data: { scopes: string[] } };
    expect(data.scopes).toEqual(scopes);
  });

  it('fails at a strict sandbox', async () => {
    await expect(signIn(await serve({ isAutoApproved: true, isStrict: true }))).rejects.toThrow();
  });
});
