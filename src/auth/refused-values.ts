/** Finds out which values of a sign-in an OAuth error is about (RFC 6749, 4.1.2.1 and 5.2). */
import { boh, type Hint } from '../base/hint.ts';

/** The values, with the texts that name them and what to check. The service's own words vary. */
const values = [
  { name: 'client ID', named: /client[_ ]?id\b|unknown client|(un|in)\w*_client/i, advice: '--client-id' },
  {
    name: 'client secret',
    named: /secret|invalid_client/i,
    advice: 'BOH_CLIENT_SECRET or --client-secret-file',
  },
  { name: 'redirect URI', named: /redirect|invalid_grant/i, advice: '--redirect-uri, exactly as registered' },
  { name: 'scopes', named: /scope/i, advice: '--scopes' },
  { name: 'code', named: /\bcode\b|expired|revoked|invalid_grant/i, advice: 'valid once, for ten minutes' },
];

/** A value of a sign-in. */
export type SignInValue = (typeof values)[number];

/** Returns the values that the first of the texts with a value names; the most specific text comes first. */
export function refusedValues(texts: readonly string[]): SignInValue[] {
  const named = texts.map((text) => values.filter((value) => value.named.test(text)));
  return named.find((found) => found.length > 0) ?? [];
}

/** Returns a hint to check these values; all but the scopes if the service names none. */
export function checkHint(refused: readonly SignInValue[]): Hint {
  const suspects = refused.length > 0 ? refused : values.filter(({ name }) => name !== 'scopes');
  const list = suspects.map(({ name, advice }) => `${name} (${advice})`).join(', ');
  return boh.hint`Check: ${list}. To sign in again: ${boh.profile('auth login')}`;
}
