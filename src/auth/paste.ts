/** The answer of the authorization page as someone pastes it: the address the browser ended up on, or the code. */
import { usage } from '../base/errors.ts';
import { codeFrom, type Expected, isCode } from './callback.ts';

export interface PasteExpected extends Expected {
  /** Where the page leads back to: an address that is pasted must be this one. */
  redirectUri: string;
}

/**
 * Takes the code out of a pasted address, of its query alone, or the code itself. In an address the state is
 * checked, and whether it is the one that was asked for: a code that another address was asked for with is somebody
 * else's. A bare code has neither, and someone put it there by hand. Throws `usage` or `not_signed_in`.
 */
export function readPasted(text: string, expected: PasteExpected): string {
  const bare = text.length > longest ? '' : unwrap(text);
  const query = queryOf(bare);
  if (query.has('code') || query.has('error')) {
    if (!isAt(bare, expected.redirectUri)) {
      throw usage(`What was pasted is another address than ${expected.redirectUri}, so it is not trusted.`, {
        hint: 'Copy the address of the page that you land on after approving.',
      });
    }
    return codeFrom(query, expected);
  }
  if (isCode(bare) && !/[?=]|:\/\//.test(bare)) return bare;
  throw usage('What was pasted is neither the address that the browser ended up on nor a code.', {
    hint: 'Approve first; then copy the whole address of the page you land on, even if that page shows an error.',
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
const longest = 16_384;

/** Mail programs and shells put quotes or angle brackets around an address. */
function unwrap(text: string): string {
  const trimmed = text.trim();
  const inner = trimmed.replace(/^(?:"(.*)"|'(.*)'|<(.*)>)$/s, '$1$2$3');
  return inner === trimmed ? trimmed : unwrap(inner);
}

function queryOf(text: string): URLSearchParams {
  const [beforeFragment = ''] = text.split('#', 1);
  return new URLSearchParams(beforeFragment.slice(beforeFragment.indexOf('?') + 1));
}
