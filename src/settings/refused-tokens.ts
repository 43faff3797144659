/**
 * Tokens that a service has just refused, kept for a minute: many processes with one of them would soon have made the
 * sixty refusals by which services shut an address out for an hour (docs/reference/deployments.md: "Answers").
 */

import type { Environment } from '../base/environment.ts';
import { openCacheFile } from './cache-file.ts';
import { placeOf, type Settings } from './settings.ts';
import { takeTrial } from './token-trials.ts';
import { whoamiKey } from './whoami-cache.ts';

export interface TokenRefusal {
  /** For how many milliseconds more the token isn't asked with again; undefined where it may be. */
  remaining(): number | undefined;
  remember(): void;
  /** Waits while many others show the service the token for the first time; the answer is to be called after that. */
  admit(signal?: AbortSignal): Promise<() => void>;
  /** Whoever tries a token on purpose, by signing in or asking for its state, has it asked with. */
  forget(): void;
}

const lifetime = 60_000;

/** Of the token in the settings, at their address. `now` gives milliseconds since 1970. */
export function refusalOf(
  settings: Settings,
  environment: Environment,
  now: () => number = Date.now,
): TokenRefusal {
  const { token, apiPrefix } = settings;
  if (token === undefined) {
    return { remaining: () => undefined, remember() {}, forget() {}, admit: async () => () => {} };
  }
  const key = whoamiKey(placeOf(settings) + apiPrefix, token);
  const file = openCacheFile(environment, 'refused.json');

  const fresh = (): Record<string, number> => {
    const entries = Object.entries(file.read()).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    );
    return Object.fromEntries(entries.filter(([, at]) => at <= now() && now() - at < lifetime));
  };

  const remaining = () => {
    const at = fresh()[key];
    return at === undefined ? undefined : at + lifetime - now();
  };

  return {
    remaining,
    admit: (signal) => takeTrial(environment, key, { isOver: () => remaining() !== undefined, signal }),
    remember: () => file.write({ ...fresh(), [key]: now() }),
    forget() {
      const { [key]: refused, ...others } = fresh();
      if (refused !== undefined) file.write(others);
    },
  };
}
