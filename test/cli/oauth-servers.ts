/** Third-party OAuth servers, each with one app, a user who approves everything, and `GET /whoami`. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import OAuth2Server from '@node-oauth/oauth2-server';
import Provider from 'oidc-provider';

export const app = { id: 'boh-app', secret: 'a-secret_of.the-app' };

export interface OAuthServer {
  baseUrl: string;
  authorizeUrl: string;
  tokenUrl: string;
  close(): void;
}

const paths = { authorize: '/authorize', token: '/oauth/token' };

/** Starts panva's oidc-provider: it requires PKCE and the registered kind of client authentication. */
export async function startOidcProvider(): Promise<OAuthServer> {
  return listen((baseUrl) => {
    const provider = new Provider(baseUrl, {
      clients: [
        {
          client_id: app.id,
          client_secret: app.secret,
          redirect_uris: ['http://127.0.0.1/callback'],
          // Native apps may use any port of this machine.
          application_type: 'native',
          token_endpoint_auth_method: 'client_secret_basic',
        },
      ],
      scopes: ['general.read'],
      routes: { authorization: paths.authorize, token: paths.token },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      cookies: { keys: ['of this test'] },
      interactions: { url: () => '/sign-in' },
      findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
      async loadExistingGrant({ oidc }) {
        const grant = new provider.Grant({ clientId: app.id, accountId: oidc.session?.accountId ?? '' });
        grant.addOIDCScope('general.read');
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    return async (request, response) => {
      if (request.url === '/sign-in') {
        await provider.interactionFinished(request, response, {
          login: { accountId: 'sara' },
          // Native apps always have to ask for consent.
          consent: {},
        });
      } else if (request.url === '/whoami') {
        const token = await provider.AccessToken.find(bearer(request));
        whoami(response, token?.scope);
      } else await answer(request, response);
    };
  });
}

/** Starts @node-oauth/oauth2-server, which accepts only form bodies. */
export async function startNodeOAuth(): Promise<OAuthServer> {
  const codes = new Map<string, OAuth2Server.AuthorizationCode>();
  const tokens = new Map<string, OAuth2Server.Token>();
  const client = { id: app.id, grants: ['authorization_code'], redirectUris: ['http://127.0.0.1/callback'] };
  const user = { name: 'Sara' };
  const server = new OAuth2Server({
    model: {
      getClient: async (id, secret) => id === app.id && (secret === null || secret === app.secret) && client,
      validateRedirectUri: async (uri) => /^http:\/\/127\.0\.0\.1:\d+\/callback$/.test(uri),
      validateScope: async (_user, _client, scope) => scope ?? [],
      saveAuthorizationCode: async (code, owner) => {
        const stored = { ...code, client: owner, user };
        codes.set(code.authorizationCode, stored);
        return stored;
      },
      getAuthorizationCode: async (code) => codes.get(code),
      revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
      saveToken: async (token, owner) => {
        const stored = { ...token, client: owner, user };
        tokens.set(token.accessToken, stored);
        return stored;
      },
      getAccessToken: async (token) => tokens.get(token),
    },
  });
  return listen(() => async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname === '/whoami') return whoami(response, tokens.get(bearer(request))?.scope?.join(' '));
    const body = Object.fromEntries(new URLSearchParams(await text(request)));
    const oauthRequest = new OAuth2Server.Request({
      method: request.method ?? '',
      headers: request.headers as Record<string, string>,
      query: Object.fromEntries(searchParams),
      body,
    });
    const answer = new OAuth2Server.Response({});
    const task =
      pathname === paths.token
        ? server.token(oauthRequest, answer)
        : server.authorize(oauthRequest, answer, { authenticateHandler: { handle: () => user } });
    const failure = await task.then(() => undefined).catch((error: OAuth2Server.OAuthError) => error);
    if (failure === undefined || answer.headers?.location) {
      response.writeHead(answer.status ?? 500, answer.headers).end(JSON.stringify(answer.body));
    } else {
      const errorBody = { error: failure.name, error_description: failure.message };
      response.writeHead(failure.code, { 'content-type': 'application/json' }).end(JSON.stringify(errorBody));
    }
  });
}

async function listen(createListener: (baseUrl: string) => RequestListener): Promise<OAuthServer> {
  let answer: RequestListener = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answer = createListener(baseUrl);
  return {
    baseUrl,
    authorizeUrl: baseUrl + paths.authorize,
    tokenUrl: baseUrl + paths.token,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function bearer({ headers: { authorization = '' } }: IncomingMessage): string {
  return /^Bearer (.*)$/.exec(authorization)?.[1] ?? '';
}

function whoami(response: ServerResponse, scope: string | undefined): void {
  const data = { user: { name: 'Sara' }, business: { name: 'The Diner' }, scopes: scope?.split(' ') };
  response.setHeader('content-type', 'application/json');
  if (scope === undefined) response.writeHead(401).end('{"message":"Unauthenticated."}');
  else response.end(JSON.stringify({ data }));
}
