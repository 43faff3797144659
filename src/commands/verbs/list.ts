/** `boh RESOURCE list`: shows the first page on a terminal, and prints all rows elsewhere. Each filter is a flag. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { filterNotes, type ListFlags, parseListQuery } from '../../input/list-query.ts';
import { dryRunResult } from '../../output/dry-run.ts';
import { presentInView } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { type View, type ViewFlags, withShownRelations } from '../../output/view.ts';
import type { ListRange } from '../../session/list.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { addFilterFlags, flagValues } from '../flags/field-flags.ts';
import { anyAccountOption } from '../flags/shared-flags.ts';
import { addViewFlags } from '../flags/verb-flags.ts';
import { useView } from '../views/saved-view.ts';

/** The flags of a list, not yet validated. */
export interface ListCommandFlags extends ViewFlags, ListFlags {
  view?: string;
  all?: boolean;
  watch?: string | true;
  mirror?: boolean;
  anyAccount?: boolean;
}

const rowFlags = [
  ['--sort <fields>', 'sort by these fields; -FIELD for descending'],
  ['--limit <number>', 'at most this many rows'],
  ['--all', 'all rows, also on a terminal'],
  ['--include <relations>', 'relations to show in full, such as a,b.c'],
  ['--page <number>', 'only this page'],
  ['--watch [seconds]', 'refresh, and highlight changes'],
  ['--mirror', 'read from the mirror (boh mirror sync) instead of the service'],
] as const;

/** Adds the flags and the action of `list` to the command. */
export function configureList(command: Command, operation: Operation, context: Context): void {
  addListFlags(command, operation, { withView: true });
  command.action(() => runList(command, operation, context));
}

/** Adds the flags of a list. `withView` also adds `--view`. */
export function addListFlags(
  command: Command,
  { resource: { filters } }: Operation,
  { withView }: { withView: boolean },
): void {
  addFilterFlags(command, filters);
  command.group('Rows:', ...rowFlags.map(([flags, about]) => new Option(flags, about)));
  command.addOption(anyAccountOption('with --mirror: read a mirror of another account'));
  addViewFlags(command);
  if (withView)
    command.group('Rows:', new Option('--view <view>', 'use the filters and columns of a saved view'));
}

async function runList(command: Command, operation: Operation, context: Context): Promise<void> {
  const { resource } = operation;
  const { view: name } = command.opts<ListCommandFlags>();
  if (name !== undefined) {
    await useView(name, command, resource, context);
  }
  await presentInView(context, resource, command.opts<ListCommandFlags>(), (view) =>
    readList(command, view, operation, context),
  );
}

async function readList(
  command: Command,
  listView: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const { globals } = context;
  const flags = command.opts<ListCommandFlags>();
  if (flags.all && (flags.limit !== undefined || flags.page !== undefined)) {
    throw usage("--all can't be used with --limit or --page.");
  }
  const listQuery = await parseListFlags(command, resource, context);
  for (const filterNote of await filterNotes(resource, listQuery)) note(context.streams, filterNote);
  const range = rangeFor(context, listView, flags);
  const view = withShownRelations(listView, 'list');
  const query = { ...listQuery, include: view.include, optional: view.optionalInclude };
  if (flags.mirror) {
    if (flags.watch !== undefined) throw usage("--watch can't be used with --mirror.");
    const { listFromMirror } = await import('../mirror/list-mirror.ts');
    return listFromMirror(operation, query, { flags, range }, context);
  }
  if (flags.anyAccount) throw usage('--any-account can only be used with --mirror.');
  const session = await context.session();
  if (globals.dryRun) return dryRunResult(context, [await session.plan({ operation, query })]);
  await session.permissions.checkPermission({ operation });
  const call = { operation, query: await session.names.resolveFilters(resource, query) };
  if (flags.watch !== undefined) {
    const { watchList } = await import('../../output/watch.ts');
    return watchList({ context, session, call, view, range }, flags.watch);
  }
  return {
    kind: 'rows',
    resource,
    query: call.query,
    list: session.list(call, { ...range, mustExist: true }),
  };
}

/** Parses the flags for filters, sorting and pages. Throws one failure with all problems. */
export function parseListFlags(command: Command, resource: Resource, { now, globals }: Context) {
  const names = resource.filters.map(({ name }) => name);
  const flags = { ...command.opts<ListCommandFlags>(), filters: flagValues(command, names) };
  return parseListQuery(resource, flags, now(), globals.unchecked ?? false);
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
