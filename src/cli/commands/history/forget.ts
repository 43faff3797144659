/** `boh history forget` permanently deletes the data about a record (the right to be forgotten); `boh history prune` deletes old entries. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { accountCacheName, accountFolders } from '../../../account/session/account.ts';
import { isRow } from '../../../account/session/row.ts';
import { namesCacheName } from '../../../account/settings/caches.ts';
import type { Api } from '../../../api/contract/api.ts';
import { parseFilterTime } from '../../../api/contract/date-time.ts';
import { appFolder } from '../../../base/app-folders.ts';
import { exitCodes, Failure, usage } from '../../../base/errors.ts';
import { once } from '../../../base/once.ts';
import { formatCount } from '../../../base/shown-items.ts';
import { scrub, usedBytes } from '../../../base/storage/scrub.ts';
import { forgetInSets } from '../../../engine/changes/forget.ts';
import { openChangeSets, runsInProgress } from '../../../engine/changes/open-change-sets.ts';
import { countUpTo, dropUpTo, newestToDrop } from '../../../engine/history/maintenance/delete-old.ts';
import { forget, personIn } from '../../../engine/history/maintenance/forget.ts';
import { hasNameOf, type Person, refersTo } from '../../../engine/history/maintenance/mentions.ts';
import type { LedgerRow } from '../../../engine/runs/ledger/row.ts';
import { listRunIds, openRun } from '../../../engine/runs/ledger/runs.ts';
import { logFile, openLog } from '../../../engine/runs/log.ts';
import type { Context } from '../../context/context.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { note, warn } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { anyAccountFlag, resolveResource } from '../flags/shared-flags.ts';
import { parseEntryFilter } from './entries.ts';
import { openHistoryIn } from './open-history.ts';

export function forgetCommand(context: Context): Command {
  return createCommand(context, {
    name: 'forget',
    summary: 'Delete the stored data of a record',
    about:
      'Permanently delete the data of a record from the history, the ledgers of runs, change sets and the caches. The emptied entries remain.',
    args: [
      ['<resource>', 'for example customers'],
      ['<id>', 'the ID, or @NAME'],
    ],
    flags: [anyAccountFlag('forget the record in the data of all accounts on this machine')],
    examples: ['boh history forget customers 42', 'boh history forget customers @0501234567 --yes'],
    run: (names, { anyAccount = false }) => forgetRecord(names, anyAccount, context),
  });
}

async function forgetRecord(
  [resourceName, idArgument]: readonly [resource: string, id: string],
  isAnyAccount: boolean,
  context: Context,
): Promise<Result> {
  const { api, env, streams } = context;
  const resource = resolveResource(resourceName, api);
  const { id = '' } = await parseEntryFilter([resourceName, idArgument], {}, context);
  const folders = isAnyAccount ? accountFolders(env) : [await (await context.session()).folder()];
  const accounts = folders.map((folder) => ({ folder, journal: openHistoryIn(folder) }));
  const action = `delete the stored data of ${resource.noun} ${id}`;
  await confirmAction({ action, consequence: irreversible }, context);
  const problems: Failure[] = [];
  const counts = { entries: 0, rows: 0, planRows: 0 };
  let hasWritten = false;
  for (const { folder, journal } of accounts) {
    const person = journal ? personIn(journal, resource, id) : { resource, id, names: new Map() };
    // The journal is last, because its names identify the record in other files. Change sets are before ledgers, because
    // a change set that starts writes its plan to a ledger.
    counts.planRows += await forgetInChangeSets(folder, person, problems, context);
    counts.rows += await forgetInLedgers(folder, person, problems, context);
    const result = journal && forget(journal, person, api);
    counts.entries += result?.entries ?? 0;
    hasWritten ||= result?.hasWritten ?? false;
    journal?.close();
    if (existsSync(logFile(folder))) await collectFailure(problems, () => scrubLog(folder, context));
  }
  for (const name of [namesCacheName, accountCacheName])
    rmSync(join(appFolder(env, 'cache'), name), { force: true });
  for (const { message } of problems) warn(streams, message);
  if (problems.length > 0) context.exitCode = exitCodes.partial;
  const { entries, rows, planRows } = counts;
  return messageResult(
    `Deleted the content of ${entries} history ${entries === 1 ? 'entry' : 'entries'} and ${rows} ${rows === 1 ? 'row' : 'rows'} of runs, and the names cached for completion.`,
    ...(planRows > 0
      ? [`Deleted ${planRows} ${planRows === 1 ? 'row' : 'rows'} of change sets, which won't be sent.`]
      : []),
    ...(hasWritten ? ['Writes made by this user remain, without their name.'] : []),
    "Exported files, backups, mirrors and the history of the shell aren't changed.",
  );
}

async function forgetInLedgers(
  folder: string,
  person: Person,
  problems: Failure[],
  { api }: Context,
): Promise<number> {
  const createRowFilter = rowFilterFactory(person, api);
  let rows = 0;
  for (const id of listRunIds(folder)) {
    await collectFailure(problems, async () => {
      const ledger = openRun(folder, id);
      try {
        rows += ledger.forget(createRowFilter(ledger));
        if (!ledger.isInLog) await ledger.scrub();
      } finally {
        ledger.close();
      }
    });
  }
  return rows;
}

/** Deletes the record from the plans of change sets. Returns the number of deleted rows. */
async function forgetInChangeSets(
  folder: string,
  person: Person,
  problems: Failure[],
  { api }: Context,
): Promise<number> {
  let rows = 0;
  await collectFailure(problems, async () => {
    const sets = openChangeSets(folder);
    if (!sets) return;
    try {
      rows = forgetInSets(sets, {
        api,
        names: namesOf(person),
        rowFilter: rowFilterFactory(person, api),
      });
    } finally {
      sets.close();
    }
  });
  return rows;
}

