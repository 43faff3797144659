/** A `list` that is run: its filters read, its rows asked for, of the account or of its mirror. */
import type { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { filterRemarks, type ListFlags, readQuery } from '../../interaction/input/list-query.ts';
import { planned } from '../../interaction/output/planned.ts';
import { presentedInView } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { type View, withImplied } from '../../interaction/output/view.ts';
import type { ViewFlags } from '../../interaction/output/view-flags.ts';
import type { Reach } from '../../session/list.ts';
import { note } from '../../terminal/messages.ts';
import { givenValues } from '../flags/field-flags.ts';

/** As typed. */
export interface ListCommandFlags extends ViewFlags, ListFlags {
  view?: string;
  all?: boolean;
  watch?: string | true;
  mirror?: boolean;
  anyAccount?: boolean;
}

export async function runList(command: Command, operation: Operation, context: Context): Promise<void> {
  const { resource } = operation;
  const { view: name } = command.opts<ListCommandFlags>();
  if (name !== undefined) await takeView(name, command, resource, context);
  await presentedInView(context, resource, command.opts<ListCommandFlags>(), (view) =>
    listed(command, view, operation, context),
  );
}

async function takeView(name: string, command: Command, resource: Resource, context: Context): Promise<void> {
  const [{ savedViews }, { applyView }, { viewNamed }] = await Promise.all([
    import('../views/manage.ts'),
    import('../views/saved-flags.ts'),
    import('../../settings/change-views.ts'),
  ]);
  applyView(command, resource, name, viewNamed(await savedViews(context), name));
}

async function listed(
  command: Command,
  asked: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const flags = command.opts<ListCommandFlags>();
  const filters = givenValues(
    command,
    resource.filters.map(({ name }) => name),
  );
  const { globals } = context;
  if (flags.all && (flags.limit !== undefined || flags.page !== undefined)) {
    throw usage('--all is every row: leave out --limit and --page.');
  }
  const read = await readQuery(resource, { ...flags, filters }, context.now(), globals.unchecked ?? false);
  for (const remark of await filterRemarks(resource, read)) note(context.streams, remark);
  const reach = reachOf(context, asked, flags);
  const view = withImplied(asked, 'list');
  const query = { ...read, include: view.include, optional: view.implied };
  if (flags.mirror) {
    if (flags.watch !== undefined) throw usage('--watch looks at the account: leave --mirror out.');
    const { listFromMirror } = await import('../mirror/list-mirror.ts');
    return listFromMirror(operation, query, { flags, reach }, context);
  }
  if (flags.anyAccount)
    throw usage('--any-account goes with --mirror: only the copy may be of another account.');
  const session = await context.session();
  if (globals.dryRun) return planned(context, [await session.plan({ operation, query })]);
  await session.permit({ operation });
  const call = { operation, query: await session.resolveFilters(resource, query) };
  if (flags.watch !== undefined) {
    const { watchList } = await import('../../interaction/watching/watch.ts');
    return watchList({ context, session, call, view, reach }, flags.watch);
  }
  return { kind: 'rows', resource, query: call.query, list: session.list(call, reach) };
}

/** A person at a terminal wants to see where a list begins; whoever gives a query wants its answer to be right. */
function reachOf({ streams }: Context, { select }: View, { all, page, limit }: ListCommandFlags): Reach {
  const isPart = all !== true && page === undefined && limit === undefined && select === undefined;
  return {
    isFirstPageOnly: streams.isTerminal.out && isPart,
    limit: limit === undefined ? undefined : Number(limit),
    isWanted: true,
  };
}
