/** `boh history forget RESOURCE ID`: permanently deletes what this machine stores about a record: the right to be forgotten. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { ownFolder } from '../../base/own-folders.ts';
import { allChangeSets, openChangeSets } from '../../changes/change-sets.ts';
import { forgetInSets } from '../../changes/forget.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { writersIn } from '../../history/journal/accounts.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { accountsMentioning, forget, personIn } from '../../history/maintenance/forget.ts';
import { hasNameOf, type Person, refersTo } from '../../history/maintenance/mentions.ts';
import { presented } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { confirmAction } from '../../prompts/confirming/confirm-action.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { openRun, readRun, runIds } from '../../runs/ledger/runs.ts';
import {
  type AccountInUse,
  accountForOwners,
  accountPlace,
  type FileOwner,
  matchOwner,
  notOwner,
  type OwnerMatch,
  profileOf,
} from '../../session/file-owner.ts';
import { isRow } from '../../session/row.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { resourceNamed } from '../flags/resource-flag.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { openJournal } from './open-history.ts';
import { readFilter } from './read-filter.ts';
import { irreversible, scrubWithNote } from './scrub-with-note.ts';

/** Builds the command. */
export function forgetCommand(context: Context): Command {
  return prepare(new Command('forget'))
    .argument('<resource>', 'for example customers')
    .argument('<id>', 'the ID, or @NAME')
    .description(
      'Permanently delete the data of a record from the history, the ledgers of runs, change sets and the caches. The emptied entries remain, so that the history can still be verified.',
    )
    .examples('boh history forget customers 42', 'boh history forget customers @0501234567 --yes')
    .addOption(anyAccountOption('also forget records of other accounts with this ID'))
    .action(
      presented(context, (resource: string, id: string, flags: AnyAccountFlag) =>
        run([resource, id], flags, context),
      ),
    );
}

async function run(
  [word, given]: readonly [resource: string, id: string],
  { anyAccount }: AnyAccountFlag,
  context: Context,
): Promise<Result> {
  const { api, env, globals, now } = context;
  if (globals.dryRun)
    throw usage("history forget doesn't support --dry-run.", {
      hint: boh.hint`To list the entries: ${boh.account('history', 'RESOURCE', 'ID')}`,
    });
  const resource = resourceNamed(word, api);
  const { id = '' } = await readFilter([word, given], {}, context);
  const journal = await openJournal(context);
  const scope = await (anyAccount ? scopeOfAny : scopeOfAccount)({ resource, id }, journal, context);
  const { accounts, others, person } = scope;
  const what = `delete the stored data of ${resource.noun} ${id}`;
  await confirmAction({ action: what, consequence: irreversible }, context);
  const problems: Failure[] = [];
  // The journal comes last: it has the names that identify the record elsewhere. A set that begins writes its plan to a ledger.
  const planned = await forgetInChangeSets(scope, problems, context);
  const rows = await forgetInLedgers(scope, problems, context);
  const { entries: count, hasWritten } = journal
    ? forget(journal, person, { api, now: now().getTime(), accounts })
    : { entries: 0, hasWritten: false };
  rmSync(join(ownFolder(env, 'cache'), 'completion'), { recursive: true, force: true });
  if (journal) await collecting(problems, () => scrubWithNote(journal.database, context));
  journal?.close();
  for (const { message } of problems) warn(context.streams, message);
  if (problems.length > 0) context.exitCode = exitCodes.partial;
  return messageResult(
    `Deleted the content of ${count} history ${count === 1 ? 'entry' : 'entries'} and ${rows} ${rows === 1 ? 'row' : 'rows'} of runs, and the names cached for completion.`,
    ...(planned > 0
      ? [`Deleted ${planned} ${planned === 1 ? 'row' : 'rows'} of change sets, which won't be sent.`]
      : []),
    ...(hasWritten ? ['Writes made by this user remain, without their name.'] : []),
    ...(others > 0 ? [`Entries about ${resource.noun} ${id} of another account remain unchanged.`] : []),
    "Exported files, backups, mirrors and the history of the shell aren't changed.",
  );
}

async function forgetInLedgers(
  { person, runs }: ForgetScope,
  problems: Failure[],
  { env, api }: Context,
): Promise<number> {
  const isMeant = rowsAbout(person, api);
  let rows = 0;
  for (const id of runs) {
    await collecting(problems, async () => {
      const ledger = openRun(env, id);
      try {
        rows += ledger.forget(isMeant(ledger));
        await ledger.scrub();
      } finally {
        ledger.close();
      }
    });
  }
  return rows;
}

/** Returns how many rows of plans were forgotten. */
async function forgetInChangeSets(
  { person, inUse }: ForgetScope,
  problems: Failure[],
  { env, api }: Context,
): Promise<number> {
  let rows = 0;
  await collecting(problems, async () => {
    const own = inUse && openChangeSets(env, inUse);
    for (const sets of inUse ? (own ? [own] : []) : allChangeSets(env)) {
      try {
        const names = namesOf(person);
        rows += await forgetInSets(sets, { api, names, rowFilter: rowsAbout(person, api) });
      } finally {
        sets.close();
      }
    }
  });
  return rows;
}

