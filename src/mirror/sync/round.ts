/** One sync of a mirror: the resources that are wanted, then the history, and what came of each. It shows nothing itself. */
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import type { Api } from '../../contract/api.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { operation } from '../../contract/operation.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { Excluded } from '../schema/excluded.ts';
import { historyTable } from '../schema/history-tables.ts';
import type { State } from '../schema/state.ts';
import { ageOf } from '../status.ts';
import type { Store } from '../stores/store.ts';
import { demandOwn } from './account.ts';
import { leaveOut } from './leave-out.ts';
import { keepState, readForgotten, readStates, stateIn } from './states.ts';
import {
  dropHistory,
  type HistorySource,
  holdsHistory,
  keepHistoryFailure,
  syncHistory,
} from './sync-history.ts';
import { type ResourceSync, type Synced, syncResource } from './sync-resource.ts';

export interface RoundOptions {
  api: Api;
  store: Store;
  session: Session;
  /** Where the profiles are. */
  env: Environment;
  /** The line says that the mirror is the account’s own, where nobody else can tell. */
  isAnyAccount?: boolean | undefined;
  /** By the API’s own names. */
  wanted: readonly string[];
  /** Lists that were last read whole so long ago, in seconds, are read whole again: 0 for all, undefined for none. */
  fullAfter: number | undefined;
  exclude: readonly string[];
  /** Whether the history is to be held; undefined where the mirror says. */
  history: boolean | undefined;
  /** No resources were named. */
  isOfAll: boolean;
  now(): Date;
  /** Asked for only where the history is held. */
  openHistory(): Promise<OpenSource>;
  /** Told of each resource, and of the history, as it goes on. */
  watcher?: RoundWatcher | undefined;
}

export interface OpenSource {
  /** None where nothing was ever written from here. */
  source: HistorySource | undefined;
  /** Where it is kept: a file of boh’s own. */
  file?: string | undefined;
  close(): void;
}

/** What is read: a resource, or the history. */
interface What {
  name: string;
  nouns: string;
  /** No list of the account, so that what it fails of is no failure of a list. */
  isHistory?: true;
}

export interface RoundWatcher {
  onBegin(what: What): void;
  /** So many records have been read of what began last, of so many where that is known: else of 0. */
  onRecords(count: number, expected: number): void;
  onOutcome(outcome: RoundOutcome): void;
}

/** What came of a resource, or of the history. */
export interface RoundOutcome extends What {
  synced?: (Omit<Synced, 'beside'> & Partial<Pick<Synced, 'beside'>>) | undefined;
  failure?: Failure | undefined;
}

export interface Round {
  outcomes: readonly RoundOutcome[];
  /** What is not held, by name. */
  leftOut: readonly string[];
}

/** Throws what would keep everything else from being read as well; what was read by then is kept. */
export async function syncRound(options: RoundOptions): Promise<Round> {
  const { api, store, session, wanted, fullAfter, exclude, watcher, now } = options;
  await demandOwn(session, store, { env: options.env, isAny: options.isAnyAccount });
  const { resources, names, excluded } = await leaveOut(api, store, exclude);
  const outcomes: RoundOutcome[] = [];
  const tell = (outcome: RoundOutcome) => {
    outcomes.push(outcome);
    watcher?.onOutcome(outcome);
  };
  for await (const outcome of syncAll({
    session,
    store,
    resources: resources.filter(({ resource }) => wanted.includes(resource.name)),
    isFull: ({ fullAt }) => fullAfter !== undefined && (ageOf(fullAt, now()) ?? 0) >= fullAfter,
    now: () => formatTimestamp(now()),
    onBegin: ({ resource }) => watcher?.onBegin(resource),
    onRecords: watcher?.onRecords,
  })) {
    tell(ofResource(outcome));
  }
  const history = await historyOf(options, excluded);
  if (history) tell(history);
  return { outcomes, leftOut: names };
}

function ofResource({ mirrored: { resource }, synced, failure }: Outcome): RoundOutcome {
  const { name, nouns } = resource;
  return { name, nouns, synced, failure };
}

