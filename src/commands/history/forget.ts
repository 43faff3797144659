/** `boh history forget RESOURCE ID`: permanently deletes the data about a record from this machine (the right to be forgotten). */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import { exitCodes, Failure } from '../../base/errors.ts';
import { forgetInSets } from '../../changes/forget.ts';
import { openChangeSets } from '../../changes/open-change-sets.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { forget, personIn } from '../../history/maintenance/forget.ts';
import { hasNameOf, type Person, refersTo } from '../../history/maintenance/mentions.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { listRunIds, openRun } from '../../runs/ledger/runs.ts';
import { accountCacheName, accountFolders } from '../../session/account.ts';
import { isRow } from '../../session/row.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption, resolveResource } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { openHistoryIn } from './open-history.ts';
import { parseEntryFilter } from './parse-filter.ts';
import { irreversible, scrubWithNote } from './scrub-with-note.ts';

/** Returns the command `boh history forget`. */
export function forgetCommand(context: Context): Command {
  return prepare(new Command('forget'))
    .argument('<resource>', 'for example customers')
    .argument('<id>', 'the ID, or @NAME')
    .description(
      'Permanently delete the data of a record from the history, the ledgers of runs, change sets and the caches. The emptied entries remain.',
    )
    .examples('boh history forget customers 42', 'boh history forget customers @0501234567 --yes')
    .addOption(anyAccountOption('forget the record in the data of all accounts on this machine'))
    .action(
      createAction(context, (resource: string, id: string, flags: AnyAccountFlag) =>
        run([resource, id], flags, context),
      ),
    );
}

async function run(
  [resourceName, idArgument]: readonly [resource: string, id: string],
  { anyAccount }: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const { api, env, streams } = context;
  const resource = resolveResource(resourceName, api);
  const { id = '' } = await parseEntryFilter([resourceName, idArgument], {}, context);
  const folders = anyAccount ? accountFolders(env) : [await (await context.session()).folder()];
  const accounts = folders.map((folder) => ({ folder, journal: openHistoryIn(folder, context) }));
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
    if (!journal) continue;
    const result = forget(journal, person, api);
    counts.entries += result.entries;
    hasWritten ||= result.hasWritten;
    await collectFailure(problems, () => scrubWithNote(journal.database, context));
    journal.close();
  }
  for (const name of ['completion', accountCacheName])
    rmSync(join(appFolder(env, 'cache'), name), { recursive: true, force: true });
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
        await ledger.scrub();
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
      rows = await forgetInSets(sets, {
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
