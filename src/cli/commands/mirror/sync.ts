/** `boh mirror sync`: syncs the mirror with the account, once or repeatedly. */
import { setTimeout } from 'node:timers/promises';
import type { Session } from '../../../account/session/session.ts';
import { splitList } from '../../../api/contract/comma-list.ts';
import { formatTimestamp, parseFilterTime } from '../../../api/contract/date-time.ts';
import { requireOperation } from '../../../api/contract/operation.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh, joinHints } from '../../../base/hint.ts';
import { checkWritable, replaceFile } from '../../../base/replace-file.ts';
import { joinItems } from '../../../base/shown-items.ts';
import { fieldChanges } from '../../../engine/history/field-changes.ts';
import type { Entry } from '../../../engine/history/journal/entry.ts';
import {
  changesSince,
  journalId,
  oldestNumber,
  positionOf,
} from '../../../engine/history/journal/journal-changes.ts';
import { entriesAfter, entryNumbered } from '../../../engine/history/journal/reading.ts';
import { lockMirror } from '../../../engine/mirror/lock.ts';
import { lastSequence, readChanges, streamedChange } from '../../../engine/mirror/query/changes.ts';
import { type MirroredResource, mirroredResources } from '../../../engine/mirror/schema/derive.ts';
import { parseExcluded } from '../../../engine/mirror/schema/excluded.ts';
import { formatMetrics, readMirrorStatus } from '../../../engine/mirror/status.ts';
import { openReader, openStore, withReader } from '../../../engine/mirror/stores/open.ts';
import type { Store } from '../../../engine/mirror/stores/store.ts';
import { keepsVersions } from '../../../engine/mirror/sync/change-log.ts';
import type { HistoryEntry } from '../../../engine/mirror/sync/history-rows.ts';
import {
  type OpenHistorySource,
  roundFailure,
  type SyncOutcome,
  type SyncRound,
  type SyncWatcher,
  syncRound,
} from '../../../engine/mirror/sync/round.ts';
import type { MirrorTarget } from '../../../engine/mirror/target.ts';
import type { Context } from '../../context/context.ts';
import { isSilent } from '../../output/choose-format.ts';
import { createHeapLimiter } from '../../output/heap-limiter.ts';
import { dryRunResult, type LiveEvent, type Result } from '../../output/result.ts';
import { note, warn } from '../../terminal/messages.ts';
import { startPartsProgress } from '../../terminal/progress.ts';
import type { Command } from '../command.ts';
import { createCommand, warnOfRedactions } from '../declare.ts';
import { type FlagsOf, repeatedBy, under } from '../flags/flag-table.ts';
import { anyAccountFlag, resourceFlag } from '../flags/shared-flags.ts';
import { idsOf } from '../history/entries.ts';
import { openHistoryForCaller } from '../history/open-history.ts';
import { mirrorFlag, parseDurationFlag, resourcesOf, targetOf } from './target.ts';

const syncFlags = [
  mirrorFlag,
  resourceFlag(),
  ['--every <time>', 'keep running, and sync at this interval, for example 5m'],
  ['--full', 'read all records, and remove those that the service no longer lists'],
  ['--full-every <time>', 'do a full sync of each list at this interval, for example 24h'],
  ['--stream', 'print each change that the sync sees as a line of JSON, instead of the resources'],
  ['--after <number>', 'with --stream: begin after this sequence number of an earlier line'],
  ...under('Advanced:', [
    [
      '--exclude <fields>',
      'never store these fields, for example customers.phone; also applies to later syncs',
      repeatedBy(splitList),
    ],
    ['--history', 'also store the history of writes (boh history); also applies to later syncs'],
    ['--no-history', 'remove the history from the mirror'],
    [
      '--metrics <file>',
      'write the last success, rows and lag of each list after a sync, as Prometheus text',
    ],
    [
      '--keep-versions <age>',
      'delete earlier versions of rows that are older than this, for example 90d (default: 730d)',
    ],
    ['--no-versions', 'keep no earlier versions of rows; also applies to later syncs'],
    ['--versions', 'keep them again'],
    ['--lock', 'wait if another sync of the mirror is running'],
    anyAccountFlag('sync to a mirror of another account'),
  ]),
] as const;

type SyncFlags = FlagsOf<typeof syncFlags>;

