/** A mirror brought up to date, resource after resource: what fails of one doesn’t keep the others from it. */
import { operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';
import type { Store } from '../stores/store.ts';
import { keepState, readForgotten, readStates, stateIn } from './states.ts';
import { type ResourceSync, type Synced, syncResource } from './sync-resource.ts';

export interface Sync {
  session: Session;
  store: Store;
  resources: readonly Mirrored[];
  /** Whether a resource’s list is to be read whole, by where it stands. */
  isFull(state: State): boolean;
  now(): string;
  onBegin?: ((mirrored: Mirrored) => void) | undefined;
  onRecords?: ResourceSync['onRecords'];
}

export type Outcome = { mirrored: Mirrored } & (
  | { synced: Synced; failure?: undefined }
  | { synced?: undefined; failure: Failure }
);

/** Throws what would keep every other resource from being read as well; by then the outcomes so far are kept. */
export async function* syncAll(sync: Sync): AsyncGenerator<Outcome> {
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
