/** Replaces `@NAME` in IDs, relations and filters with IDs before a request is sent. */
import { Failure } from '../base/errors.ts';
import type { Call, ListQuery } from '../client/request.ts';
import type { Api } from '../contract/api.ts';
import type { Resource } from '../contract/resource.ts';
import type { NamedReference } from '../settings/caches.ts';
import type { Access } from './access.ts';
import { accountIfReadable } from './account.ts';
import { combineFailures, type LookupOptions, lookUpEach } from './lookup.ts';
import { isLookup, LookupsByTarget, mapCall, mapFilters, type ReplaceId } from './map-ids.ts';
import { findEachReference, isListedByWhoami } from './references.ts';

/** A lookup that doesn't match exactly one record. */
export interface UnresolvedLookup {
  resource: Resource;
  /** The lookup as the user entered it: `@huda`. */
  text: string;
  deleted: boolean;
  /** Whether several records match. */
  hasSeveralMatches: boolean;
  /** Whether similar records exist. */
  hasSimilar: boolean;
}

/** Asks the user for the ID; returns undefined to keep the failure. */
export type ChooseRecord = (lookup: UnresolvedLookup) => Promise<string | undefined>;

/** The options of `Names`; see `SessionOptions`. */
export interface NamesOptions {
  api: Api;
  offline?: boolean | undefined;
  choose: ChooseRecord;
}

/** Resolves names in one account. Offline they stay unresolved. */
export class Names {
  readonly #access: Access;
  readonly #options: NamesOptions;

  constructor(access: Access, options: NamesOptions) {
    this.#access = access;
    this.#options = options;
  }

  /** Returns the call with IDs instead of lookups. */
  async resolve(call: Call): Promise<Call> {
    const [resolved = call] = await this.resolveAll([call]);
    return resolved;
  }

  /** Resolves the names of many calls at once: a hundred names take a few requests. */
  async resolveAll(calls: readonly Call[]): Promise<Call[]> {
    const names = new LookupsByTarget();
    if (!this.#options.offline) for (const call of calls) mapCall(call, names.collect);
    if (names.size === 0) return [...calls];
    const replace = await this.#replacements(names);
    return calls.map((call) => mapCall(call, replace));
  }

  /** Resolves the names in the relation filters of a list: `--category-id @Vegetables`, or several with commas. */
  async resolveFilters(resource: Resource, query: ListQuery): Promise<ListQuery> {
    const names = new LookupsByTarget();
    if (!this.#options.offline) mapFilters(resource, query, names.collect);
    if (names.size === 0) return query;
    return mapFilters(resource, query, await this.#replacements(names));
  }

  /** Returns the ID of each lookup, or why it has none. `target` is the API's name of the resource. */
  async find(
    target: string,
    texts: readonly string[],
    options?: LookupOptions,
  ): Promise<Map<string, string | Failure>> {
    const { api } = this.#options;
    const resource = api.resource(target);
    if (resource) return lookUpEach(await this.#access.client(), resource, texts, options);
    return findEachReference(api, target, texts, await this.references(target), options);
  }

  /** Returns the ID of a record. `text` is the ID itself or a lookup. */
  async idOf(target: string, text: string): Promise<string> {
    return isLookup(text) ? ((await this.#ids(target, [text], false)).get(text) ?? text) : text;
  }

  /** Returns the known names of a kind of record that the API can't list. */
  async references(target: string): Promise<NamedReference[]> {
    // Names in the account are read again, because a name may have moved to another record.
    if (isListedByWhoami(this.#options.api, target)) {
      await accountIfReadable({ whoami: (options) => this.#access.whoamiRequest.request(options) });
    }
    return (await this.#access.references()).all(target);
  }

  async #ids(target: string, texts: readonly string[], deleted: boolean): Promise<Map<string, string>> {
    const results = await this.find(target, texts, { deleted });
    return chooseIds(this.#options.api.resource(target), results, { deleted }, this.#options.choose);
  }

  async #replacements(names: LookupsByTarget): Promise<ReplaceId> {
    const results = new Map<string, ReadonlyMap<string, string>>();
    for (const [key, { target, deleted, texts }] of names) {
      results.set(key, await this.#ids(target, [...texts], deleted));
    }
    return (target, id, deleted) => results.get(`${target} ${deleted}`)?.get(id) ?? id;
  }
}

/**
 * Returns the ID of each lookup. For a failed one, `choose` may return the ID; the remaining failures are thrown as
 * one.
 */
export async function chooseIds(
  resource: Resource | undefined,
  results: ReadonlyMap<string, string | Failure>,
  { deleted = false }: LookupOptions,
  choose: ChooseRecord,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const failures: Failure[] = [];
  for (const [text, result] of results) {
    if (!(result instanceof Failure)) {
      ids.set(text, result);
      continue;
    }
    const { lookup } = result.details;
    const hasSeveralMatches = result.category === 'usage';
    const chosenId =
      lookup &&
      resource &&
      (await choose({
        resource,
        text,
        deleted,
        hasSimilar: lookup.hasSimilar,
        hasSeveralMatches,
      }));
    if (chosenId === undefined) failures.push(result);
    else ids.set(text, chosenId);
  }
  if (failures.length > 0) throw combineFailures(failures, resource);
  return ids;
}