export function syncCommand(context: Context): Command {
  return createCommand(context, {
    name: 'sync',
    summary: 'Sync the mirror with the account',
    about:
      'Sync the mirror with the account: the first sync reads all records, later ones only what changed. After an ' +
      'interruption, the next sync continues.',
    flags: syncFlags,
    examples: ['boh mirror sync --to sqlite:mirror.sqlite', 'boh mirror sync --every 5m'],
    dryRun: true,
    reportsRedactions: true,
    run: (_, flags) => run(flags, context),
  });
}

async function run(flags: SyncFlags, context: Context): Promise<Result> {
  const sync = await parseSyncFlags(flags, context);
  if (context.globals.dryRun) return planResult(sync, context);
  if (flags.stream) return { kind: 'live', events: streamChanges(sync, context) };
  if (sync.everySeconds === undefined) return roundResult(sync, context);
  const settings = await context.settings();
  const openSession = () => context.sessionFor(settings);
  const syncWith = (session: Session) => syncOnce(sync, session, context);
  const events = syncRepeatedly(syncWith, openSession, sync.everySeconds, context, roundEvent);
  if (!isSilent(context)) return { kind: 'live', events };
  while (!(await events.next()).done);
  return { kind: 'nothing' };
}

/** The sync that a command line requests. */
interface SyncRequest {
  flags: SyncFlags;
  target: MirrorTarget;
  allResources: readonly MirroredResource[];
  resourceNames: readonly string[];
  /** Undefined to sync once. */
  everySeconds: number | undefined;
  fullEverySeconds: number | undefined;
}

async function parseSyncFlags(flags: SyncFlags, context: Context): Promise<SyncRequest> {
  const { api } = context;
  const everySeconds = flags.every === undefined ? undefined : parseDurationFlag(flags.every, '--every');
  const fullEverySeconds =
    flags.fullEvery === undefined ? undefined : parseDurationFlag(flags.fullEvery, '--full-every');
  if (flags.exclude?.length === 0) {
    throw usage('--exclude needs a field.', {
      hint: 'Specify a resource and a field, for example customers.phone.',
    });
  }
  versionsCutoff(flags, context);
  refuseStreamFlags(flags);
  if (flags.metrics !== undefined && !context.globals.dryRun) await checkWritable(flags.metrics);
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
    const round = await syncAndMeasure(store, sync, session, context).catch(async (error) => {
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

/** Syncs, and writes the metrics even if some or all lists failed. */
async function syncAndMeasure(
  store: Store,
  sync: SyncRequest,
  session: Session,
  context: Context,
): Promise<SyncRound> {
  const { flags, allResources, resourceNames } = sync;
  const writeMetrics = async () => {
    if (flags.metrics === undefined) return;
    const resources = allResources.filter(({ resource }) => resourceNames.includes(resource.name));
    const statuses = await readMirrorStatus(store, resources, context.now(), flags.resource === undefined);
    await replaceFile(flags.metrics, formatMetrics(statuses));
  };
  const round = await syncInto(store, sync, session, context).catch(async (error) => {
    await writeMetrics().catch(() => {});
    throw error;
  });
  await writeMetrics();
  return round;
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
      versions: flags.versions,
      keepVersionsSince: formatTimestamp(versionsCutoff(flags, context)),
      isEveryResource: flags.resource === undefined,
      now: context.now,
      openHistory: async () => openHistorySource(context),
      watcher,
    });
  } finally {
    watcher.done();
  }
}

function refuseStreamFlags({ stream, after, versions }: SyncFlags): void {
  if (after !== undefined && !stream) throw usage('--after needs --stream.');
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw usage(`--after takes the sequence number of a change, not "${after}".`);
  if (stream && versions === false) throw usage("--stream can't be combined with --no-versions.");
}

/** Returns the time before which versions are deleted. */
function versionsCutoff({ keepVersions }: SyncFlags, { now }: Context): Date {
  const cutoff = parseFilterTime(keepVersions ?? '730d', now());
  if (cutoff) return cutoff;
  throw usage('--keep-versions takes an age, such as 90d, or a day, such as 2026-01-01.');
}

