/** `boh history forget RESOURCE ID`: what this machine keeps of a record, taken out for good: the right to be forgotten. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { ownFolder } from '../../base/own-folders.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { writersIn } from '../../history/journal/accounts.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { accountsMentioning, forget, personIn } from '../../history/keeping/forget.ts';
import { isCalledSo, leadsTo, type Person } from '../../history/keeping/mentions.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { openRun, runIds } from '../../runs/ledger/runs.ts';
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
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { confirmLasting, scrubTold } from './confirm-lasting.ts';
import { openJournal } from './open-history.ts';
import { readFilter } from './read-filter.ts';

export function forgetCommand(context: Context): Command {
  return prepare(new Command('forget'))
    .argument('<resource>', 'what it is a record of')
    .argument('<id>', 'its id; @NAME looks it up')
    .description(
      'Take out of the history, the ledgers of runs and the caches what they hold of a record, for good. That something was written stays, and can be proven.',
    )
    .examples('boh history forget customers 42 --yes')
    .addOption(anyAccountOption())
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
    throw usage('forget has nothing to rehearse.', {
      hint: boh.hint`To see what is there: ${boh.account('history')}`,
    });
  const { resource: name = '', id = '' } = await readFilter([word, given], {}, context);
  const resource = api.resource(name);
  if (!resource)
    throw usage(`There is no resource "${word}".`, {
      hint: boh.hint`To see them: ${boh.plain('resources')}`,
    });
  const journal = await openJournal(context);
  const scope = await (anyAccount ? scopeOfAny : scopeOfAccount)({ resource, id }, journal, context);
  const { accounts, others, person } = scope;
  await confirmLasting(`Forget the ${resource.noun} ${id}`, context);
  // First the ledgers: what the journal knows it by is gone afterwards.
  const { rows, problems } = await forgetInLedgers(scope, context);
  const { entries: count, hasWritten } = journal
    ? forget(journal, person, { api, now: now().getTime(), accounts })
    : { entries: 0, hasWritten: false };
  rmSync(join(ownFolder(env, 'cache'), 'completion'), { recursive: true, force: true });
  if (journal) await leaving(problems, () => scrubTold(journal.database, context));
  journal?.close();
  for (const { message } of problems) warn(context.streams, message);
  if (problems.length > 0) context.exitCode = exitCodes.partial;
  return told(
    `Forgotten: ${count} ${count === 1 ? 'entry' : 'entries'} of the history, ${rows} ${rows === 1 ? 'row' : 'rows'} of runs, and the names kept for completion.`,
    ...(hasWritten ? ['What they wrote themselves stays, without their name.'] : []),
    ...(others > 0 ? [`What is kept of the ${resource.noun} ${id} of another account stays as it is.`] : []),
    'Files that were exported, backups, mirrors and the shell’s own history are not touched.',
  );
}

async function forgetInLedgers({ person, runs }: ForgetScope, { env, api }: Context) {
  const isMeant = rowsAbout(person, api);
  let rows = 0;
  const problems: Failure[] = [];
  for (const id of runs) {
    await leaving(problems, async () => {
      const ledger = openRun(env, id);
      try {
        rows += ledger.forget(isMeant(ledger));
        await ledger.scrub();
      } finally {
        ledger.close();
      }
    });
  }
  return { rows, problems };
}

/** What can’t be done in one file is done in the others all the same. */
async function leaving(problems: Failure[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    problems.push(error);
  }
}

/** A record as somebody names it. */
type Named = Pick<Person, 'resource' | 'id'>;

interface ForgetScope {
  person: Person;
  /** The accounts of the journal whose entries may be changed; undefined for all. */
  accounts: readonly number[] | undefined;
  /** The ids of the runs whose ledgers may be changed. */
  runs: readonly string[];
  /** How many accounts at the same place hold a record of that id too, and are left as they are. */
  others: number;
}

/** All that is kept on this machine, whoever's it is. */
function scopeOfAny({ resource, id }: Named, journal: Journal | undefined, { env }: Context): ForgetScope {
  const person = journal ? personIn(journal, resource, id) : { resource, id, called: new Map() };
  return { person, accounts: undefined, runs: runIds(env), others: 0 };
}

/**
 * Throws a usage failure where what is kept of the record may be another account's, or all of it is. What is certainly
 * of another account is left as it is.
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
  // A run that never sent anything can't be resumed, and is nobody's.
  const match = (owner: FileOwner | undefined) => (owner ? matchOwner(owner, inUse) : 'own');
  const accounts = writers.filter(({ owner }) => match(owner) === 'own').map((writer) => writer.id);
  const person = journal ? personIn(journal, resource, id, accounts) : { resource, id, called: new Map() };
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
  return { person, accounts, runs: ownRuns, others: others.length };
}

async function refusal(owner: FileOwner, inUse: AccountInUse, { resource, id }: Person, { env }: Context) {
  const file = {
    called: `What is kept of the ${resource.noun} ${id}`,
    kind: 'history',
  };
  const match = matchOwner(owner, inUse) as Exclude<OwnerMatch, 'own'>;
  return notOwner(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
}

/** A ledger that can't be read is reported when it is to be changed. */
function ownerOf(run: string, context: Context): FileOwner | undefined {
  return inRun(run, context, ownerOfRun);
}

function isInRun(run: string, person: Person, context: Context): boolean {
  const isMeant = rowsAbout(person, context.api);
  return inRun(run, context, (ledger) => ledger.mentions(isMeant(ledger))) ?? false;
}

function inRun<T>(
  run: string,
  { env }: Context,
  read: (ledger: ReturnType<typeof openRun>) => T,
): T | undefined {
  try {
    const ledger = openRun(env, run);
    try {
      return read(ledger);
    } finally {
      ledger.close();
    }
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Which rows of a ledger say anything of the record. */
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
    const texts = [...person.called.values()].flatMap((all) => [...all]);
    return row.id === person.id || values.some((value) => isCalledSo(value, person)) || holdsText(row, texts);
  }
  return resource !== undefined && values.some((value) => leadsTo(resource, value, person));
}

/** A row that was never planned has no values but those of its file. */
function holdsText({ id, key, raw }: LedgerRow, texts: readonly string[]): boolean {
  return id === null && texts.some((text) => key === text || raw?.includes(text));
}
