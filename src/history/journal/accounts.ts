/** Which writes of a journal belong to the account in use: several businesses may share an address. */
import type { Journal } from './journal.ts';

export interface AccountInUse {
  /** Stands for the token at its address; see `whoamiKey`. */
  key: string;
  business: string | undefined;
  /** Asks the service, where the journal holds what may be another’s. */
  ask(): Promise<string | undefined>;
}

/** Their ids in the journal; undefined where all that is in it is the account's own. */
export async function accountsInUse(
  { database }: Journal,
  { key, business, ask }: AccountInUse,
): Promise<number[] | undefined> {
  const all = database.all('SELECT id, key, business FROM accounts');
  const own = all.find((one) => one.key === key);
  if (all.length === 0 || (all.length === 1 && own)) return undefined;
  const known = business ?? (own?.business == null ? undefined : String(own.business)) ?? (await ask());
  const mine = all.filter((one) => one.key === key || (known !== undefined && one.business === known));
  return mine.map(({ id }) => Number(id));
}
