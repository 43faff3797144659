/** Which writes of a journal belong to the account in use: several businesses may share an address. */
import { type AccountInUse, type FileOwner, matchOwner, type OwnerMatch } from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Journal } from './journal.ts';

/** An account that has written into a journal: a token, and its business where that was told. */
export interface Writer {
  /** In the journal. */
  id: number;
  owner: FileOwner;
}

export interface Owned {
  /** Their ids in the journal; undefined where all that is in it is the account's own. */
  accounts: number[] | undefined;
  /** Writes that were sent with other tokens, of which nobody knows whether they are the account's own: not among them. */
  unknown: number;
}

/** All accounts that have written into the journal of a place. */
export function writersIn({ database }: Journal, place: string): Writer[] {
  return database.all('SELECT id, key, business, business_name FROM accounts').map((row) => {
    const { id, key, business, business_name: name } = row;
    const told = business != null && { id: String(business), name: name == null ? undefined : String(name) };
    return { id: Number(id), owner: { place, key: String(key), ...(told && { business: told }) } };
  });
}

/** `ask` asks the service whose the token is, where the journal holds what may be another’s. */
export async function accountsInUse(
  journal: Journal,
  { account, ask }: { account: AccountInUse; ask(): Promise<AccountInUse> },
): Promise<Owned> {
  const { key } = account;
  const all = writersIn(journal, account.place);
  const own = all.find(({ owner }) => owner.key === key)?.owner;
  if (all.length === 0 || (all.length === 1 && own)) return { accounts: undefined, unknown: 0 };
  const business = account.business ?? own?.business;
  const inUse = business ? { ...account, business } : await ask();
  if (own && !own.business && inUse.business) note(journal, own, inUse.business.id);
  const idsOf = (isMeant: (match: OwnerMatch) => boolean) =>
    all.filter(({ owner }) => isMeant(matchOwner(owner, inUse))).map(({ id }) => id);
  const mine = idsOf((match) => match === 'own');
  const unknown = idsOf((match) => match === 'unknown' || match === 'unclear');
  const { count } =
    journal.database.get(
      `SELECT count(*) AS count FROM entries
       WHERE kind IN (SELECT id FROM kinds WHERE account IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(unknown),
    ) ?? {};
  return { accounts: mine, unknown: Number(count) };
}

/** The accounts that wrote the entries up to a number. */
export function writersUpTo(journal: Journal, number: number, place: string): Writer[] {
  return writersWhere(journal, place, 'entries.number <= ?', number);
}

/** The accounts that wrote these entries. */
export function writersOf(journal: Journal, numbers: readonly number[], place: string): Writer[] {
  const which = 'entries.number IN (SELECT value FROM json_each(?))';
  return writersWhere(journal, place, which, JSON.stringify(numbers));
}

function writersWhere(journal: Journal, place: string, condition: string, cell: number | string): Writer[] {
  const rows = journal.database.all(
    `SELECT DISTINCT account FROM kinds
     WHERE EXISTS (SELECT 1 FROM entries WHERE entries.kind = kinds.id AND ${condition})`,
    cell,
  );
  const ids = new Set(rows.map(({ account }) => Number(account)));
  return writersIn(journal, place).filter(({ id }) => ids.has(id));
}

/** For whoever reads it with another token of the business. One that can’t be written can be read all the same. */
function note({ database }: Journal, { key = '' }: FileOwner, business: string): void {
  try {
    database.run('UPDATE accounts SET business = ? WHERE key = ?', business, key);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
  }
}
