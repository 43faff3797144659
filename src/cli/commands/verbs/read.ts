/** `boh RESOURCE list` shows a page on a terminal and all rows elsewhere, with each filter as a flag; `get` shows records by ID. */
import type { Option } from 'commander';
import type { Call, ListQuery } from '../../../account/client/request.ts';
import { type ListRange, readEach } from '../../../account/session/list.ts';
import type { Session } from '../../../account/session/session.ts';
import {
  requireView,
  type SavedFlags,
  type SavedView,
  type SavedViews,
  viewsOf,
} from '../../../account/settings/config.ts';
import { openStore } from '../../../account/settings/store.ts';
import { type Operation, operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage, violations } from '../../../base/errors.ts';
import { boh, type CommandLine } from '../../../base/hint.ts';
import { orDidYouMean } from '../../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import { filterNotes, includeMessages, parseListQuery } from '../../input/list-query.ts';
import type { LocalQuery } from '../../output/local-query.ts';
import { presentInView } from '../../output/present.ts';
import { dryRunResult, type Result } from '../../output/result.ts';
import { relationsOf, type View, withShownRelations } from '../../output/view.ts';
import { readTargets, resolveTargets } from '../../prompts/missing-input.ts';
import { note, reportFailure } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand, type DeclaredVerb } from '../declare.ts';
import { filterFlags, flagValues, idArguments, includeFlag, viewFlags } from '../flags/contract-flags.ts';
import { type FlagsOf, repeated, under } from '../flags/flag-table.ts';
import { anyAccountFlag } from '../flags/shared-flags.ts';

/** Returns the flags of a list. `withView` also adds `--view`. */
export function listFlags({ filters }: Resource, { withView }: { withView: boolean }) {
  return [
    ...filterFlags(filters),
    ...under('Rows:', [
      ['--sort <fields>', 'sort by these columns; -COLUMN for descending'],
      [
        '--where-local <condition>',
        'only rows like this: "name ~ rice"; boh reads the whole list (repeatable)',
        repeated,
      ],
      ['--limit <number>', 'at most this many rows'],
      ['--all', 'all rows, also on a terminal'],
      includeFlag,
      ['--page <number>', 'only this page'],
      ['--watch [seconds]', 'refresh, and highlight changes'],
      ['--mirror', 'read from the mirror (boh mirror sync) instead of the service'],
    ]),
    anyAccountFlag('with --mirror: read a mirror of another account'),
    ...viewFlags,
    ...under('Rows:', withView ? [['--view <view>', 'use the filters and columns of a saved view']] : []),
  ] as const;
}

/** The flags of a list, not yet validated. */
export type ListCommandFlags = FlagsOf<ReturnType<typeof listFlags>>;

export function listCommand(verb: DeclaredVerb, operation: Operation, context: Context): Command {
  const { resource } = operation;
  return createCommand(context, {
    ...verb,
    flags: listFlags(resource, { withView: true }),
    run: async (_, flags, command) => {
      // A view changes the values of the flags.
      if (flags.view !== undefined) await useView(flags.view, command, resource, context);
      await presentInView(context, resource, flags, (view) => readList(flags, view, operation, context));
    },
  });
}

async function readList(
  flags: ListCommandFlags,
  listView: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const { globals } = context;
  if (flags.all && (flags.limit !== undefined || flags.page !== undefined)) {
    throw usage("--all can't be used with --limit or --page.");
  }
  const { local, ...listQuery } = await parseListFlags(flags, resource, context);
  if (local && listView.raw)
    throw usage(`--raw prints response bodies unchanged, but boh ${local.description}.`);
  for (const filterNote of await filterNotes(resource, listQuery)) note(context.streams, filterNote);
  const range = rangeFor(context, listView, flags);
  const view = withShownRelations(listView, 'list');
  const include = [
    ...new Set([...view.include, ...relationsOf(resource, local?.columns ?? [], view.include)]),
  ];
  const query = { ...listQuery, include, optional: view.optionalInclude };
  if (flags.mirror) {
    if (flags.watch !== undefined) throw usage("--watch can't be used with --mirror.");
    const { listFromMirror } = await import('../mirror/list-mirror.ts');
    const result = await listFromMirror(operation, query, { flags, range: local ? {} : range }, context);
    if (!local) return result;
    const { applyLocalQuery } = await loadLocalQueries();
    return { ...result, list: applyLocalQuery(result.list, local, range) };
  }
  if (flags.anyAccount) throw usage('--any-account can only be used with --mirror.');
  const session = await context.session();
  if (globals.dryRun) return dryRunResult(context, [await session.plan({ operation, query })]);
  await session.permissions.checkPermission({ operation });
  const call = { operation, query: await session.names.resolveFilters(resource, query) };
  if (local)
    note(
      context.streams,
      `The service can't do this: boh reads all ${resource.nouns} and ${local.description}.`,
    );
  const lists = local ? (await loadLocalQueries()).withLocalQuery(session, local) : session;
  if (flags.watch !== undefined) {
    const { watchList } = await import('../../output/watch.ts');
    return watchList({ context, session: lists, call, view, range }, flags.watch);
  }
  return {
    kind: 'rows',
    resource,
    query: call.query,
    list: lists.list(call, { ...range, mustExist: true }),
  };
}

