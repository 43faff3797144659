/** `boh history forget RESOURCE ID`: permanently deletes the data about a record from this machine (the right to be forgotten). */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import { exitCodes, Failure } from '../../base/errors.ts';
import { forgetInSets } from '../../changes/forget.ts';
import { openAllChangeSets, openChangeSets } from '../../changes/open-change-sets.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { writersIn } from '../../history/journal/accounts.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { accountsMentioning, forget, personIn } from '../../history/maintenance/forget.ts';
import { hasNameOf, type Person, refersTo } from '../../history/maintenance/mentions.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirm.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { listRunIds, openRun, readRun } from '../../runs/ledger/runs.ts';
import {
  type AccountInUse,
  accountForOwners,
  type FileOwner,
  matchOwner,
  type OwnerMatch,
  ownerFailure,
  profileOf,
  serviceName,
} from '../../session/file-owner.ts';
import { isRow } from '../../session/row.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption, resolveResource } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { openJournal } from './open-history.ts';
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
    .addOption(anyAccountOption('also forget records of other accounts with this ID'))
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
  const { api, env } = context;
  const resource = resolveResource(resourceName, api);
  const { id = '' } = await parseEntryFilter([resourceName, idArgument], {}, context);
  const journal = await openJournal(context);
  const scope = await (anyAccount ? scopeOfAllAccounts : scopeOfAccount)({ resource, id }, journal, context);
  const { accounts, otherAccounts, person } = scope;
  const action = `delete the stored data of ${resource.noun} ${id}`;
  await confirmAction({ action, consequence: irreversible }, context);
  const problems: Failure[] = [];
  // The journal is last, because its names identify the record in other files. Change sets are before ledgers, because
  // a change set that starts writes its plan to a ledger.
  const planRows = await forgetInChangeSets(scope, problems, context);
  const rows = await forgetInLedgers(scope, problems, context);
  const { entries: count, hasWritten } = journal
    ? forget(journal, person, { api, accounts })
    : { entries: 0, hasWritten: false };
  rmSync(join(appFolder(env, 'cache'), 'completion'), { recursive: true, force: true });
  if (journal) await collectFailure(problems, () => scrubWithNote(journal.database, context));
  journal?.close();
  for (const { message } of problems) warn(context.streams, message);
  if (problems.length > 0) context.exitCode = exitCodes.partial;
  return messageResult(
    `Deleted the content of ${count} history ${count === 1 ? 'entry' : 'entries'} and ${rows} ${rows === 1 ? 'row' : 'rows'} of runs, and the names cached for completion.`,
    ...(planRows > 0
      ? [`Deleted ${planRows} ${planRows === 1 ? 'row' : 'rows'} of change sets, which won't be sent.`]
      : []),
    ...(hasWritten ? ['Writes made by this user remain, without their name.'] : []),
    ...(otherAccounts > 0
      ? [`Entries about ${resource.noun} ${id} of another account remain unchanged.`]
      : []),
    "Exported files, backups, mirrors and the history of the shell aren't changed.",
  );
}

