/** Opens the journal of the account in use for reading. */

import { existsSync } from 'node:fs';
import { Failure } from '../../base/errors.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { accountsInUse, writersOf } from '../../history/journal/accounts.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { journalFile } from '../../history/journal/journal-path.ts';
import { journalToRead } from '../../history/journal/journal-to-read.ts';
import { changedSince } from '../../history/undo/changed-since.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { startTimeOf } from '../../runs/ledger/run-id.ts';
import type { DescribeChange } from '../../runs/recheck-rows.ts';
import {
  type AccountInUse,
  accountFromSettings,
  accountInUse,
  matchOwner,
  ownerFailure,
  profileOf,
  serviceName,
} from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note } from '../../terminal/messages.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';

/** The journal of an endpoint, with the accounts whose writes are included. */
export interface OpenHistory {
  journal: Journal;
  /** The accounts whose writes are included; undefined for all accounts. */
  accounts: readonly number[] | undefined;
  /** The number of writes whose account is unknown. */
  unknownWrites: number;
}

/**
 * Opens the journal with the writes of all accounts. Returns undefined if it has never been written. The journal is closed
 * when the command ends.
 */
export async function openJournal(context: Context): Promise<Journal | undefined> {
  const journal = await openJournalIfExists(context);
  if (journal) context.recordedWrites.finish.push(() => journal.close());
  return journal;
}

/** Opens the history of the account in use. Returns undefined if it has never been written. It is closed when the command ends. */
export async function openHistory(
  context: Context,
  { anyAccount }: AnyAccountFlag = {},
): Promise<OpenHistory | undefined> {
  const journal = await openJournal(context);
  if (anyAccount) return journal && { journal, accounts: undefined, unknownWrites: 0 };
  const history = await limitToAccount(journal, context);
  if (history && history.unknownWrites > 0) {
    const writes = history.unknownWrites === 1 ? 'write was' : 'writes were';
    note(
      context.streams,
      `${formatCount(history.unknownWrites)} ${writes} sent with other tokens and may belong to another account: not shown. To include them: --any-account`,
    );
  }
  return history;
}

/** Opens the history like `openHistory`, but the caller must close it. */
export async function openHistoryForCaller(context: Context): Promise<OpenHistory | undefined> {
  return limitToAccount(await openJournalIfExists(context), context);
}

async function openJournalIfExists({ env, streams, settings }: Context): Promise<Journal | undefined> {
  const file = journalFile(env, serviceName(await settings()));
  if (!existsSync(file)) return undefined;
  return journalToRead(file, {
    onMany: (writes) => note(streams, `Indexing ${formatCount(writes)} new writes.`),
  });
}

/**
 * Throws a usage failure if the named writes belong, or may belong, to another account. Call it if they aren't among the
 * writes of the account in use. `find` returns the numbers of the named writes in all accounts.
 */
export async function refuseWritesOfOtherAccounts(
  { journal }: OpenHistory,
  { label, find }: { label: string; find(journal: Journal): readonly number[] | undefined },
  context: Context,
): Promise<void> {
  const settings = await context.settings();
  const [writer] = writersOf(journal, find(journal) ?? [], serviceName(settings));
  if (!writer) return;
  const currentAccount = await requestAccount(accountFromSettings(settings), context);
  const match = matchOwner(writer.owner, currentAccount);
  if (match === 'own') return;
  const profile = await profileOf(writer.owner, context.env);
  throw ownerFailure(match, writer.owner, currentAccount, { label, kind: 'history', profile });
}

async function limitToAccount(
  journal: Journal | undefined,
  context: Context,
): Promise<OpenHistory | undefined> {
  if (!journal) return undefined;
  const settings = await context.settings();
  // A sandbox has only one business, so all of its accounts share the history.
  if (settings.sandbox !== undefined) return { journal, accounts: undefined, unknownWrites: 0 };
  const account = accountFromSettings(settings);
  const request = () => requestAccount(account, context);
  const { accounts, unknown } = await accountsInUse(journal, { account, ask: request });
  return {
    journal,
    accounts,
    unknownWrites: unknown,
  };
}

/** Requests the account from the service. If the request fails, returns `account`. */
async function requestAccount(account: AccountInUse, context: Context): Promise<AccountInUse> {
  try {
    return await accountInUse(await context.session());
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return account;
    throw error;
  }
}

/** Opens a function that describes who changed a record since a run was planned. Without a journal it only uses the record. */
export async function openChangeHistory(
  ledger: Ledger,
  context: Context,
): Promise<{ describeChange: DescribeChange; close(): void }> {
  const history = await openHistoryForCaller(context).catch((error: unknown) => {
    // An unreadable history doesn't stop the run.
    if (error instanceof StorageFailure) return undefined;
    throw error;
  });
  const since = { at: startTimeOf(ledger.id ?? ''), run: ledger.id };
  return {
    describeChange: (target, record) => changedSince(history, target, since, record),
    close: () => history?.journal.close(),
  };
}