/** Few lists need it, and it loads what draws tables. */
const loadLocalQueries = () => import('../../output/local-query.ts');

/** Parses the flags for filters, sorting and pages, and what boh does itself (`local`). Throws one failure with all problems. */
export async function parseListFlags(
  flags: ListCommandFlags,
  resource: Resource,
  { now, globals }: Context,
): Promise<ListQuery & { local?: LocalQuery | undefined }> {
  const { unchecked = false } = globals;
  const names = resource.filters.map(({ name }) => name);
  const given = flagValues(flags, names);
  const isPhone = (name: string) =>
    resource.filters.some((filter) => filter.name === name && filter.value.traits.form === 'phone');
  const { filters, parts } = given.some(({ name }) => isPhone(name))
    ? (await import('../../prompts/search.ts')).splitPhoneParts(resource, given)
    : { filters: given, parts: [] };
  const mayBeLocal = parts.length > 0 || flags.sort !== undefined || flags.whereLocal !== undefined;
  const local = mayBeLocal
    ? (await loadLocalQueries()).parseLocalQuery(resource, flags, now(), unchecked, parts)
    : undefined;
  if (local && flags.page !== undefined) throw usage(`--page can't be used here: boh ${local.description}.`);
  const queryFlags = { ...flags, filters, ...(local?.sorts && { sort: '' }) };
  return { ...(await parseListQuery(resource, queryFlags, now(), unchecked)), local };
}

/** Returns the range of rows to read: on a terminal the first page, unless flags or a query need more. */
function rangeFor({ streams }: Context, { select }: View, { all, page, limit }: ListCommandFlags): ListRange {
  const isDefaultRange = all !== true && page === undefined && limit === undefined && select === undefined;
  return {
    isFirstPageOnly: streams.isTerminal.out && isDefaultRange,
    limit: limit === undefined ? undefined : Number(limit),
    readsAll: true,
  };
}

/** Flags that a view doesn't save: they don't change which records and columns the list shows. */
const unsavedFlags = ['--view', '--watch'];

export function flagsOnCommandLine(command: Command): SavedFlags {
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const { long } = option;
      const attribute = option.attributeName();
      const isFromCommandLine = command.getOptionValueSource(attribute) === 'cli';
      if (!long || !isFromCommandLine || unsavedFlags.includes(long)) return [];
      return [[long, command.getOptionValue(attribute)]];
    }),
  );
}

/** Applies a saved view to the command of a list. Throws a usage failure if the view doesn't exist. */
async function useView(name: string, command: Command, resource: Resource, context: Context): Promise<void> {
  applyView(command, resource, name, requireView(await readSavedViews(context), name));
}

/** Returns the views of the profile in use, or those saved without a profile. */
export async function readSavedViews({ env, settings }: Context): Promise<SavedViews> {
  const { profile } = await settings();
  return viewsOf((await openStore(env).read()).config, profile);
}

/**
 * Sets the flags of the view that the command line doesn't have; repeatable flags are added. Throws a usage failure if the
 * view is for another resource or has a flag that no longer exists: without a filter, the list would have other records.
 */
