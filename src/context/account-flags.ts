/** The flags of a command line that choose the account. */

import type { RepeatedFlags } from '../base/hint.ts';
import type { Globals } from './context.ts';

/** Returns the flags that choose the account. */
export function accountFlags({ sandbox, profile, baseUrl, apiPrefix }: Globals): string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(apiPrefix === undefined ? [] : ['--api-prefix', apiPrefix]),
  ];
}

/** Returns the flags that command lines in messages repeat; `mirror` is the value of `--to`. */
export function repeatedFlags(globals: Globals, mirror: string | undefined): RepeatedFlags {
  return {
    account: accountFlags(globals),
    profile: accountFlags({ ...globals, sandbox: false }),
    mirror: mirror === undefined ? [] : ['--to', mirror],
  };
}
