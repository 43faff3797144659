/** Reads the response of the authorization page, from the redirect or from pasted text: a code, or a denial. */
import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { isSameState } from './authorization-url.ts';
import { checkHint, redactMessage, refusedValues } from './excerpt.ts';

/** The values that a response is checked against. */
export interface ExpectedResponse {
  /** The state that was sent in the authorization URL. */
  state: string;
  /** Whether to accept a response without a state, such as from the service's app store. A wrong state is never accepted. */
  allowMissingState?: boolean;
}

/** The failure of a response with a wrong or missing state. It isn't the response to this sign-in, which may still arrive. */
export class ForeignResponse extends Failure {
  constructor(message: string, hint: Hint) {
    super('not_signed_in', message, { hint });
  }
}

const signInHint = boh.hint`To sign in again: ${boh.profile('auth login')}`;

/**
 * Returns the authorization code of a response. Checks the state first, even for a denial. Throws `not_signed_in`: a
 * `ForeignResponse` for a wrong or missing state.
 */
export function parseCallback(query: URLSearchParams, expected: ExpectedResponse): string {
  checkState(query, expected);
  const error = query.get('error');
  if (error === 'access_denied') {
    throw new Failure('not_signed_in', 'The authorization request was denied. Nothing was changed.', {
      hint: signInHint,
    });
  }
  if (error !== null) {
    const description = query.get('error_description');
    const reason = redactMessage(description ? `${error}: ${description}` : error, [expected.state]);
    const refused = refusedValues([description ?? '', error]);
    throw new Failure('not_signed_in', `The service returned an error instead of a code: ${reason}`, {
      hint: refused.length > 0 ? checkHint(refused) : signInHint,
    });
  }
  const codes = query.getAll('code');
  const [code = ''] = codes;
  if (codes.length !== 1 || !isAuthorizationCode(code)) {
    throw new Failure('not_signed_in', 'The response of the service contains no valid code.', {
      hint: signInHint,
    });
  }
  return code;
}

/** Returns whether text has the characters that OAuth 2.0 allows in a code, and a length that fits in a URL. */
function isAuthorizationCode(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

function checkState(query: URLSearchParams, { state, allowMissingState = false }: ExpectedResponse): void {
  const states = query.getAll('state');
  const [received = ''] = states;
  if (received === '') {
    if (allowMissingState) return;
    throw new ForeignResponse(
      'The response has no state parameter, so it was rejected.',
      'If you started from the app store of the service, sign in again with --allow-missing-state.',
    );
  }
  if (states.length !== 1 || !isSameState(state, received)) {
    throw new ForeignResponse('The response belongs to another sign-in, so it was rejected.', [
      'Close other pages of the service. ',
      signInHint,
    ]);
  }
}

/** The values that a pasted response is checked against. */
export interface ExpectedPastedResponse extends ExpectedResponse {
  /** The redirect URI. A pasted URL must be the same. */
  redirectUri: string;
}

/**
 * Returns the code from pasted text: a URL, its query, or only the code. In a URL, the state and the redirect URI are
 * checked, because a code for another redirect URI belongs to another sign-in. A code alone can't be checked. Throws
 * `usage` or `not_signed_in`.
 */
export function parsePastedResponse(text: string, expected: ExpectedPastedResponse): string {
  const unwrapped = text.length > maxPastedCharacters ? '' : unwrap(text);
  const query = queryOf(unwrapped);
  if (query.has('code') || query.has('error')) {
    if (!isRedirectUrl(unwrapped, expected.redirectUri)) {
      throw usage(`The pasted URL isn't ${expected.redirectUri}, so it was rejected.`, {
        hint: 'Copy the URL of the page that opens after you approve.',
      });
    }
    return parseCallback(query, expected);
  }
  if (isAuthorizationCode(unwrapped) && !/[?=]|:\/\//.test(unwrapped)) return unwrapped;
  throw usage('The pasted text is neither a code nor a URL that contains one.', {
    hint: 'Approve first. Then copy the whole URL of the page that opens, even if that page shows an error.',
  });
}

/** Returns whether a URL is the redirect URI with a response in its query. Also true for a query alone. */
function isRedirectUrl(text: string, redirectUri: string): boolean {
  const queryStart = text.indexOf('?');
  if (queryStart <= 0) return true;
  const redirect = new URL(redirectUri);
  // Some browsers copy URLs without the scheme.
  const url = /^https?:\/\//i.test(text) ? text : `${redirect.protocol}//${text}`;
  if (!URL.canParse(url)) return false;
  const { origin, pathname, username, password, searchParams } = new URL(url);
  const hasNoCredentials = username === '' && password === '';
  const hasExpectedQuery = [...redirect.searchParams].every(([name, value]) =>
    searchParams.getAll(name).includes(value),
  );
  return hasNoCredentials && hasExpectedQuery && origin === redirect.origin && pathname === redirect.pathname;
}

/** The maximum length of pasted text, in characters. Browsers and servers don't accept longer URLs. */
const maxPastedCharacters = 16_384;

/** Removes quotes and angle brackets, which mail programs and shells put around a URL. */
function unwrap(text: string): string {
  const trimmed = text.trim();
  const content = trimmed.replace(/^(?:"(.*)"|'(.*)'|<(.*)>)$/s, '$1$2$3');
  return content === trimmed ? trimmed : unwrap(content);
}

function queryOf(text: string): URLSearchParams {
  const [beforeFragment = ''] = text.split('#', 1);
  return new URLSearchParams(beforeFragment.slice(beforeFragment.indexOf('?') + 1));
}
