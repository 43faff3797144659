/**
 * Stores what an account's service has shown of its behavior, so that later commands don't have to find it out again. The
 * facts are a cache: without the file, boh learns them again from responses.
 */
import type { Environment } from '../base/environment.ts';
import { openAccountCache } from './caches.ts';

/** What responses have shown about the lists and records of one resource. */
export interface ResourceFacts {
  /** The relations that lists return only with `include`. */
  needsInclude?: readonly string[];
  /** The relations that the service refuses to include (400, 403). */
  refusedIncludes?: readonly string[];
  /** The fields that only a single record has: lists omit them, also with `include`. */
  onlySingle?: readonly string[];
  /** The values that records have had and that the API document doesn't list, by field path. */
  values?: Readonly<Record<string, readonly (string | number)[]>>;
}

/** What responses have shown about a service. */
export interface ServiceFacts {
  /** Whether lists contain deleted records that were not asked for. */
  listsDeleted?: boolean;
  /** By the API's name of the resource. */
  resources: Readonly<Record<string, ResourceFacts>>;
}

/** The stored facts of one account. */
export interface ServiceFactsCache {
  get(): ServiceFacts;
  /** Stores the facts if they have changed. */
  put(facts: ServiceFacts): void;
}

/** Opens the facts of the account with this `whoamiKey`. `now` returns milliseconds since 1970. */
export function openServiceFacts(
  environment: Environment,
  key: string,
  now?: () => number,
): ServiceFactsCache {
  const cache = openAccountCache(environment, key, { name: 'service.json', isContent: areFacts }, now);
  return { get: () => cache.get() ?? { resources: {} }, put: cache.put };
}

function areFacts(value: unknown): value is ServiceFacts {
  const { resources } = Object(value) as Partial<ServiceFacts>;
  return typeof resources === 'object' && resources !== null;
}
