/**
 * What the service of an account has shown of its behavior: what earlier commands stored, and what this one finds out.
 * An embedded sandbox can be changed at any time, so that nothing is stored about it.
 */

import type { Resource } from '../../api/contract/resource.ts';
import type { Environment } from '../../base/environment.ts';
import { openAccountCache } from '../settings/caches.ts';

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

export class ServiceBehavior {
  readonly #cache: ServiceFactsCache | undefined;
  #facts: ServiceFacts;

  constructor(cache: ServiceFactsCache | undefined) {
    this.#cache = cache;
    this.#facts = cache?.get() ?? { resources: {} };
  }

  /** Whether lists contain deleted records that no filter asks for, as far as it is known. */
  get listsDeleted(): boolean {
    return this.#facts.listsDeleted === true;
  }

  /** Remembers that a list has contained deleted records that no filter asked for. */
  noticeDeleted(): void {
    if (!this.listsDeleted) this.#change((facts) => ({ ...facts, listsDeleted: true }));
  }

  /** Returns what is known of the relations of a resource. */
  of({ name }: Resource): ResourceFacts {
    return this.#facts.resources[name] ?? {};
  }

  /** Remembers facts about relations. A relation that has to be included is no longer a refused one, and vice versa. */
  learn(
    { name }: Resource,
    { needsInclude = [], refusedIncludes = [], onlySingle = [] }: ResourceFacts,
  ): void {
    if (needsInclude.length + refusedIncludes.length + onlySingle.length === 0) return;
    const join = (known: readonly string[] = [], added: readonly string[], removed: readonly string[] = []) =>
      [...new Set([...known, ...added])].filter((path) => !removed.includes(path));
    this.#change((facts) => {
      const { [name]: known = {} } = facts.resources;
      const changed = {
        ...known,
        needsInclude: join(known.needsInclude, needsInclude, refusedIncludes),
        refusedIncludes: join(known.refusedIncludes, refusedIncludes, needsInclude),
        onlySingle: join(known.onlySingle, onlySingle, needsInclude),
      };
      return { ...facts, resources: { ...facts.resources, [name]: changed } };
    });
  }

  /** Other parts store facts of the same service, so that the stored facts are changed too, not replaced. */
  #change(change: (facts: ServiceFacts) => ServiceFacts): void {
    this.#facts = change(this.#facts);
    this.#cache?.put(change(this.#cache.get()));
  }
}
