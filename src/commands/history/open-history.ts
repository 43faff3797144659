/** The journal of the account in use, opened to be read. */

import { existsSync } from 'node:fs';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { accountsInUse, writersOf } from '../../history/journal/accounts.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { journalToRead } from '../../history/journal/journal-to-read.ts';
import { describeLoss, lossHint } from '../../history/journal/loss.ts';
import { headFileOf, journalFile } from '../../history/journal/place.ts';
import { changedSince } from '../../history/undo/changed-since.ts';
import type { WhoChanged } from '../../runs/compare-again.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { begunAt } from '../../runs/ledger/run-id.ts';
import {
  type AccountInUse,
  accountInUse,
  accountPlace,
  knownAccount,
  matchOwner,
  notOwner,
  profileOf,
} from '../../session/file-owner.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { note, warn } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import type { AnyAccountFlag } from '../flags/any-account.ts';

export interface OpenHistory {
  journal: Journal;
  /** Those whose writes are meant; undefined for all. */
  accounts: readonly number[] | undefined;
  /** Writes that may be theirs as well: nobody knows. */
  unknown: number;
}

/**
 * All of the file, whoever’s writes they are; undefined where nothing was ever written there. Closed with the command.
 * With `isLossTold` the command itself tells what the history has lost.
 */
export async function openJournal(
  context: Context,
  { isLossTold = false } = {},
): Promise<Journal | undefined> {
  const journal = await existingJournal(context, isLossTold);
  // Left to the end of the process, its log would be moved into the file: a reader would wait for the disk.
  if (journal) context.kept.finish.push(() => journal.close());
  return journal;
}

/** Undefined where nothing was ever written there. Closed with the command. */
export async function openHistory(
  context: Context,
  { anyAccount }: AnyAccountFlag = {},
): Promise<OpenHistory | undefined> {
  const journal = await openJournal(context);
  if (anyAccount) return journal && { journal, accounts: undefined, unknown: 0 };
  const history = await ofAccountInUse(journal, context);
  if (history && history.unknown > 0) {
    const writes = history.unknown === 1 ? 'write was' : 'writes were';
    note(
      context.streams,
      boh.hint`${numeral(history.unknown)} ${writes} sent with other tokens, and their business is unknown: they are left out. To include them, add --any-account, or use such a token: ${boh.account('history')}`,
    );
  }
  return history;
}

/** The same for a command that opens it over and over, and closes it itself. */
export async function openHistoryForNow(context: Context): Promise<OpenHistory | undefined> {
  return ofAccountInUse(await existingJournal(context), context);
}

/** A history whose file was deleted is opened as an empty one: what it has lost is told. */
async function existingJournal(context: Context, isLossTold = false): Promise<Journal | undefined> {
  const { env, streams, settings } = context;
  const place = accountPlace(await settings());
  const [file, headFile] = [journalFile(env, place), headFileOf(env, place)];
  if (!existsSync(file) && !existsSync(headFile)) return undefined;
  return journalToRead(file, {
    headFile,
    onLoss: (loss) => isLossTold || warn(streams, [`${describeLoss(loss)} `, lossHint(file)]),
    onMany: (writes) =>
      note(
        streams,
        `${numeral(writes)} writes have come since the history was last asked for: they are put in order first.`,
      ),
  });
}

/**
 * For what was named and isn't among the account's own writes: throws a usage failure where it is another account's, or
 * may be. `find` answers the numbers of what is named, whichever account wrote it.
 */
export async function refuseOthersWrites(
  { journal }: OpenHistory,
  { called, find }: { called: string; find(journal: Journal): readonly number[] | undefined },
  context: Context,
): Promise<void> {
  const settings = await context.settings();
  const [writer] = writersOf(journal, find(journal) ?? [], accountPlace(settings));
  if (!writer) return;
  const inUse = await asked(knownAccount(settings), context);
  const match = matchOwner(writer.owner, inUse);
  if (match === 'own') return;
  const profile = await profileOf(writer.owner, context.env);
  throw notOwner(match, writer.owner, inUse, { called, kind: 'history', profile });
}

async function ofAccountInUse(
  journal: Journal | undefined,
  context: Context,
): Promise<OpenHistory | undefined> {
  if (!journal) return undefined;
  const settings = await context.settings();
  // A sandbox is one business, whoever signs in to it.
  if (settings.sandbox !== undefined) return { journal, accounts: undefined, unknown: 0 };
  const account = knownAccount(settings);
  return { journal, ...(await accountsInUse(journal, { account, ask: () => asked(account, context) })) };
}

/** What the service doesn't tell, for whatever reason, stays unknown. */
async function asked(account: AccountInUse, context: Context): Promise<AccountInUse> {
  try {
    return await accountInUse(await context.session());
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return account;
    throw error;
  }
}

/** What has no journal is said of the record alone. To be closed once nobody will be asked for any more. */
export async function changedSincePlanned(
  ledger: Ledger,
  context: Context,
): Promise<{ who: WhoChanged; close(): void }> {
  const history = await openHistoryForNow(context).catch((error: unknown) => {
    // A history that can’t be read stops no run.
    if (error instanceof StorageFailure) return undefined;
    throw error;
  });
  const since = { at: begunAt(ledger.id ?? ''), run: ledger.id };
  return {
    who: (place, record) => changedSince(history, place, since, record),
    close: () => history?.journal.close(),
  };
}
