/** The answer of the authorization page as someone pastes it: the address the browser ended up on, or the code. */
import { usage } from '../errors.ts';
import { codeFrom, type Expected, isCode } from './callback.ts';

/**
 * Takes the code out of a pasted address, of its query alone, or the code itself. In an address the state is
 * checked; a bare code has none, and someone put it there by hand. Throws `usage` or `not_signed_in`.
 */
export function readPasted(text: string, expected: Expected): string {
  const bare = text.length > longest ? '' : unwrap(text);
  const query = queryOf(bare);
  if (query.has('code') || query.has('error')) return codeFrom(query, expected);
  if (isCode(bare) && !/[?=]|:\/\//.test(bare)) return bare;
  throw usage('What was pasted is neither the address that the browser ended up on nor a code.', {
    hint: 'Approve first; then copy the whole address of the page you land on, even if that page shows an error.',
  });
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
