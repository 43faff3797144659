/** Whose the token is, asked of the service once; by whoever can do without the answer, only for a while. */
import { Failure } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { Api } from '../contract/api.ts';
import { operation } from '../contract/operation.ts';
import { type Account, type Asking, readAccount } from './account.ts';

export interface AccountAsked {
  /** An answer is kept; a failure, too, unless it was that of somebody in haste. */
  whoami(how?: Asking): Promise<Account>;
  /** What has been answered so far. */
  known(): Promise<Account | undefined>;
}

export function askAccount(
  api: Api,
  client: () => Promise<Client>,
  signal: AbortSignal | undefined,
): AccountAsked {
  let account: Promise<Account> | undefined;

  const ask = async (until?: AbortSignal): Promise<Account> => {
    const get = api.account && operation(api.account, 'get');
    if (!get) throw new Failure('unavailable', 'The API has no way to say who is signed in.');
    return readAccount((await (await client()).get({ operation: get, until })).record);
  };

  const askWithin = async ({ within }: Asking): Promise<Account> => {
    const haste = new AbortController();
    const isLate = () => haste.abort(late(within));
    const timer = setTimeout(isLate, within);
    try {
      const told = await ask(AbortSignal.any([haste.signal, ...(signal ? [signal] : [])]));
      account ??= Promise.resolve(told);
      return told;
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    whoami(how) {
      if (how && !account) return askWithin(how);
      account ??= ask();
      return account;
    },
    known: async () => account?.catch(() => undefined),
  };
}

function late(within: number): Failure {
  return new Failure('unavailable', `The service hasn’t said within ${within / 1000} s who is signed in.`, {
    hint: 'Try again when it answers: boh whoami',
  });
}