async function roundResult(sync: SyncRequest, context: Context): Promise<Result> {
  const round = await syncOnce(sync, await context.session(), context).catch((error) => {
    if (context.signal.aborted)
      note(
        context.streams,
        boh.hint`The records that were read are in the mirror. To continue: ${boh.mirror('mirror sync')}`,
      );
    throw error;
  });
  const end = { notes: roundNotes(round, sync.target.label), expectedFailure: roundFailure(round) };
  if (isSilent(context)) return { kind: 'nothing', ...end };
  return {
    kind: 'data',
    data: round.outcomes.map(outcomeRow),
    idField: 'resource',
    columns: [
      { name: 'resource', isIndivisible: true },
      { name: 'read', align: 'right' as const },
      { name: 'removed', align: 'right' as const },
      { name: 'complete', header: 'full' },
      { name: 'error' },
    ],
    ...end,
  };
}

async function planResult({ allResources, resourceNames }: SyncRequest, context: Context): Promise<Result> {
  const session = await context.session();
  const requests = allResources
    .filter(({ resource }) => resourceNames.includes(resource.name))
    .map(({ resource, includes }) =>
      session.plan({ operation: requireOperation(resource, 'list'), query: { optional: [...includes] } }),
    );
  return dryRunResult(context, await Promise.all(requests), { isList: true });
}

