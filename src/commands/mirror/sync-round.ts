/** One sync of a mirror as a command carries it out: with a sign of life, and in words what came of it. */
import { formatTimestamp } from '../../contract/moment.ts';
import { Failure } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { steadyHeap } from '../../interaction/output/steady-heap.ts';
import type { Excluded } from '../../mirror/schema/excluded.ts';
import { historyTable } from '../../mirror/schema/history-tables.ts';
import { ageOf } from '../../mirror/status.ts';
import type { Store } from '../../mirror/stores/store.ts';
import { leaveOut } from '../../mirror/sync/leave-out.ts';
import { readForgotten } from '../../mirror/sync/states.ts';
import { type Outcome, syncAll } from '../../mirror/sync/sync.ts';
import {
  dropHistory,
  holdsHistory,
  keepHistoryFailure,
  syncHistory,
} from '../../mirror/sync/sync-history.ts';
import type { Synced } from '../../mirror/sync/sync-resource.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { warn } from '../../terminal/messages.ts';
import { type Progress, progress } from '../../terminal/progress.ts';

export interface RoundOptions {
  context: Context;
  store: Store;
  session: Session;
  /** By the API’s own names. */
  wanted: readonly string[];
  /** Lists that were last read whole so long ago, in seconds, are read whole again: 0 for all, undefined for none. */
  fullAfter: number | undefined;
  exclude: readonly string[];
  /** Whether the history is to be held; undefined where the mirror says. */
  history: boolean | undefined;
  /** No resources were named. */
  isOfAll: boolean;
}

/** What came of a resource, or of the history. */
export interface Told {
  name: string;
  nouns: string;
  synced?: Pick<Synced, 'read' | 'removed' | 'isWhole'> | undefined;
  failure?: Failure | undefined;
}

export interface Round {
  outcomes: readonly Told[];
  remarks: readonly string[];
}

export async function syncRound(options: RoundOptions): Promise<Round> {
  const { context, store, session, wanted, fullAfter, exclude } = options;
  const { resources, names, excluded } = await leaveOut(context.api, store, exclude);
  const outcomes: Outcome[] = [];
  let shown: Progress | undefined;
  const keepSteady = steadyHeap();
  let before = 0;
  try {
    for await (const outcome of syncAll({
      session,
      store,
      resources: resources.filter(({ resource }) => wanted.includes(resource.name)),
      isFull: ({ fullAt }) => fullAfter !== undefined && (ageOf(fullAt, context.now()) ?? 0) >= fullAfter,
      now: () => formatTimestamp(context.now()),
      onBegin: ({ resource }) => {
        shown?.done();
        shown = progress(context.streams, { label: `Reading ${resource.nouns}` });
      },
      onRecords: (count, expected) => {
        keepSteady(Math.max(count - before, 0));
        before = count;
        shown?.update(count, expected);
      },
    })) {
      outcomes.push(outcome);
      const { mirrored, failure } = outcome;
      if (failure) warn(context.streams, `${mirrored.resource.nouns}: ${failure.message}`);
    }
  } finally {
    shown?.done();
  }
  const left = names.length > 0 ? [`Left out: ${names.join(', ')}.`] : [];
  const history = await historyOf(options, excluded);
  return {
    outcomes: [...outcomes.map(toldOf), ...(history ? [history] : [])],
    remarks: [...outcomes.flatMap(unknownIn), ...left, `The mirror is ${store.called}`],
  };
}

function toldOf({ mirrored: { resource }, synced, failure }: Outcome): Told {
  return { name: resource.name, nouns: resource.nouns, synced, failure };
}

/** Undefined where the mirror holds none. */
async function historyOf(
  { context, store, fullAfter, history, isOfAll }: RoundOptions,
  excluded: Excluded,
): Promise<Told | undefined> {
  const isHeld = await holdsHistory(store);
  if (history === false) {
    if (isHeld) await dropHistory(store);
    return undefined;
  }
  if (!history && !(isHeld && isOfAll)) return undefined;
  const { openHistorySource } = await import('./history-source.ts');
  const failed = async (failure: Failure) => {
    await keepHistoryFailure(store, failure);
    warn(context.streams, [failure.message, failure.details.hint].filter(Boolean).join(' '));
    return { ...told, failure };
  };
  const told = { name: historyTable.name, nouns: 'entries of the history' };
  const opened = await openHistorySource(context).catch((error: unknown) => {
    // Its file is damaged, or of a newer boh: the resources are in the mirror all the same.
    if (error instanceof StorageFailure) return error;
    throw error;
  });
  if (opened instanceof StorageFailure) return failed(opened);
  const { source, close } = opened;
  const shown = progress(context.streams, { label: 'Reading the history' });
  try {
    const forgotten = await readForgotten(store);
    const now = formatTimestamp(context.now());
    const keepSteady = steadyHeap();
    let read = 0;
    const onEntries = (more: number) => {
      read += more;
      shown.update(read);
      keepSteady(more);
    };
    // That of another machine is not replaced unasked.
    const isFull = history === true && fullAfter === 0;
    const sync = { store, source, isFull, excluded, forgotten, now, onEntries };
    return { ...told, synced: await syncHistory(sync) };
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof StorageFailure) throw error;
    shown.done();
    return await failed(error);
  } finally {
    shown.done();
    close();
  }
}

function unknownIn({ mirrored: { resource }, synced }: Outcome): string[] {
  if (!synced || synced.unknown.length === 0) return [];
  const names = synced.unknown.join(', ');
  return [
    `The service shows of ${resource.nouns} what boh doesn’t know: ${names}. It is kept in other_fields.`,
  ];
}

export function factsOf({ name, synced, failure }: Told) {
  return {
    resource: name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    whole: synced?.isWhole ?? null,
    error: failure?.message ?? null,
  };
}

/** For people who watch. */
export function lineOf({ outcomes }: Round): string {
  const sum = (of: 'read' | 'removed') => outcomes.reduce((all, { synced }) => all + (synced?.[of] ?? 0), 0);
  const failed = outcomes.filter(({ failure }) => failure).length;
  const parts = [`${sum('read')} records read`, `${sum('removed')} removed`];
  return [...parts, ...(failed > 0 ? [`${failed} of ${outcomes.length} resources failed`] : [])].join(', ');
}

/** One reason for all, or some that failed while others didn’t. */
export function failureOf({ outcomes }: Round): Failure | undefined {
  const failed = outcomes.flatMap(({ failure, ...told }) => (failure ? [{ ...told, failure }] : []));
  const [first] = failed;
  if (!first) return undefined;
  const isSame = failed.every(({ failure }) => failure.category === first.failure.category);
  if (failed.length === outcomes.length && isSame) return first.failure;
  const names = failed.map(({ nouns }) => nouns).join(', ');
  return new Failure(
    'partial',
    `${failed.length} of ${outcomes.length} resources could not be brought up to date: ${names}.`,
    {
      hint: 'The others are. See why: boh mirror status',
      failures: failed.map(({ name, failure: { category, message } }) => ({
        id: name,
        category,
        message,
      })),
    },
  );
}
