/**
 * Stores what an account's service has shown of its behavior, so that later commands don't have to find it out again. The
 * facts are a cache: without the file, boh learns them again from responses.
 */
import type { Environment } from '../base/environment.ts';
import { CacheFile } from './caches.ts';

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

const lifetimeMs = 30 * 24 * 60 * 60_000;

/** The maximum number of accounts; the latest accounts are kept. */
const maxAccounts = 20;

/** An entry of the cache. `at` is in milliseconds since 1970. */
interface FactsEntry {
  at: number;
  facts: ServiceFacts;
}

/** Opens the facts of the account with this `whoamiKey`. `now` returns milliseconds since 1970. */
export function openServiceFacts(
  environment: Environment,
  key: string,
  now: () => number = Date.now,
): ServiceFactsCache {
  const file = new CacheFile(environment, 'service.json');
  const readFresh = () => file.readFresh<FactsEntry>({ lifetimeMs, now, writtenAt });
  return {
    get: () => readFresh()[key]?.facts ?? { resources: {} },
    put(facts) {
      const { [key]: previous, ...otherEntries } = readFresh();
      if (previous && JSON.stringify(previous.facts) === JSON.stringify(facts)) return;
      const latest = Object.entries(otherEntries).sort(([, a], [, b]) => b.at - a.at);
      file.write(Object.fromEntries([[key, { at: now(), facts }], ...latest.slice(0, maxAccounts - 1)]));
    },
  };
}

function writtenAt(entry: unknown): number | undefined {
  const { at, facts } = Object(entry) as Partial<FactsEntry>;
  const isValid = typeof facts === 'object' && facts !== null && typeof facts.resources === 'object';
  return isValid && typeof at === 'number' ? at : undefined;
}