/** Yields the outcome of each sync until the command is stopped. Warns of a failed sync: the next one continues it. */
async function* syncRepeatedly(
  syncWith: (session: Session) => Promise<SyncRound>,
  openSession: () => Promise<Session>,
  everySeconds: number,
  context: Context,
  eventsOf: (round: SyncRound, startTime: string) => AsyncIterable<LiveEvent> | Iterable<LiveEvent>,
): AsyncGenerator<LiveEvent> {
  const { streams, signal, now } = context;
  for (;;) {
    const startedAt = now();
    // The permissions of a token may change between syncs.
    const session = await openSession();
    try {
      const round = await syncWith(session);
      yield* eventsOf(round, startedAt.toISOString());
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

function roundEvent(round: SyncRound, startTime: string): LiveEvent[] {
  const line = `${startTime.slice(0, 19)}Z ${formatRound(round)}`;
  return [{ data: { at: startTime, resources: round.outcomes.map(outcomeRow) }, line }];
}

/**
 * Syncs once or repeatedly and yields each change after `--after`, or after the last change of earlier syncs. A reader that
 * continues after the last line that it has processed gets each change at least once.
 */
async function* streamChanges(sync: SyncRequest, context: Context): AsyncGenerator<LiveEvent> {
  const { flags, target, allResources, resourceNames, everySeconds } = sync;
  const resources = allResources.filter(({ resource }) => resourceNames.includes(resource.name));
  let last = flags.after === undefined ? undefined : Number(flags.after);
  const syncWith = async (session: Session) => {
    const lastBefore = await withReader(target, async (reader) => {
      if (flags.versions || (await keepsVersions(reader))) return lastSequence(reader);
      const hint = boh.hint`To keep them again: ${boh.mirror('mirror sync', '--versions')}`;
      throw usage('--stream needs the versions of rows, and the mirror keeps none.', { hint });
    }).catch((error) => {
      // The first sync creates the mirror.
      if (error instanceof Failure && error.category === 'not_found') return 0;
      throw error;
    });
    last ??= lastBefore;
    return syncOnce(sync, session, context);
  };
  async function* changes(round: SyncRound, startTime: string): AsyncGenerator<LiveEvent> {
    const reader = await openReader(target);
    try {
      await reader.beginSnapshot();
      for await (const change of readChanges(reader, resources, { after: last })) {
        const data = streamedChange(change);
        yield { data, line: JSON.stringify(data) };
        last = change.sequence;
      }
    } finally {
      await reader.close();
    }
    note(context.streams, `${startTime.slice(0, 19)}Z ${formatRound(round)}`);
  }
  if (everySeconds === undefined) {
    const round = await syncWith(await context.session());
    yield* changes(round, context.now().toISOString());
    const failure = roundFailure(round);
    if (failure) throw failure;
    return;
  }
  const settings = await context.settings();
  yield* syncRepeatedly(syncWith, () => context.sessionFor(settings), everySeconds, context, changes);
}

/** Returns whether the next sync would fail the same way. */
function isPermanentFailure({ category }: Failure): boolean {
  return category === 'usage' || category === 'not_signed_in' || category === 'internal';
}

interface RoundProgress extends SyncWatcher {
  done(): void;
}

/** Returns a display for the progress of a sync of `parts` resources. */
function createRoundProgress(context: Context, resourceCount: number): RoundProgress {
  const { streams } = context;
  const progress = startPartsProgress(streams, resourceCount);
  const limitHeap = createHeapLimiter(context);
  let previousCount = 0;
  return {
    done: progress.done,
    onBegin({ nouns, isHistory }) {
      progress.startPart(`Reading ${isHistory ? 'the history' : nouns}`);
      previousCount = 0;
    },
    onRecords(count, expected) {
      limitHeap(Math.max(count - previousCount, 0));
      previousCount = count;
      progress.update(count, expected);
    },
    onOutcome({ nouns, isHistory, synced, failure }) {
      if (synced?.incomplete !== undefined) {
        progress.done();
        warn(streams, `${nouns}: ${synced.incomplete} The records that were read are in the mirror.`);
      }
      if (!failure) return;
      progress.done();
      const { message, details } = failure;
      warn(streams, isHistory ? (joinHints(' ', message, details.hint) ?? '') : `${nouns}: ${message}`);
    },
  };
}

function roundNotes({ outcomes, excluded }: SyncRound, label: string): string[] {
  return [
    ...outcomes.flatMap(otherFieldNotes),
    ...(excluded.length > 0 ? [`Excluded: ${excluded.join(', ')}.`] : []),
    `Mirror: ${label}`,
  ];
}

function otherFieldNotes({ nouns, synced }: SyncOutcome): string[] {
  const { unknown = [], mismatched = [] } = synced?.otherFields ?? {};
  const fieldNotes = (kind: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [
          `The service returns ${kind} for ${nouns}: ${joinItems(names)}. The mirror stores them in other_fields.`,
        ];
  return [
    ...fieldNotes('unknown fields', unknown),
    ...fieldNotes("values that don't fit their column", mismatched),
  ];
}

function outcomeRow({ name, synced, failure }: SyncOutcome) {
  return {
    resource: name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    complete: synced?.isWhole ?? null,
    error: failure?.message ?? synced?.incomplete ?? null,
  };
}

/** Returns the outcome of a sync as one line, for `--every`. */
function formatRound({ outcomes }: SyncRound): string {
  const sum = (name: 'read' | 'removed') =>
    outcomes.reduce((total, { synced }) => total + (synced?.[name] ?? 0), 0);
  const failedCount = outcomes.filter(({ failure }) => failure).length;
  const parts = [`${sum('read')} records read`, `${sum('removed')} removed`];
  return [
    ...parts,
    ...(failedCount > 0 ? [`${failedCount} of ${outcomes.length} resources failed`] : []),
  ].join(', ');
}

/** Opens the history. The source is undefined if boh has never written anything from this machine. */
async function openHistorySource(context: Context): Promise<OpenHistorySource> {
  const journal = await openHistoryForCaller(context);
  if (!journal) return { source: undefined, close: () => {} };
  const toEntry = (entry: Entry) => historyEntry(entry, context);
  return {
    source: {
      id: journalId(journal),
      end: positionOf(journal),
      oldest: oldestNumber(journal),
      changedSince: (from) => changesSince(journal, from),
      entry: (number) => {
        const entry = entryNumbered(journal, number);
        return entry && toEntry(entry);
      },
      *after(number, upTo) {
        for (const entries of entriesAfter(journal, { after: number, upTo })) yield entries.map(toEntry);
      },
    },
    file: journal.database.file,
    close: () => journal.close(),
  };
}

function historyEntry(entry: Entry, { api }: Context): HistoryEntry {
  const { number, at, run, command, business, user, resource, verb, sent, answered, outcome, isForgotten } =
    entry;
  const [recordId = null, otherId = null] = isForgotten ? [] : idsOf(entry);
  return {
    number,
    at,
    run,
    line: command?.line ?? null,
    profile: command?.profile ?? null,
    business,
    user,
    resource,
    verb,
    recordId,
    otherId,
    outcome,
    error: answered?.error?.message ?? null,
    beforeMissing: sent?.missing ?? null,
    undoOf: command?.takesBack ?? null,
    isForgotten,
    changes: fieldChanges(entry, resource === null ? undefined : api.resource(resource)),
  };
}
