/** `boh mirror sync`: syncs the mirror with the account, once or repeatedly. */

import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { splitList } from '../../contract/list-text.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { type Mirrored, mirroredResources } from '../../mirror/schema/derive.ts';
import { readExcluded } from '../../mirror/schema/excluded.ts';
import { openStore } from '../../mirror/stores/open.ts';
import type { Store } from '../../mirror/stores/store.ts';
import { listOf } from '../../mirror/sync/read-list.ts';
import { type Round, syncRound } from '../../mirror/sync/round.ts';
import { failureOf } from '../../mirror/sync/round-failure.ts';
import type { MirrorTarget } from '../../mirror/target.ts';
import { formatOnLine } from '../../output/chosen-format.ts';
import { planned } from '../../output/planned.ts';
import { present } from '../../output/present.ts';
import type { Moment } from '../../output/result.ts';
import type { Session } from '../../session/session.ts';
import { note, warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { type ResourceFlag, resourceOption } from '../flags/resource-flag.ts';
import { type AnyAccountFlag, anyAccountOption, repeatable } from '../flags/shared-flags.ts';
import { prepare, warnOfRedactions, withRedactionReport } from '../prepare.ts';
import { openHistorySource } from './history-source.ts';
import { factsOf, lineOf, remarksOf, showRound } from './show-round.ts';
import { addMirrorFlag, type MirrorFlags, readDuration, resourcesOf, targetOf } from './target.ts';

interface Flags extends MirrorFlags, ResourceFlag, AnyAccountFlag {
  full?: boolean;
  fullEvery?: string;
  exclude?: readonly string[];
  every?: string;
  history?: boolean;
  lock?: boolean;
}

/** Returns the command `boh mirror sync`. */
export function syncCommand(context: Context): Command {
  const command = prepare(new Command('sync'))
    .description(
      'Sync the mirror with the account: the first sync reads all records, later ones only what changed. After an ' +
        'interruption, the next sync continues.',
    )
    .examples('boh mirror sync --to sqlite:mirror.sqlite', 'boh mirror sync --every 5m');
  addMirrorFlag(command)
    .addOption(resourceOption())
    .addOption(new Option('--every <time>', 'keep running, and sync at this interval, for example 5m'))
    .addOption(new Option('--full', 'read all records, and remove those that the service no longer lists'))
    .addOption(
      new Option('--full-every <time>', 'do a full sync of each list at this interval, for example 24h'),
    );
  command.group(
    'Advanced:',
    repeatable(
      '--exclude <fields>',
      'never store these fields, for example customers.phone; also applies to later syncs',
      splitList,
    ),
    new Option('--history', 'also store the history of writes (boh history); also applies to later syncs'),
    new Option('--no-history', 'remove the history from the mirror'),
    new Option('--lock', 'wait if another sync of the mirror is running'),
    anyAccountOption('sync to a mirror of another account'),
  );
  return withRedactionReport(command, context).action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: Context): Promise<void> {
  await formatOnLine(context);
  const sync = await syncOf(flags, context);
  if (context.globals.dryRun) return presentPlan(sync, context);
  if (sync.every === undefined) return presentRound(sync, context);
  const settings = await context.settings();
  const session = () => context.sessionFor(settings);
  const once = (opened: Session) => syncOnce(sync, opened, context);
  const moments = rounds(once, session, sync.every, context);
  if (!isSilent(context)) return present(context, { kind: 'live', moments });
  while (!(await moments.next()).done);
}

/** What a command line asks to sync. */
interface Sync {
  flags: Flags;
  target: MirrorTarget;
  all: readonly Mirrored[];
  /** The names of the resources to sync. */
  wanted: readonly string[];
  /** In milliseconds; undefined to sync once. */
  every: number | undefined;
  fullEvery: number | undefined;
}

async function syncOf(flags: Flags, context: Context): Promise<Sync> {
  const { api } = context;
  const every = flags.every === undefined ? undefined : readDuration(flags.every, '--every');
  const fullEvery = flags.fullEvery === undefined ? undefined : readDuration(flags.fullEvery, '--full-every');
  if (flags.exclude?.length === 0) {
    throw usage('--exclude needs a field.', {
      hint: 'Give a resource and a field, for example customers.phone.',
    });
  }
  readExcluded(api, flags.exclude ?? []);
  const target = await targetOf(flags, context);
  const all = mirroredResources(api);
  const wanted = (await resourcesOf(flags, all, context)).map(({ resource }) => resource.name);
  return { flags, target, all, wanted, every, fullEvery };
}

/** Syncs once, while no other process syncs the mirror. */
async function syncOnce(sync: Sync, session: Session, context: Context): Promise<Round> {
  const { flags, target, all } = sync;
  const { signal, env } = context;
  const lock = await lockMirror(target, { isWaiting: flags.lock === true, signal, env });
  try {
    const store = await openStore(target, all);
    const round = await syncInto(store, sync, session, context).catch(async (error) => {
      // A failure to close follows from the first failure.
      await store.close().catch(() => {});
      throw error;
    });
    await store.close();
    return round;
  } finally {
    await lock.release();
  }
}

async function syncInto(
  store: Store,
  { flags, wanted, fullEvery }: Sync,
  session: Session,
  context: Context,
): Promise<Round> {
  const watcher = showRound(context, wanted.length);
  try {
    return await syncRound({
      api: context.api,
      store,
      session,
      env: context.env,
      isAnyAccount: flags.anyAccount,
      resourceNames: wanted,
      fullAfter: flags.full ? 0 : fullEvery,
      exclude: flags.exclude ?? [],
      history: flags.history,
      isEveryResource: flags.resource === undefined,
      now: context.now,
      openHistory: async () => openHistorySource(context),
      watcher,
    });
  } finally {
    watcher.done();
  }
}

/** Returns whether only warnings and the exit code report a sync: `--quiet` without a format. */
function isSilent({ streams, globals }: Context): boolean {
  return streams.quiet && globals.output === undefined;
}

async function presentRound(sync: Sync, context: Context): Promise<void> {
  const round = await syncOnce(sync, await context.session(), context).catch((error) => {
    if (context.signal.aborted)
      note(
        context.streams,
        boh.hint`The records that were read are in the mirror. To continue: ${boh.mirror('mirror sync')}`,
      );
    throw error;
  });
  const shown = {
    kind: 'facts' as const,
    facts: round.outcomes.map(factsOf),
    key: 'resource',
    columns: [
      { name: 'resource', whole: true },
      { name: 'read', align: 'right' as const },
      { name: 'removed', align: 'right' as const },
      { name: 'whole' },
      { name: 'error' },
    ],
  };
  if (!isSilent(context)) await present(context, shown);
  for (const text of remarksOf(round, sync.target.label)) note(context.streams, text);
  const failure = failureOf(round);
  if (failure) throw failure;
}

/** Shows the first request for each resource. */
async function presentPlan({ all, wanted }: Sync, context: Context): Promise<void> {
  const session = await context.session();
  const requests = all
    .filter(({ resource }) => wanted.includes(resource.name))
    .map(({ resource, includes }) =>
      session.plan({ operation: listOf(resource), query: { optional: [...includes] } }),
    );
  await present(context, await planned(context, await Promise.all(requests)));
}

/** Yields the outcome of each sync until the command is stopped. Warns of a failed sync: the next one continues it. */
async function* rounds(
  once: (session: Session) => Promise<Round>,
  open: () => Promise<Session>,
  every: number,
  context: Context,
): AsyncGenerator<Moment> {
  const { streams, signal, now } = context;
  for (;;) {
    const began = now();
    // The permissions of a token may change between rounds.
    const session = await open();
    try {
      const round = await once(session);
      const at = began.toISOString();
      yield {
        facts: { at, resources: round.outcomes.map(factsOf) },
        line: `${at.slice(0, 19)}Z ${lineOf(round)}`,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) || isPermanent(error)) throw error;
      warn(streams, error.message);
    } finally {
      await session.close();
      warnOfRedactions(context);
    }
    const left = began.getTime() + every * 1000 - now().getTime();
    await setTimeout(Math.max(left, 0), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns whether the next round would fail the same way. */
function isPermanent({ category }: Failure): boolean {
  return category === 'usage' || category === 'not_signed_in' || category === 'internal';
}