/** Runs the work and collects its failure, so that a problem in one file doesn't stop the others. */
async function collecting(problems: Failure[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    problems.push(error);
  }
}

/** A record as the user named it. */
type Named = Pick<Person, 'resource' | 'id'>;

interface ForgetScope {
  person: Person;
  /** The account in use; undefined for all accounts. */
  inUse: AccountInUse | undefined;
  /** The accounts of the journal whose entries may be changed. Undefined for all. */
  accounts: readonly number[] | undefined;
  /** The ids of the runs whose ledgers may be changed. */
  runs: readonly string[];
  /** How many other accounts of the same endpoint have entries about a record of that ID, which remain unchanged. */
  others: number;
}

/** Returns the scope of `--any-account`: everything on this machine. */
function scopeOfAny({ resource, id }: Named, journal: Journal | undefined, { env }: Context): ForgetScope {
  const person = journal ? personIn(journal, resource, id) : { resource, id, names: new Map() };
  return { person, inUse: undefined, accounts: undefined, runs: runIds(env), others: 0 };
}

/**
 * Returns the scope of the account in use. Throws a usage failure if entries about the record may belong to another account,
 * or all of them do. Entries that certainly belong to another account remain unchanged.
 */
async function scopeOfAccount(
  { resource, id }: Named,
  journal: Journal | undefined,
  context: Context,
): Promise<ForgetScope> {
  const { api, env } = context;
  const settings = await context.settings();
  const place = accountPlace(settings);
  const writers = journal ? writersIn(journal, place) : [];
  const runs = runIds(env).map((run) => ({ run, owner: ownerOf(run, context) }));
  const owners = [...writers, ...runs].flatMap(({ owner }) => owner ?? []);
  const open = () => context.session();
  const inUse = await accountForOwners(owners, settings, { open });
  // A run that never sent anything can't be resumed and has no owner.
  const match = (owner: FileOwner | undefined) => (owner ? matchOwner(owner, inUse) : 'own');
  const accounts = writers.filter(({ owner }) => match(owner) === 'own').map((writer) => writer.id);
  const person = journal ? personIn(journal, resource, id, accounts) : { resource, id, names: new Map() };
  const ownRuns = runs.filter(({ owner }) => match(owner) === 'own').map(({ run }) => run);

  const rest = writers.filter((writer) => !accounts.includes(writer.id));
  const mentioning = journal
    ? accountsMentioning(
        journal,
        person,
        api,
        rest.map((writer) => writer.id),
      )
    : [];
  const others = [
    ...rest.filter((writer) => mentioning.includes(writer.id)).map(({ owner }) => owner),
    ...runs.flatMap(({ run, owner }) =>
      owner?.place === place && match(owner) !== 'own' && isInRun(run, person, context) ? owner : [],
    ),
  ];
  const unsure = others.find((owner) => match(owner) !== 'other');
  const isNoneOwn = () =>
    (!journal || accountsMentioning(journal, person, api, accounts).length === 0) &&
    !ownRuns.some((run) => isInRun(run, person, context));
  const refused = unsure ?? (others.length > 0 && isNoneOwn() ? others[0] : undefined);
  if (refused) throw await refusal(refused, inUse, person, context);
  return { person, inUse, accounts, runs: ownRuns, others: others.length };
}

async function refusal(owner: FileOwner, inUse: AccountInUse, { resource, id }: Person, { env }: Context) {
  const file = {
    label: `The stored data of ${resource.noun} ${id}`,
    kind: 'history',
  };
  const match = matchOwner(owner, inUse) as Exclude<OwnerMatch, 'own'>;
  return notOwner(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
}

/** Returns the owner of a run. An unreadable ledger has none here; it is reported when it is changed. */
function ownerOf(run: string, context: Context): FileOwner | undefined {
  return readRun(context.env, run, ownerOfRun);
}

function isInRun(run: string, person: Person, context: Context): boolean {
  const isMeant = rowsAbout(person, context.api);
  return readRun(context.env, run, (ledger) => ledger.mentions(isMeant(ledger))) ?? false;
}

/** Returns a function that tells, for a ledger, which of its rows contain anything about the record. */
function rowsAbout(person: Person, api: Api) {
  return (ledger: ReturnType<typeof openRun>) => {
    const own = String(ledger.fact('resource') ?? '');
    return (row: LedgerRow) => isOf(row, row.resource ?? own, person, api);
  };
}

function isOf(row: LedgerRow, name: string, person: Person, api: Api): boolean {
  const resource = api.resource(name);
  const values = row.steps.flatMap(({ body, known }) => [body, known]).filter(isRow);
  if (resource === person.resource) {
    const isCalled = values.some((value) => hasNameOf(value, person));
    return row.id === person.id || isCalled || containsText(row, namesOf(person));
  }
  return resource !== undefined && values.some((value) => refersTo(resource, value, person));
}

function namesOf({ names }: Person): string[] {
  return [...names.values()].flatMap((all) => [...all]);
}

/** Returns whether a row that was never planned, which has only the text of its file, contains one of the texts. */
function containsText({ id, key, raw }: LedgerRow, texts: readonly string[]): boolean {
  return id === null && texts.some((text) => key === text || raw?.includes(text));
}
