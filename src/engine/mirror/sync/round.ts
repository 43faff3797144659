/**
 * Runs one sync of a mirror: the requested resources, then the history. Reports the outcome of each to a watcher.
 */

import type { Session } from '../../../account/session/session.ts';
import type { Api } from '../../../api/contract/api.ts';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Environment } from '../../../base/environment.ts';
import { Failure } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { StorageFailure } from '../../../base/storage/failures.ts';
import type { MirroredResource } from '../schema/derive.ts';
import type { ExcludedFields } from '../schema/excluded.ts';
import { historyTable } from '../schema/history-tables.ts';
import type { State } from '../schema/state.ts';
import { ageInSeconds } from '../status.ts';
import type { Store } from '../stores/store.ts';
import { requireMirrorAccount } from './account.ts';
import { ChangeLog } from './change-log.ts';
import { applyExclusions } from './exclusions.ts';
import { readForgotten, readStates, stateChange, stateFor, stateToSync } from './states.ts';
import {
  dropHistory,
  type HistorySource,
  includesHistory,
  storeHistoryFailure,
  syncHistory,
} from './sync-history.ts';
import { type ResourceSyncOptions, type ResourceSyncResult, syncResource } from './sync-resource.ts';

export interface SyncRoundOptions {
  api: Api;
  store: Store;
  session: Session;
  /** The environment, which determines the folder of the profiles. */
  env: Environment;
  /** Whether the command line confirms that the mirror belongs to the account (`--any-account`). */
  isAnyAccount?: boolean | undefined;
  /** The API's names of the resources to sync. */
  resourceNames: readonly string[];
  /**
   * Lists that were read completely at least this many seconds ago are read completely again: 0 for all, undefined
   * for none.
   */
  fullAfterSeconds: number | undefined;
  exclude: readonly string[];
  /** Whether the mirror should include the history; undefined to keep the mirror's setting. */
  history: boolean | undefined;
  /** Whether the mirror should keep the versions of rows; undefined to keep the mirror's setting. */
  versions?: boolean | undefined;
  /** The time before which versions are deleted; undefined to keep them. */
  keepVersionsSince?: string | undefined;
  /** Whether no resources were named. */
  isEveryResource: boolean;
  now(): Date;
  /** Opens the history. Called only if the mirror includes the history. */
  openHistory(): Promise<OpenHistorySource>;
  /** Receives the progress of each resource, and of the history. */
  watcher?: SyncWatcher | undefined;
}

export interface OpenHistorySource {
  /** The source; undefined if nothing was ever written from this machine. */
  source: HistorySource | undefined;
  file?: string | undefined;
  close(): void;
}

/** A resource, or the history. */
interface SyncItem {
  name: string;
  nouns: string;
  /** The history isn't a list of the account, so its failure isn't the failure of a list. */
  isHistory?: true;
}

/** Receives the progress of a sync. */
export interface SyncWatcher {
  onBegin(item: SyncItem): void;
  /** Receives the number of records of the current item that have been read, and the expected number (0 if unknown). */
  onRecords(count: number, expected: number): void;
  onOutcome(outcome: SyncOutcome): void;
}

/** The outcome of a resource, or of the history. */
export interface SyncOutcome extends SyncItem {
  synced?:
    | (Omit<ResourceSyncResult, 'otherFields'> & Partial<Pick<ResourceSyncResult, 'otherFields'>>)
    | undefined;
  failure?: Failure | undefined;
}

export interface SyncRound {
  outcomes: readonly SyncOutcome[];
  /** The names of the excluded fields. */
  excluded: readonly string[];
}

