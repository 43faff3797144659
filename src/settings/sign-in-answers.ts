/**
 * What somebody has answered on the way to a sign-in that came to nothing, to be offered at the next try. Never a
 * secret: those are asked for again.
 */

import type { Environment } from '../base/environment.ts';
import { openCacheFile } from './cache-file.ts';

/** As typed, by the name of the setting. */
export type Answers = Readonly<Record<string, string>>;

export interface SignInAnswers {
  get(): Answers;
  put(setting: string, answer: string): void;
  /** They are in the profile by now. */
  forget(): void;
}

export function openSignInAnswers(environment: Environment, profile: string): SignInAnswers {
  const file = openCacheFile(environment, 'sign-in.json');
  const get = (): Answers => {
    const entries = file.read();
    const own = Object.hasOwn(entries, profile) ? entries[profile] : undefined;
    const texts = Object.entries(Object(own)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return Object.fromEntries(texts);
  };
  return {
    get,
    put: (setting, answer) => file.write({ ...file.read(), [profile]: { ...get(), [setting]: answer } }),
    forget() {
      const { [profile]: own, ...others } = file.read();
      if (own !== undefined) file.write(others);
    },
  };
}
