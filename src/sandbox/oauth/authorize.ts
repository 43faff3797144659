/** The request for a code, read and judged: what to ask the person, or where to go instead. */
import { type Scope, scopeNames } from '../../contract/scope.ts';
import { demoClient, isOwnRedirect } from './clients.ts';
import type { Approval } from './codes.ts';
import { challengeIn } from './pkce.ts';

/**
 * `ask` the person. `stop` shows a page and sends nobody anywhere: whoever made the address is not to be trusted.
 * `back` tells the application what is wrong with its request.
 */
export type Judged =
  | { kind: 'ask'; approval: Approval; state: string }
  | { kind: 'stop'; reason: string }
  | { kind: 'back'; address: string };

/**
 * The document does not show this request ("Authentication", 7): it is that of OAuth 2.0 (RFC 6749, 4.1.1), of which
 * deployments need no more than `client_id` and `state`. Without `scope`, all that the application may ask for.
 * Unless it is to be strict, PKCE does for a state, and commas between scopes are taken.
 */
export function judge(query: URLSearchParams, isStrict: boolean): Judged {
  const repeated = [...new Set(query.keys())].find((name) => query.getAll(name).length > 1);
  if (repeated !== undefined) return stop(`The address has ${repeated} more than once.`);
  const clientId = query.get('client_id') ?? '';
  if (clientId === '') return stop('The address lacks client_id, which says what application asks.');
  if (clientId !== demoClient.id) return stop(`No application has the id “${clientId}”.`);
  const redirectUri = query.get('redirect_uri') ?? '';
  if (redirectUri === '') return stop('The address lacks redirect_uri, which says where to go afterwards.');
  if (!isOwnRedirect(redirectUri)) {
    return stop(`${redirectUri} is not an address of this machine, such as http://127.0.0.1:8000/callback.`);
  }
  const state = query.get('state') ?? '';
  const back = (error: string, description: string): Judged => ({
    kind: 'back',
    address: addressWith(redirectUri, { error, error_description: description, state }),
  });
  const challenge = isStrict ? undefined : challengeIn(query);
  if (typeof challenge === 'string') return back('invalid_request', challenge);
  if (state === '' && challenge === undefined) return back('invalid_request', 'The request lacks state.');
  const responseType = query.get('response_type') ?? 'code';
  if (responseType !== 'code') return back('unsupported_response_type', 'The response_type must be code.');
  const asked = (query.get('scope') ?? '').split(isStrict ? ' ' : /[ ,]/).filter((name) => name !== '');
  const unknown = asked.filter((name) => !isScope(name));
  if (unknown.length > 0) return back('invalid_scope', `There is no scope ${unknown.join(', ')}.`);
  const scopes = asked.length === 0 ? scopeNames : scopeNames.filter((name) => asked.includes(name));
  return { kind: 'ask', approval: { clientId, redirectUri, scopes, challenge }, state };
}

/** Where the person goes after approving. */
export function approvedAddress({ redirectUri }: Approval, code: string, state: string): string {
  return addressWith(redirectUri, { code, state });
}

/** Where the person goes after denying. */
export function deniedAddress({ redirectUri }: Approval, state: string): string {
  return addressWith(redirectUri, { error: 'access_denied', state });
}

/** What the address holds already is kept. */
function addressWith(redirectUri: string, parameters: Record<string, string>): string {
  const address = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value);
  }
  return address.href;
}

function stop(reason: string): Judged {
  return { kind: 'stop', reason };
}

function isScope(name: string): name is Scope {
  return (scopeNames as string[]).includes(name);
}
