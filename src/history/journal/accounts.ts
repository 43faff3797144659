/** Finds the writes of the current account: businesses at the same base URL share a journal. */
import { type AccountInUse, type FileOwner, matchOwner, type OwnerMatch } from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Journal } from './journal.ts';

/** An account that has written to a journal: a token, and its business if it was reported. */
export interface Writer {
  /** The account's ID in the journal. */
  id: number;
  owner: FileOwner;
}

/** The entries of the account in use. */
export interface OwnedAccounts {
  /** Account IDs in the journal; undefined if the whole journal belongs to this account. */
  accounts: number[] | undefined;
  /** The number of writes with other tokens that may or may not belong to this account; they are excluded. */
  unknown: number;
}

/** Returns all accounts that have written to the journal of a service. */
export function writersIn({ database }: Journal, service: string): Writer[] {
  return database.all('SELECT id, key, business, business_name FROM accounts').map((row) => {
    const { id, key, business, business_name: name } = row;
    const reportedBusiness = business != null && {
      id: String(business),
      name: name == null ? undefined : String(name),
    };
    return {
      id: Number(id),
      owner: { service, key: String(key), ...(reportedBusiness && { business: reportedBusiness }) },
    };
  });
}

/**
 * Returns the journal's accounts that belong to the current one. Calls `ask` (a request) only if other accounts may
 * have written.
 */
export async function accountsInUse(
  journal: Journal,
  { account, ask }: { account: AccountInUse; ask(): Promise<AccountInUse> },
): Promise<OwnedAccounts> {
  const { key } = account;
  const writers = writersIn(journal, account.service);
  const ownOwner = writers.find(({ owner }) => owner.key === key)?.owner;
  if (writers.length === 0 || (writers.length === 1 && ownOwner)) return { accounts: undefined, unknown: 0 };
  const business = account.business ?? ownOwner?.business;
  const inUse = business ? { ...account, business } : await ask();
  if (ownOwner && !ownOwner.business && inUse.business) recordBusiness(journal, ownOwner, inUse.business.id);
  const idsOf = (isSelected: (match: OwnerMatch) => boolean) =>
    writers.filter(({ owner }) => isSelected(matchOwner(owner, inUse))).map(({ id }) => id);
  const ownIds = idsOf((match) => match === 'own');
  const unknownIds = idsOf((match) => match === 'unknown' || match === 'unclear');
  const { count } =
    journal.database.get(
      `SELECT count(*) AS count FROM entries JOIN commands ON commands.id = entries.command
       WHERE commands.account IN (SELECT value FROM json_each(?))`,
      JSON.stringify(unknownIds),
    ) ?? {};
  return { accounts: ownIds, unknown: Number(count) };
}

/** Returns the accounts that wrote the entries up to a number. */
export function writersUpTo(journal: Journal, number: number, service: string): Writer[] {
  return writersWhere(journal, service, 'entries.number <= ?', number);
}

/** Returns the accounts that wrote these entries. */
export function writersOf(journal: Journal, numbers: readonly number[], service: string): Writer[] {
  const condition = 'entries.number IN (SELECT value FROM json_each(?))';
  return writersWhere(journal, service, condition, JSON.stringify(numbers));
}

function writersWhere(journal: Journal, service: string, condition: string, cell: number | string): Writer[] {
  const rows = journal.database.all(
    `SELECT DISTINCT account FROM commands
     WHERE EXISTS (SELECT 1 FROM entries WHERE entries.command = commands.id AND ${condition})`,
    cell,
  );
  const ids = new Set(rows.map(({ account }) => Number(account)));
  return writersIn(journal, service).filter(({ id }) => ids.has(id));
}

/**
 * Records the token's business, so that other tokens of the business find it. A read-only journal can still be read.
 */
function recordBusiness({ database }: Journal, { key = '' }: FileOwner, business: string): void {
  try {
    database.run('UPDATE accounts SET business = ? WHERE key = ?', business, key);
  } catch (error) {
    if (!(error instanceof StorageFailure)) throw error;
  }
}