function applyView(
  command: Command,
  resource: Resource,
  name: string,
  { resource: viewResource, flags }: SavedView,
): void {
  if (viewResource !== resource.name)
    throw usage(`The view "${name}" is for ${viewResource.replaceAll('_', '-')}, not ${resource.command}.`);
  const options = new Map(command.options.map((option) => [option.long ?? '', option]));
  const missingFlags = Object.keys(flags).filter((flag) => !options.has(flag));
  if (missingFlags.length > 0) {
    const allowedFlags = [...options.keys()];
    const suggestions = missingFlags.map((flag) => `${flag}${orDidYouMean(flag, allowedFlags)}`);
    throw usage(
      `The view "${name}" uses flags that ${resource.command} list no longer has: ${suggestions.join(', ')}.`,
      {
        hint: boh.hint`To save it again: ${boh.account('views save', name, resource.command)} …; to delete it: ${boh.account('views delete', name)}`,
      },
    );
  }
  for (const [flag, value] of Object.entries(flags))
    setUnlessOnCommandLine(command, options.get(flag), value);
}

function setUnlessOnCommandLine(
  command: Command,
  option: Option | undefined,
  value: SavedFlags[string],
): void {
  if (!option) return;
  const attribute = option.attributeName();
  const isFromCommandLine = command.getOptionValueSource(attribute) === 'cli';
  if (!isFromCommandLine) command.setOptionValueWithSource(attribute, value, 'config');
  else if (Array.isArray(value)) {
    const commandLineValue: unknown = command.getOptionValue(attribute);
    command.setOptionValueWithSource(
      attribute,
      [...value, ...(Array.isArray(commandLineValue) ? commandLineValue : [])],
      'cli',
    );
  }
}

export function commandLineOf({ resource, flags }: SavedView, resources: readonly Resource[]): CommandLine {
  const command = resources.find(({ name }) => name === resource)?.command ?? resource;
  const words = Object.entries(flags).flatMap(([flag, value]) => {
    if (value === true) return [flag];
    if (value === false) return [`${flag}=false`];
    return [value].flat().flatMap((text) => [flag, String(text)]);
  });
  return { command: `${command} list`, args: words, flags: 'account' };
}

/** Returns the list operation of a resource. Throws a usage failure if the resource doesn't have one. */
export function listOf(resource: Resource) {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} has no list to save as a view.`);
  return list;
}

export function getCommand(verb: DeclaredVerb, operation: Operation, context: Context): Command {
  return createCommand(context, {
    ...verb,
    ...idArguments(operation),
    flags: [...under('Rows:', [includeFlag]), ...viewFlags],
    run: (_, flags, { args }) =>
      presentInView(context, operation.resource, flags, (view) =>
        readTargetRecords(args, view, operation, context),
      ),
  });
}

/** Reads the records with these IDs: one as a record, several as rows. */
export async function readTargetRecords(
  args: readonly string[],
  recordView: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const messages = context.globals.unchecked ? {} : await includeMessages(resource, recordView.include);
  const { command } = operation;
  if (messages.include) throw violations(`input for ${command}`, messages, boh.help(command));
  const { all: targets, isBulk } = await readTargets(context, operation, args);
  const { include, optionalInclude: optional } = withShownRelations(recordView, isBulk ? 'list' : 'record');
  const session = await context.session();
  if (!context.globals.dryRun) await session.permissions.checkPermission({ operation });
  const calls = await resolveTargets(
    session,
    targets.map((ids) => ({ operation, ids, query: { include, optional } })),
  );
  const requests = [];
  // Malformed IDs are refused before anything is sent.
  for (const call of calls) requests.push(await session.plan(call));
  if (context.globals.dryRun) return dryRunResult(context, requests, { isList: isBulk });
  const [onlyCall] = calls;
  if (isBulk || !onlyCall) return readMultiple(resource, calls, session, context);
  const { record, body } = await session.get(onlyCall);
  return { kind: 'record', resource, record, body };
}

/** Returns the records that can be read as rows, and reports each failure. The result fails at the end if a read failed. */
function readMultiple(
  resource: Resource,
  calls: readonly Call[],
  session: Session,
  context: Context,
): Result {
  const report = (failure: Failure) => reportFailure(failure, context.streams);
  const list = readEach(session, calls, report);
  const failure = () => {
    const failures = list
      .failures()
      .map(({ id, failure: { category, message } }) => ({ id, category, message }));
    const [firstFailure] = failures;
    if (!firstFailure) return undefined;
    const haveSameCategory =
      failures.length === calls.length &&
      failures.every(({ category }) => category === firstFailure.category);
    return new Failure(
      haveSameCategory ? firstFailure.category : 'partial',
      `Can't read ${failures.length} of ${calls.length} records.`,
      {
        hint: 'The failures are listed above.',
        failures,
      },
    );
  };
  return { kind: 'rows', resource, query: {}, list, failure };
}