/** Syncs the mirror. Throws an error that would affect all other resources too; rows read before it are kept. */
export async function syncRound(options: SyncRoundOptions): Promise<SyncRound> {
  const { api, store, session, resourceNames, fullAfterSeconds, exclude, watcher, now } = options;
  await requireMirrorAccount(session, store, { env: options.env, isAny: options.isAnyAccount });
  const { resources, names, excluded } = await applyExclusions(api, store, exclude);
  const log = await ChangeLog.open(store, options.versions);
  const outcomes: SyncOutcome[] = [];
  const report = (outcome: SyncOutcome) => {
    outcomes.push(outcome);
    watcher?.onOutcome(outcome);
  };
  for await (const outcome of syncAll({
    session,
    store,
    log,
    resources: resources.filter(({ resource }) => resourceNames.includes(resource.name)),
    isFull: ({ fullAt }) =>
      fullAfterSeconds !== undefined && (ageInSeconds(fullAt, now()) ?? 0) >= fullAfterSeconds,
    now: () => formatTimestamp(now()),
    onBegin: ({ resource }) => watcher?.onBegin(resource),
    onRecords: watcher?.onRecords,
  })) {
    report(roundOutcome(outcome));
  }
  if (options.keepVersionsSince !== undefined) await log?.prune(options.keepVersionsSince);
  const history = await syncHistoryIfIncluded(options, excluded);
  if (history) report(history);
  return { outcomes, excluded: names };
}

function roundOutcome({ mirrored: { resource }, synced, failure }: ResourceOutcome): SyncOutcome {
  const { name, nouns } = resource;
  return { name, nouns, synced, failure };
}

/** Syncs the history. Returns undefined if the mirror doesn't include it. */
async function syncHistoryIfIncluded(
  options: SyncRoundOptions,
  excluded: ExcludedFields,
): Promise<SyncOutcome | undefined> {
  const { store, history, isEveryResource, openHistory } = options;
  const isIncluded = await includesHistory(store);
  if (history === false) {
    if (isIncluded) await dropHistory(store);
    return undefined;
  }
  if (!history && !(isIncluded && isEveryResource)) return undefined;
  const item: SyncOutcome = {
    name: historyTable.name,
    nouns: 'history entries',
    isHistory: true,
  };
  const storeAndReport = async (failure: Failure) => {
    await storeHistoryFailure(store, failure);
    return { ...item, failure };
  };
  const openedHistory = await openHistory().catch((error: unknown) => {
    // The history file is damaged or was written by a newer boh. The resources are synced anyway.
    if (error instanceof StorageFailure) return error;
    throw error;
  });
  if (openedHistory instanceof StorageFailure) return storeAndReport(openedHistory);
  options.watcher?.onBegin(item);
  try {
    return { ...item, synced: await syncOpenHistory(options, excluded, openedHistory.source) };
  } catch (error) {
    // A failure of the mirror itself ends the sync. A failure of the history file, which may appear late, doesn't.
    if (!(error instanceof Failure) || (error instanceof StorageFailure && error.file !== openedHistory.file))
      throw error;
    return await storeAndReport(error);
  } finally {
    openedHistory.close();
  }
}

async function syncOpenHistory(
  { store, fullAfterSeconds, history, now, watcher }: SyncRoundOptions,
  excluded: ExcludedFields,
  source: HistorySource | undefined,
) {
  let readCount = 0;
  const onEntries = (count: number) => {
    readCount += count;
    watcher?.onRecords(readCount, 0);
  };
  return syncHistory({
    store,
    source,
    // A history of another machine is replaced only if the user asks for it.
    isFull: history === true && fullAfterSeconds === 0,
    excluded,
    forgotten: await readForgotten(store),
    now: formatTimestamp(now()),
    onEntries,
  });
}

/** The options of `syncAll`. */
interface SyncAllOptions {
  session: Session;
  store: Store;
  log: ChangeLog | undefined;
  resources: readonly MirroredResource[];
  /** Returns whether a resource's list must be read completely. */
  isFull(state: State): boolean;
  now(): string;
  onBegin?: ((mirrored: MirroredResource) => void) | undefined;
  onRecords?: ResourceSyncOptions['onRecords'];
}

type ResourceOutcome = { mirrored: MirroredResource } & (
  | { synced: ResourceSyncResult; failure?: undefined }
  | { synced?: undefined; failure: Failure }
);

/**
 * Syncs resources one after the other and yields the outcome of each. Throws an error that would affect all others too;
 * the earlier outcomes are already stored.
 */