/** Runs a task and collects its failure, so that a problem with one file doesn't stop the work on other files. */
async function collectFailure(problems: Failure[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    problems.push(error);
  }
}

/** Returns a function that creates a row filter for a ledger: it matches the rows with data about the record. */
function rowFilterFactory(person: Person, api: Api) {
  return (ledger: ReturnType<typeof openRun>) => {
    const runResource = String(ledger.property('resource') ?? '');
    return (row: LedgerRow) => isRowAbout(row, row.resource ?? runResource, person, api);
  };
}

function isRowAbout(row: LedgerRow, name: string, person: Person, api: Api): boolean {
  const resource = api.resource(name);
  const values = row.steps.flatMap(({ body, known }) => [body, known]).filter(isRow);
  if (resource === person.resource) {
    const hasName = values.some((value) => hasNameOf(value, person));
    return row.id === person.id || hasName || containsName(row, namesOf(person));
  }
  return resource !== undefined && values.some((value) => refersTo(resource, value, person));
}

function namesOf({ names }: Person): string[] {
  return [...names.values()].flatMap((values) => [...values]);
}

/** Returns whether a row that was never planned contains one of the names. Such rows have only the text of their file. */
function containsName({ id, key, raw }: LedgerRow, names: readonly string[]): boolean {
  return id === null && names.some((name) => key === name || raw?.includes(name));
}

const bytesPerUnit: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9 };

const pruneFlags = [
  ['--older-than <age>', 'delete entries older than this: 90d, 2026-01-01'],
  ['--max-size <size>', 'delete the oldest entries until the history has this size: 100MB'],
] as const;

export function pruneCommand(context: Context): Command {
  return createCommand(context, {
    name: 'prune',
    summary: 'Delete old entries',
    about:
      'Delete old entries; their writes can then no longer be undone. Entries are deleted automatically after two years, or above 1 GB.',
    flags: pruneFlags,
    examples: ['boh history prune --older-than 90d', 'boh history prune --max-size 100MB'],
    run: (_, flags) => prune(flags, context),
  });
}

async function prune({ olderThan, maxSize }: FlagsOf<typeof pruneFlags>, context: Context): Promise<Result> {
  const now = context.now();
  const cutoff = olderThan === undefined ? undefined : parseFilterTime(olderThan, now);
  const [, amount, unit = ''] = /^(\d{1,6})\s*(KB|MB|GB)$/i.exec(maxSize ?? '') ?? [];
  if (olderThan !== undefined && !cutoff)
    throw usage('--older-than must be an age, such as 90d, or a day, such as 2026-01-01.');
  if (maxSize !== undefined && amount === undefined) throw usage('--max-size must be a size, such as 100MB.');
  if (!cutoff && amount === undefined) throw usage('Missing --older-than or --max-size.');
  const folder = await (await context.session()).folder();
  const journal = openHistoryIn(folder);
  const limits = {
    age: cutoff && now.getTime() - cutoff.getTime(),
    bytes: amount === undefined ? undefined : Number(amount) * (bytesPerUnit[unit.toUpperCase()] ?? 1),
  };
  const kept = once(() => runsInProgress(folder));
  const upTo = journal ? newestToDrop(journal, limits, now.getTime(), kept) : 0;
  if (kept().length > 0)
    note(
      context.streams,
      'Entries since the start of a change set in progress are kept, to restore its earlier values.',
    );
  const action = `delete ${countedEntries(journal ? countUpTo(journal, upTo) : 0)} of the history`;
  await confirmAction({ action, consequence: irreversible }, context);
  const count = journal ? dropUpTo(journal, upTo, now.getTime()) : 0;
  journal?.close();
  if (journal) await scrubLog(folder, context);
  return messageResult(`Deleted ${countedEntries(count)}.`);
}

function countedEntries(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`;
}

/** The warning of commands that delete entries. */
export const irreversible = "This can't be undone.";

/** The size in bytes of a file that takes about half a second to rewrite. */
const slowScrubBytes = 50_000_000;

/** Rewrites the log of an account without deleted content. Prints a note if that takes long. */
async function scrubLog(folder: string, { streams }: Context): Promise<void> {
  const { database, close } = openLog(logFile(folder));
  try {
    const bytes = usedBytes(database);
    if (bytes >= slowScrubBytes)
      note(
        streams,
        `Rewriting ${database.file} without the deleted entries (${Math.round(bytes / 1e6)} MB). Other boh commands that write wait until it is done.`,
      );
    await scrub(database);
  } finally {
    close();
  }
}
