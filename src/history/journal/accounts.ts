/** Which writes of a journal belong to the account in use: several businesses may share an address. */
import { StorageFailure } from '../../storage/failures.ts';
import type { Journal } from './journal.ts';

export interface AccountInUse {
  /** Stands for the token at its address; see `whoamiKey`. */
  key: string;
  business: string | undefined;
  /** Asks the service, where the journal holds what may be another’s. */
  ask(): Promise<string | undefined>;
}

export interface Owned {
  /** Their ids in the journal; undefined where all that is in it is the account's own. */
  accounts: number[] | undefined;
  /** Writes that were sent with other tokens, of which nobody knows whose business it was: they are not among them. */
  unknown: number;
}

export async function accountsInUse(journal: Journal, { key, business, ask }: AccountInUse): Promise<Owned> {
  const { database } = journal;
  const all = database.all('SELECT id, key, business FROM accounts');
  const own = all.find((one) => one.key === key);
  if (all.length === 0 || (all.length === 1 && own)) return { accounts: undefined, unknown: 0 };
  const known = business ?? (own?.business == null ? undefined : String(own.business)) ?? (await ask());
  if (own?.business === null && known !== undefined) note(journal, key, known);
  const mine = all.filter((one) => one.key === key || (known !== undefined && one.business === known));
  const unknown = all.filter((one) => one.key !== key && one.business === null).map(({ id }) => id);
  const { count } =
    database.get(
      `SELECT count(*) AS count FROM entries
       WHERE kind IN (SELECT id FROM kinds WHERE account IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(unknown),
    ) ?? {};
  return { accounts: mine.map(({ id }) => Number(id)), unknown: Number(count) };
}

/** For whoever reads it with another token of the business. One that can’t be written can be read all the same. */
function note({ database }: Journal, key: string, business: string): void {
  try {
    database.run('UPDATE accounts SET business = ? WHERE key = ?', business, key);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
  }
}
