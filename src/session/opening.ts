/** What an account is opened with: the API, the settings, how far writes may go, and who is asked and told. */
import type { Call } from '../client/request.ts';
import type { Settings } from '../settings/settings.ts';
import type { ConnectionOptions } from './connection.ts';
import type { Unsettled } from './settle.ts';
import type { WriteObserver } from './write.ts';

/** `Opened` is what is made of them. */
export interface Opening<Opened> extends ConnectionOptions {
  /** Writes are planned and not sent; reads are sent all the same, to resolve names. */
  dryRun?: boolean | undefined;
  /** Nothing is sent at all: names stay as they are. Goes with `dryRun`. */
  offline?: boolean | undefined;
  /** Leave out the checks against the contract and against the token's scopes. */
  unchecked?: boolean | undefined;
  /**
   * Asked once, before the first write, with that write where it is one of the contract’s: whoever runs the program
   * may throw to stop it. Where the profile is protected and nobody can be asked, writes are refused.
   */
  approve?: ((settings: Settings, call?: Call) => Promise<void>) | undefined;
  observers?: readonly WriteObserver[] | undefined;
  /** Asked where a look-up names no record, or several: the id that was meant; nothing leaves it a failure. */
  choose?: ((wanted: Unsettled, session: Opened) => Promise<string | undefined>) | undefined;
}