async function* syncAll(options: SyncAllOptions): AsyncGenerator<ResourceOutcome> {
  const { session, store, resources } = options;
  const states = await readStates(store);
  const forgotten = await readForgotten(store);
  for (const [index, mirrored] of resources.entries()) {
    const list = operation(mirrored.resource, 'list');
    const state = stateToSync(states, mirrored);
    options.onBegin?.(mirrored);
    try {
      if (list) await session.permissions.checkPermission({ operation: list });
      yield {
        mirrored,
        synced: await syncResource({ ...options, mirrored, state, forgotten, isFull: options.isFull(state) }),
      };
    } catch (error) {
      if (!(error instanceof Failure) || error instanceof StorageFailure || error.category === 'interrupted')
        throw error;
      // The resources that follow aren't synced either.
      const affectedResources = affectsAll(error) ? resources.slice(index) : [mirrored];
      const storageFailure = await storeFailure(store, affectedResources, error);
      if (affectsAll(error)) throw error;
      if (storageFailure) throw storageFailure;
      yield { mirrored, failure: error };
    }
  }
}

/**
 * Stores the error message of the affected resources. Their rows and progress are unchanged. Returns a failure if
 * storing fails.
 */
async function storeFailure(
  store: Store,
  affectedResources: readonly MirroredResource[],
  failure: Failure,
): Promise<Failure | undefined> {
  try {
    const states = await readStates(store);
    const lastError = failure.message;
    await store.write(
      affectedResources.map(({ resource }) => stateChange({ ...stateFor(states, resource.name), lastError })),
    );
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/**
 * Returns whether the next resource would fail for the same reason, for example without a valid token or a connection.
 * The failure for an unreadable response has no cause.
 */
function affectsAll({ category, details: { status, cause } }: Failure): boolean {
  if (category === 'unavailable') return status === undefined && cause !== undefined;
  return category === 'not_signed_in' || category === 'rate_limited' || category === 'usage';
}

/**
 * Returns the common failure if all resources failed for the same reason, a `partial` failure if some failed, and
 * undefined if none failed.
 */
export function roundFailure({ outcomes }: SyncRound): Failure | undefined {
  return syncFailure(outcomes) ?? incompleteFailure(outcomes);
}

/** Returns the failure for lists that kept changing, so that records may be missing in the mirror, and for missing relations. */
function incompleteFailure(outcomes: SyncRound['outcomes']): Failure | undefined {
  const names = outcomes.flatMap(({ nouns, synced }) => (synced?.incomplete === undefined ? [] : nouns));
  const missing = missingIn(outcomes);
  if (missing.length > 0) return new Failure('partial', `The mirror is incomplete. ${missing.join(' ')}`);
  if (names.length === 0) return undefined;
  return new Failure(
    'partial',
    `Some ${names.join(' and ')} may be missing: the list kept changing while it was read.`,
    {
      hint: boh.hint`The records that were read are in the mirror. To sync again: ${boh.mirror('mirror sync')}`,
    },
  );
}

/** Returns a sentence for each resource with fields or records that the service doesn't return. */
function missingIn(outcomes: SyncRound['outcomes']): string[] {
  return outcomes.flatMap(({ synced }) => synced?.missing ?? []);
}

function syncFailure(outcomes: SyncRound['outcomes']): Failure | undefined {
  const failedOutcomes = outcomes.flatMap(({ failure, ...outcome }) =>
    failure ? [{ ...outcome, failure }] : [],
  );
  const [firstFailed] = failedOutcomes;
  if (!firstFailed) return undefined;
  const hasSameCategory = failedOutcomes.every(
    ({ failure }) => failure.category === firstFailed.failure.category,
  );
  if (failedOutcomes.length === outcomes.length && hasSameCategory) return firstFailed.failure;
  const names = failedOutcomes.map(({ nouns }) => nouns).join(', ');
  return new Failure(
    'partial',
    [
      `${failedOutcomes.length} of ${outcomes.length} resources could not be synced: ${names}.`,
      ...missingIn(outcomes),
    ].join(' '),
    {
      hint: boh.hint`The others were synced. To show the errors: ${boh.mirror('mirror status')}`,
      failures: failedOutcomes.map(({ name, failure: { category, message } }) => ({
        id: name,
        category,
        message,
      })),
    },
  );
}
