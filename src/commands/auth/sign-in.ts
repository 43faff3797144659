/** From the page on which someone approves to a token: the authorization code flow. */
import type { AuthorizeRequest } from '../../auth/authorize-address.ts';
import { exchangeCode } from '../../auth/exchange.ts';
import { challengeFor, newVerifier } from '../../auth/pkce.ts';
import { readToken, type Secret } from '../../settings/secret.ts';
import type { Settings } from '../../settings/settings.ts';
import { note } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { askForApproval, type Way } from './approval.ts';
import { postOverNetwork } from './post-over-network.ts';

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
