/** `boh mirror sync`: syncs the mirror with the account, once or repeatedly. */
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { splitList } from '../../contract/comma-list.ts';
import { requireOperation } from '../../contract/operation.ts';
import { lockMirror } from '../../mirror/lock.ts';
import { type MirroredResource, mirroredResources } from '../../mirror/schema/derive.ts';
import { parseExcluded } from '../../mirror/schema/excluded.ts';
import { openStore } from '../../mirror/stores/open.ts';
import type { Store } from '../../mirror/stores/store.ts';
import { type SyncRound, syncRound } from '../../mirror/sync/round.ts';
import { roundFailure } from '../../mirror/sync/round-failure.ts';
import type { MirrorTarget } from '../../mirror/target.ts';
import { formatFromFlags } from '../../output/choose-format.ts';
import { present } from '../../output/present.ts';
import { dryRunResult, type LiveEvent } from '../../output/result.ts';
import type { Session } from '../../session/session.ts';
import { note, warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import {
  type AnyAccountFlag,
  anyAccountOption,
  type ResourceFlag,
  repeatable,
  resourceOption,
} from '../flags/shared-flags.ts';
import { prepare, warnOfRedactions, withRedactionReport } from '../prepare.ts';
import { openHistorySource } from './history-source.ts';
import { createRoundProgress, formatRound, outcomeRow, roundNotes } from './show-round.ts';
import { addMirrorFlag, type MirrorFlags, parseDurationFlag, resourcesOf, targetOf } from './target.ts';

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
  const command = prepare(new Command('sync').withDryRun())
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
  await formatFromFlags(context);
  const sync = await parseSyncFlags(flags, context);
  if (context.globals.dryRun) return presentPlan(sync, context);
  if (sync.everySeconds === undefined) return presentRound(sync, context);
  const settings = await context.settings();
  const openSession = () => context.sessionFor(settings);
  const syncWith = (session: Session) => syncOnce(sync, session, context);
  const events = syncRepeatedly(syncWith, openSession, sync.everySeconds, context);
  if (!isSilent(context)) return present(context, { kind: 'live', events });
  while (!(await events.next()).done);
}

/** The sync that a command line requests. */
interface SyncRequest {
  flags: Flags;
  target: MirrorTarget;
  allResources: readonly MirroredResource[];
  /** The names of the resources to sync. */
  resourceNames: readonly string[];
  /** Undefined to sync once. */
  everySeconds: number | undefined;
  fullEverySeconds: number | undefined;
}

async function parseSyncFlags(flags: Flags, context: Context): Promise<SyncRequest> {
  const { api } = context;
  const everySeconds = flags.every === undefined ? undefined : parseDurationFlag(flags.every, '--every');
  const fullEverySeconds =
    flags.fullEvery === undefined ? undefined : parseDurationFlag(flags.fullEvery, '--full-every');
  if (flags.exclude?.length === 0) {
    throw usage('--exclude needs a field.', {
      hint: 'Specify a resource and a field, for example customers.phone.',
    });
  }
  parseExcluded(api, flags.exclude ?? []);
  const target = await targetOf(flags, context);
  const allResources = mirroredResources(api);
  const resourceNames = (await resourcesOf(flags, allResources, context)).map(
    ({ resource }) => resource.name,
  );
  return { flags, target, allResources, resourceNames, everySeconds, fullEverySeconds };
}

/** Syncs once, while no other process syncs the mirror. */
async function syncOnce(sync: SyncRequest, session: Session, context: Context): Promise<SyncRound> {
  const { flags, target, allResources } = sync;
  const { signal, env } = context;
  const lock = await lockMirror(target, { shouldWait: flags.lock === true, signal, env });
  try {
    const store = await openStore(target, allResources);
    const round = await syncInto(store, sync, session, context).catch(async (error) => {
      // The first failure is reported: it causes a failure to close.
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
  { flags, resourceNames, fullEverySeconds }: SyncRequest,
  session: Session,
  context: Context,
): Promise<SyncRound> {
  const watcher = createRoundProgress(context, resourceNames.length);
  try {
    return await syncRound({
      api: context.api,
      store,
      session,
      env: context.env,
      isAnyAccount: flags.anyAccount,
      resourceNames,
      fullAfterSeconds: flags.full ? 0 : fullEverySeconds,
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

/** Returns whether a sync prints only warnings: `--quiet` without a format. */
function isSilent({ streams, globals }: Context): boolean {
  return streams.quiet && globals.output === undefined;
}

async function presentRound(sync: SyncRequest, context: Context): Promise<void> {
  const round = await syncOnce(sync, await context.session(), context).catch((error) => {
    if (context.signal.aborted)
      note(
        context.streams,
        boh.hint`The records that were read are in the mirror. To continue: ${boh.mirror('mirror sync')}`,
      );
    throw error;
  });
  const result = {
    kind: 'data' as const,
    data: round.outcomes.map(outcomeRow),
    idField: 'resource',
    columns: [
      { name: 'resource', isIndivisible: true },
      { name: 'read', align: 'right' as const },
      { name: 'removed', align: 'right' as const },
      { name: 'whole', header: 'full' },
      { name: 'error' },
    ],
  };
  if (!isSilent(context)) await present(context, result);
  for (const roundNote of roundNotes(round, sync.target.label)) note(context.streams, roundNote);
  const failure = roundFailure(round);
  if (failure) throw failure;
}

/** Shows the first request for each resource. */
async function presentPlan({ allResources, resourceNames }: SyncRequest, context: Context): Promise<void> {
  const session = await context.session();
  const requests = allResources
    .filter(({ resource }) => resourceNames.includes(resource.name))
    .map(({ resource, includes }) =>
      session.plan({ operation: requireOperation(resource, 'list'), query: { optional: [...includes] } }),
    );
  await present(context, await dryRunResult(context, await Promise.all(requests)));
}

/** Yields the outcome of each sync until the command is stopped. Warns of a failed sync: the next one continues it. */
async function* syncRepeatedly(
  syncWith: (session: Session) => Promise<SyncRound>,
  openSession: () => Promise<Session>,
  everySeconds: number,
  context: Context,
): AsyncGenerator<LiveEvent> {
  const { streams, signal, now } = context;
  for (;;) {
    const startedAt = now();
    // The permissions of a token may change between syncs.
    const session = await openSession();
    try {
      const round = await syncWith(session);
      const startTime = startedAt.toISOString();
      yield {
        data: { at: startTime, resources: round.outcomes.map(outcomeRow) },
        line: `${startTime.slice(0, 19)}Z ${formatRound(round)}`,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) || isPermanentFailure(error)) throw error;
      warn(streams, error.message);
    } finally {
      await session.close();
      warnOfRedactions(context);
    }
    const remainingMs = startedAt.getTime() + everySeconds * 1000 - now().getTime();
    await setTimeout(Math.max(remainingMs, 0), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Returns whether the next sync would fail the same way. */
function isPermanentFailure({ category }: Failure): boolean {
  return category === 'usage' || category === 'not_signed_in' || category === 'internal';
}
