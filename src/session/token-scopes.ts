/** What is known of a token's scopes without asking: from the service's last word, else from the token itself. */
import { readClaims } from '../auth/jwt.ts';
import type { Environment } from '../base/environment.ts';
import { passedMs } from '../base/stopwatch.ts';
import { isTexts } from '../client/shape.ts';
import type { Settings } from '../settings/settings.ts';
import { openWhoamiCache } from '../settings/whoami-cache.ts';
import { accountKeyOf } from './account.ts';

export interface KnownScopes {
  scopes: readonly string[];
  /** `whoami` within ten minutes, `whoami` when the profile signed in, or the claims of a JWT. */
  from: 'service' | 'sign-in' | 'token';
}

/** In milliseconds. */
const freshFor = 1000;

export interface TokenScopes {
  /** Undefined where nothing is known: then the service decides. */
  known(): KnownScopes | undefined;
  /** Takes note of what `whoami` has just answered. */
  learn(scopes: unknown): void;
}

/**
 * The service's own word goes before the claims of a token, which nobody here can verify (docs/reference/deployments.md: "Addresses").
 * An empty list, or `*`, is no knowledge: a token without a single scope would be of no use to anyone.
 */
export function tokenScopes(settings: Settings, environment: Environment): TokenScopes {
  const { token } = settings;
  if (token === undefined) return { known: () => undefined, learn: () => undefined };
  const cache = openWhoamiCache(environment);
  const key = accountKeyOf(settings);
  let last: { known: KnownScopes | undefined; at: number } | undefined;
  const look = (): KnownScopes | undefined => {
    const candidates = [
      () => ({ scopes: cache.get(key), from: 'service' as const }),
      () => ({ scopes: settings.tokenScopes, from: 'sign-in' as const }),
      () => ({ scopes: readClaims(token.reveal())?.scopes, from: 'token' as const }),
    ];
    for (const candidate of candidates) {
      const { scopes, from } = candidate();
      if (isTelling(scopes)) return { scopes, from };
    }
    return undefined;
  };
  return {
    known() {
      // Another process may have learnt more; but a run asks this for every row.
      const at = passedMs();
      if (last === undefined || at - last.at > freshFor) last = { known: look(), at };
      return last.known;
    },
    learn(scopes) {
      last = undefined;
      if (isTexts(scopes) && isTelling(scopes)) cache.put(key, scopes);
    },
  };
}

function isTelling(scopes: readonly string[] | undefined): scopes is readonly string[] {
  return scopes !== undefined && scopes.length > 0 && !scopes.includes('*');
}
