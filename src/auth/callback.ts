/** Reads the answer of the authorization page, as the redirect brings it or as someone pastes it: a code, or a denial. */
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { sameState } from './authorize-address.ts';
import { sentence } from './excerpt.ts';

/** What an answer is checked against. */
export interface Expected {
  /** The state that went out with the question. */
  state: string;
  /** Accept an answer without a state, as comes from a service's own app store. One with a wrong state never is. */
  allowMissingState?: boolean;
}

const lost = boh.hint`To sign in again: ${boh.profile('auth login')}`;

/**
 * Returns the code of an answer. The state is checked before anything else is believed, a denial included.
 * Throws `not_signed_in`.
 */
export function codeFrom(query: URLSearchParams, expected: Expected): string {
  checkState(query, expected);
  const error = query.get('error');
  if (error === 'access_denied') {
    throw new Failure('not_signed_in', 'The authorization request was denied. Nothing was changed.', {
      hint: lost,
    });
  }
  if (error !== null) {
    const description = query.get('error_description');
    const reason = sentence(description ? `${error}: ${description}` : error, [expected.state]);
    throw new Failure('not_signed_in', `The service returned an error instead of a code: ${reason}`, {
      hint: lost,
    });
  }
  const codes = query.getAll('code');
  const [code = ''] = codes;
  if (codes.length !== 1 || !isCode(code)) {
    throw new Failure('not_signed_in', 'The response of the service contains no valid code.', {
      hint: lost,
    });
  }
  return code;
}

/** Returns whether a text has the characters that OAuth 2.0 allows in a code, and a length that fits in a URL. */
function isCode(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

function checkState(query: URLSearchParams, { state, allowMissingState = false }: Expected): void {
  const states = query.getAll('state');
  const [received = ''] = states;
  if (received === '') {
    if (allowMissingState) return;
    throw new Failure('not_signed_in', 'The response has no state parameter, so it was rejected.', {
      hint: 'If you started from the app store of the service, sign in again with --allow-missing-state.',
    });
  }
  if (states.length !== 1 || !sameState(state, received)) {
    throw new Failure('not_signed_in', 'The response belongs to another sign-in, so it was rejected.', {
      hint: ['Close other pages of the service. ', lost],
    });
  }
}

/** The same for a pasted answer. */
export interface PasteExpected extends Expected {
  /** Where the page leads back to: an address that is pasted must be this one. */
  redirectUri: string;
}

/**
 * Takes the code out of a pasted address, of its query alone, or the code itself. In an address the state is
 * checked, and whether it is the redirect address: a code that was requested with another address belongs to someone
 * else. A bare code has neither, and someone put it there by hand. Throws `usage` or `not_signed_in`.
 */
export function readPasted(text: string, expected: PasteExpected): string {
  const bare = text.length > maxLength ? '' : unwrap(text);
  const query = queryOf(bare);
  if (query.has('code') || query.has('error')) {
    if (!isAt(bare, expected.redirectUri)) {
      throw usage(`The pasted address isn't ${expected.redirectUri}, so it was rejected.`, {
        hint: 'Copy the address of the page that opens after you approve.',
      });
    }
    return codeFrom(query, expected);
  }
  if (isCode(bare) && !/[?=]|:\/\//.test(bare)) return bare;
  throw usage('The pasted text is neither a code nor an address that contains one.', {
    hint: 'Approve first. Then copy the whole address of the page that opens, even if that page shows an error.',
  });
}

/** Whether an address is the redirect address with an answer behind it. A query alone has no address. */
function isAt(text: string, redirectUri: string): boolean {
  const mark = text.indexOf('?');
  if (mark <= 0) return true;
  const wanted = new URL(redirectUri);
  // Some browsers copy it without the scheme.
  const address = /^https?:\/\//i.test(text) ? text : `${wanted.protocol}//${text}`;
  if (!URL.canParse(address)) return false;
  const { origin, pathname, username, password, searchParams } = new URL(address);
  const isPlain = username === '' && password === '';
  const hasItsQuery = [...wanted.searchParams].every(([name, value]) =>
    searchParams.getAll(name).includes(value),
  );
  return isPlain && hasItsQuery && origin === wanted.origin && pathname === wanted.pathname;
}

/** Longer than any address that a browser or server takes. */
const maxLength = 16_384;

/** Removes quotes and angle brackets, which mail programs and shells put around an address. */
function unwrap(text: string): string {
  const trimmed = text.trim();
  const inner = trimmed.replace(/^(?:"(.*)"|'(.*)'|<(.*)>)$/s, '$1$2$3');
  return inner === trimmed ? trimmed : unwrap(inner);
}

function queryOf(text: string): URLSearchParams {
  const [beforeFragment = ''] = text.split('#', 1);
  return new URLSearchParams(beforeFragment.slice(beforeFragment.indexOf('?') + 1));
}
