/** Replaces `@NAME` in IDs, relations and filters with IDs before a request is sent. */

import type { Api } from '../../api/contract/api.ts';
import { type ListWith, listWith } from '../../api/contract/include.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { compareStrings } from '../../base/compare-strings.ts';
import { Failure } from '../../base/errors.ts';
import type { Call, ListQuery } from '../client/request.ts';
import type { Access } from './access.ts';
import { accountIfReadable } from './account.ts';
import { isMissingList, isRefusedList, readList } from './list.ts';
import { combineFailures, type LookupOptions, lookUpEach } from './lookup.ts';
import { isLookup, LookupsByTarget, mapCall, mapFilters, type ReplaceId } from './map-ids.ts';
import { findEachReference, isListedByWhoami, type NamedReference } from './references.ts';
import type { Spellings } from './spellings.ts';

/** A lookup that doesn't match exactly one record. */
export interface UnresolvedLookup {
  resource: Resource;
  /** The lookup as the user entered it: `@huda`. */
  text: string;
  deleted: boolean;
  hasSeveralMatches: boolean;
  /** Whether similar records exist. */
  hasSimilar: boolean;
}

/** Asks the user for the ID; returns undefined to keep the failure. */
export type ChooseRecord = (lookup: UnresolvedLookup) => Promise<string | undefined>;

/** The options of `Names`. */
export interface NamesOptions {
  api: Api;
  offline?: boolean | undefined;
  choose: ChooseRecord;
  spellings: Spellings;
}

/** Resolves names in one account. Offline they stay unresolved. */
export class Names {
  readonly #access: Access;
  readonly #options: NamesOptions;
  /** By the API's name of the resource. */
  readonly #listedNames = new Map<string, Promise<NamedReference[] | undefined>>();

  constructor(access: Access, options: NamesOptions) {
    this.#access = access;
    this.#options = options;
  }

  /** Returns the call with IDs in place of lookups. */
  async resolve(call: Call): Promise<Call> {
    const [resolved = call] = await this.resolveAll([call]);
    return resolved;
  }

  /** Returns several calls with IDs in place of lookups: a hundred names take a few requests. */
  async resolveAll(calls: readonly Call[]): Promise<Call[]> {
    const names = new LookupsByTarget();
    if (!this.#options.offline) for (const call of calls) mapCall(call, names.collect);
    if (names.size === 0) return [...calls];
    const replace = await this.#replacements(names);
    return calls.map((call) => mapCall(call, replace));
  }

  /** Returns a query with IDs in place of the lookups in its relation filters: `@Vegetables`, or several with commas. */
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
    lookupOptions?: LookupOptions,
  ): Promise<Map<string, string | Failure>> {
    const { api, spellings } = this.#options;
    const options = { ...lookupOptions, spellings };
    const resource = api.resource(target) ?? api.listOfReference(target);
    if (resource) {
      try {
        return await lookUpEach(await this.#access.client(), resource, texts, options);
      } catch (error) {
        if (!isMissingList(error, resource)) throw error;
      }
    }
    return findEachReference(api, target, texts, await this.references(target, { search: true }), options);
  }

  /** Returns the ID of a record. `text` is the ID itself or a lookup. */
  async idOf(target: string, text: string): Promise<string> {
    return isLookup(text) ? ((await this.#ids(target, [text], false)).get(text) ?? text) : text;
  }

  /**
   * Returns the known records of a kind that the API document can't list, such as branches: from the list of a service
   * that has one, otherwise from `whoami`, and from responses within a month. `search`: if none is known, a list whose
   * records may contain them is read.
   */
  async references(target: string, { search = false } = {}): Promise<NamedReference[]> {
    const { api } = this.#options;
    const listed = this.#listedNames.get(target) ?? this.#readNames(target);
    this.#listedNames.set(target, listed);
    const namesInList = await listed;
    if (namesInList) return namesInList;
    // Names in the account are read again, because a name may have moved to another record.
    if (isListedByWhoami(api, target)) {
      await accountIfReadable({ whoami: () => this.#access.whoamiRequest.request() });
    }
    const names = await this.#access.references();
    const containing = search && names.all(target).length === 0 ? listWith(api, target) : undefined;
    if (containing) await this.#readFirstPage(containing);
    return names.all(target);
  }

  /** Returns the names in the list of a resource outside the API document; undefined if the service has no such list. */
  async #readNames(target: string): Promise<NamedReference[] | undefined> {
    const { api } = this.#options;
    const resource = api.listOfReference(target);
    const list = resource && operation(resource, 'list');
    if (!list || !api.reference(target)?.isNamed) return undefined;
    const names: NamedReference[] = [];
    try {
      const reading = readList(
        await this.#access.client(),
        { operation: list, query: {} },
        { readsAll: true },
      );
      for await (const { id, name } of reading.rows()) names.push({ id: String(id), name: String(name) });
    } catch (error) {
      if (!isRefusedList(error)) throw error;
      return undefined;
    }
    return names.sort((a, b) => compareStrings(a.name, b.name));
  }

  /** Reads the first page of a list, so that the names in it are known. A list that can't be read has none. */
  async #readFirstPage({ list, include }: ListWith): Promise<void> {
    try {
      const call = { operation: list, query: { optional: include } };
      for await (const _ of readList(await this.#access.client(), call, { isFirstPageOnly: true }).pages())
        break;
    } catch (error) {
      if (!isRefusedList(error)) throw error;
    }
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
