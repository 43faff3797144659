/** From the page on which someone approves to a token: the authorization code flow. */
import type { AuthorizeRequest } from '../../auth/authorize-address.ts';
import { exchangeCode, type Post } from '../../auth/exchange.ts';
import { challengeFor, newVerifier } from '../../auth/pkce.ts';
import { networkTransport } from '../../client/network.ts';
import { TransportError } from '../../client/transport.ts';
import { Failure } from '../../errors.ts';
import { readToken, type Secret } from '../../settings/secret.ts';
import type { Settings } from '../../settings/settings.ts';
import { note } from '../../terminal/messages.ts';
import { userAgent } from '../../version.ts';
import type { Context } from '../context.ts';
import { askForApproval, type Way } from './approval.ts';

/** The app as the service knows it, and where it is asked about. */
export interface App extends Omit<AuthorizeRequest, 'state' | 'challenge'> {
  tokenUrl: string;
  clientSecret: Secret;
  oauth: Settings['oauth'];
  timeoutMs: number;
}

/** Throws `not_signed_in` for a denial or an answer that isn't ours; nothing is kept then. */
export async function signIn(app: App, way: Way, context: Context): Promise<Secret> {
  const verifier = app.oauth.pkce ? newVerifier() : undefined;
  const challenge = verifier && challengeFor(verifier);
  const { code, redirectUri } = await askForApproval({ ...app, challenge }, way, context);
  note(context.streams, 'Approved. Exchanging the code for a token.');
  const token = await exchangeCode({
    tokenUrl: app.tokenUrl,
    code,
    clientId: app.clientId,
    clientSecret: app.clientSecret.reveal(),
    redirectUri,
    verifier,
    style: app.oauth,
    post: postOverNetwork(app.timeoutMs, context),
  });
  return readToken(token);
}

/** Over the client's own transport, with its proxies, certificates and bounds. */
function postOverNetwork(timeoutMs: number, { env, globals, signal, streams }: Context): Post {
  return async (url, { headers: given, body, longestAnswer }) => {
    const send = networkTransport({ baseUrl: url.origin, timeoutMs, env, longestAnswer });
    const headers = { ...given, 'user-agent': userAgent() };
    const request = { method: 'POST', path: url.pathname };
    try {
      const start = performance.now();
      const answer = await send({ method: 'POST', target: url.pathname + url.search, headers, body }, signal);
      const ms = Math.round(performance.now() - start);
      if (globals.verbose) note(streams, `POST ${url.pathname}: ${answer.status} in ${ms} ms`);
      return { status: answer.status, text: answer.body };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      signal.throwIfAborted();
      throw new Failure('unavailable', error.message, {
        request,
        hint: error.hint ?? 'Check the network and the address, then sign in again with `boh auth login`.',
        cause: error,
      });
    }
  };
}