/** Undefined where the mirror holds none. */
async function historyOf(options: RoundOptions, excluded: Excluded): Promise<RoundOutcome | undefined> {
  const { store, history, isOfAll, openHistory } = options;
  const isHeld = await holdsHistory(store);
  if (history === false) {
    if (isHeld) await dropHistory(store);
    return undefined;
  }
  if (!history && !(isHeld && isOfAll)) return undefined;
  const what: RoundOutcome = {
    name: historyTable.name,
    nouns: 'entries of the history',
    isHistory: true,
  };
  const failed = async (failure: Failure) => {
    await keepHistoryFailure(store, failure);
    return { ...what, failure };
  };
  const opened = await openHistory().catch((error: unknown) => {
    // Its file is damaged, or of a newer boh: the resources are in the mirror all the same.
    if (error instanceof StorageFailure) return error;
    throw error;
  });
  if (opened instanceof StorageFailure) return failed(opened);
  options.watcher?.onBegin(what);
  try {
    return { ...what, synced: await follow(options, excluded, opened.source) };
  } catch (error) {
    // The copy itself can’t be used; or else only its source, of which damage may show late.
    if (!(error instanceof Failure) || (error instanceof StorageFailure && error.file !== opened.file))
      throw error;
    return await failed(error);
  } finally {
    opened.close();
  }
}

async function follow(
  { store, fullAfter, history, now, watcher }: RoundOptions,
  excluded: Excluded,
  source: HistorySource | undefined,
) {
  let read = 0;
  const onEntries = (more: number) => {
    read += more;
    watcher?.onRecords(read, 0);
  };
  return syncHistory({
    store,
    source,
    // That of another machine is not replaced unasked.
    isFull: history === true && fullAfter === 0,
    excluded,
    forgotten: await readForgotten(store),
    now: formatTimestamp(now()),
    onEntries,
  });
}

/** One reason for all, or some that failed while others didn’t. */
export function failureOf({ outcomes }: Round): Failure | undefined {
  const failed = outcomes.flatMap(({ failure, ...outcome }) => (failure ? [{ ...outcome, failure }] : []));
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

/** A mirror brought up to date, resource after resource: what fails of one doesn’t keep the others from it. */
interface Sync {
  session: Session;
  store: Store;
  resources: readonly Mirrored[];
  /** Whether a resource’s list is to be read whole, by where it stands. */
  isFull(state: State): boolean;
  now(): string;
  onBegin?: ((mirrored: Mirrored) => void) | undefined;
  onRecords?: ResourceSync['onRecords'];
}

type Outcome = { mirrored: Mirrored } & (
  | { synced: Synced; failure?: undefined }
  | { synced?: undefined; failure: Failure }
);

/** Throws what would keep every other resource from being read as well; by then the outcomes so far are kept. */
async function* syncAll(sync: Sync): AsyncGenerator<Outcome> {
  const { session, store, resources } = sync;
  const states = await readStates(store);
  const forgotten = await readForgotten(store);
  for (const [at, mirrored] of resources.entries()) {
    const list = operation(mirrored.resource, 'list');
    const state = stateIn(states, mirrored.resource.name);
    sync.onBegin?.(mirrored);
    try {
      if (list) await session.permit({ operation: list });
      yield {
        mirrored,
        synced: await syncResource({ ...sync, mirrored, state, forgotten, isFull: sync.isFull(state) }),
      };
    } catch (error) {
      if (!(error instanceof Failure) || error instanceof StorageFailure || error.category === 'interrupted')
        throw error;
      // None of those that follow is brought up to date, either.
      const affected = isOfAll(error) ? resources.slice(at) : [mirrored];
      const unkept = await keepFailure(store, affected, error);
      if (isOfAll(error)) throw error;
      if (unkept) throw unkept;
      yield { mirrored, failure: error };
    }
  }
}

/**
 * The rows that came before it are kept, and what the resources were up to date to is what it was. Answers why that
 * could not be done, where it couldn’t.
 */
async function keepFailure(
  store: Store,
  affected: readonly Mirrored[],
  failure: Failure,
): Promise<Failure | undefined> {
  try {
    const states = await readStates(store);
    const lastError = failure.message;
    await store.write(
      affected.map(({ resource }) => keepState({ ...stateIn(states, resource.name), lastError })),
    );
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** No token, or nobody there: the next resource would meet the same. An answer that makes no sense has no cause. */
function isOfAll({ category, details: { status, cause } }: Failure): boolean {
  if (category === 'unavailable') return status === undefined && cause !== undefined;
  return category === 'not_signed_in' || category === 'rate_limited' || category === 'usage';
}