async function forgetInLedgers(
  { person, runs }: ForgetScope,
  problems: Failure[],
  { env, api }: Context,
): Promise<number> {
  const createRowFilter = rowFilterFactory(person, api);
  let rows = 0;
  for (const id of runs) {
    await collectFailure(problems, async () => {
      const ledger = openRun(env, id);
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
  { person, currentAccount }: ForgetScope,
  problems: Failure[],
  { env, api }: Context,
): Promise<number> {
  let rows = 0;
  await collectFailure(problems, async () => {
    const accountSets = currentAccount && openChangeSets(env, currentAccount);
    for (const sets of currentAccount ? (accountSets ? [accountSets] : []) : openAllChangeSets(env)) {
      try {
        const names = namesOf(person);
        rows += await forgetInSets(sets, { api, names, rowFilter: rowFilterFactory(person, api) });
      } finally {
        sets.close();
      }
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

/** The record of the command line. */
type RecordIdentity = Pick<Person, 'resource' | 'id'>;

/** The record to forget, and the accounts and runs whose data may be changed. */
interface ForgetScope {
  person: Person;
  /** The account in use; undefined for all accounts. */
  currentAccount: AccountInUse | undefined;
  /** The accounts of the journal whose entries may be changed; undefined for all accounts. */
  accounts: readonly number[] | undefined;
  /** The IDs of the runs whose ledgers may be changed. */
  runs: readonly string[];
  /** The number of other accounts at the same endpoint with entries about a record of this ID. They remain unchanged. */
  otherAccounts: number;
}

/** Returns the scope of `--any-account`: all data on this machine. */
function scopeOfAllAccounts(
  { resource, id }: RecordIdentity,
  journal: Journal | undefined,
  { env }: Context,
): ForgetScope {
  const person = journal ? personIn(journal, resource, id) : { resource, id, names: new Map() };
  return { person, currentAccount: undefined, accounts: undefined, runs: listRunIds(env), otherAccounts: 0 };
}

/**
 * Returns the scope of the account in use. Throws a usage failure if all entries about the record belong to other accounts,
 * or if the account of an entry can't be determined. Entries of other accounts remain unchanged.
 */
async function scopeOfAccount(
  { resource, id }: RecordIdentity,
  journal: Journal | undefined,
  context: Context,
): Promise<ForgetScope> {
  const { api, env } = context;
  const settings = await context.settings();
  const service = serviceName(settings);
  const writers = journal ? writersIn(journal, service) : [];
  const runs = listRunIds(env).map((run) => ({ run, owner: ownerOf(run, context) }));
  const owners = [...writers, ...runs].flatMap(({ owner }) => owner ?? []);
  const openSession = () => context.session();
  const currentAccount = await accountForOwners(owners, settings, { open: openSession });
  // A run that never sent a request doesn't have an owner.
  const matchAccount = (owner: FileOwner | undefined) => (owner ? matchOwner(owner, currentAccount) : 'own');
  const accounts = writers.filter(({ owner }) => matchAccount(owner) === 'own').map((writer) => writer.id);
  const person = journal ? personIn(journal, resource, id, accounts) : { resource, id, names: new Map() };
  const ownRuns = runs.filter(({ owner }) => matchAccount(owner) === 'own').map(({ run }) => run);

  const otherWriters = writers.filter((writer) => !accounts.includes(writer.id));
  const mentioningIds = journal
    ? accountsMentioning(
        journal,
        person,
        api,
        otherWriters.map((writer) => writer.id),
      )
    : [];
  const otherOwners = [
    ...otherWriters.filter((writer) => mentioningIds.includes(writer.id)).map(({ owner }) => owner),
    ...runs.flatMap(({ run, owner }) =>
      owner?.service === service && matchAccount(owner) !== 'own' && isInRun(run, person, context)
        ? owner
        : [],
    ),
  ];
  const unverifiedOwner = otherOwners.find((owner) => matchAccount(owner) !== 'other');
  const hasNoOwnData = () =>
    (!journal || accountsMentioning(journal, person, api, accounts).length === 0) &&
    !ownRuns.some((run) => isInRun(run, person, context));
  const refusedOwner =
    unverifiedOwner ?? (otherOwners.length > 0 && hasNoOwnData() ? otherOwners[0] : undefined);
  if (refusedOwner) throw await unverifiedFailure(refusedOwner, currentAccount, person, context);
  return { person, currentAccount, accounts, runs: ownRuns, otherAccounts: otherOwners.length };
}

async function unverifiedFailure(
  owner: FileOwner,
  currentAccount: AccountInUse,
  { resource, id }: Person,
  { env }: Context,
) {
  const file = {
    label: `The stored data of ${resource.noun} ${id}`,
    kind: 'history',
  };
  const match = matchOwner(owner, currentAccount) as Exclude<OwnerMatch, 'own'>;
  return ownerFailure(match, owner, currentAccount, { ...file, profile: await profileOf(owner, env) });
}

/** Returns the owner of a run; undefined if the ledger is unreadable, which is reported when it is changed. */
function ownerOf(run: string, context: Context): FileOwner | undefined {
  return readRun(context.env, run, ownerOfRun);
}

function isInRun(run: string, person: Person, context: Context): boolean {
  const createRowFilter = rowFilterFactory(person, context.api);
  return readRun(context.env, run, (ledger) => ledger.hasRowMatching(createRowFilter(ledger))) ?? false;
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
