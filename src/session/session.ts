/** Opens an account to read and write records and resolve names. It doesn't depend on a terminal. */
import type { Failure } from '../base/errors.ts';
import type { RawRequest, RecordResponse } from '../client/client.ts';
import type { Call, ListQuery } from '../client/request.ts';
import type { ListPage } from '../client/response.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Api } from '../contract/api.ts';
import type { Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { NamedReference } from '../settings/caches.ts';
import type { Settings } from '../settings/settings.ts';
import { Access } from './access.ts';
import type { Account, WhoamiOptions } from './account.ts';
import type { ConnectionOptions } from './connection.ts';
import type { UnknownValue } from './known-values.ts';
import { isMissingList, type ListCall, type ListRange, type ListReading, readList } from './list.ts';
import type { LookupOptions } from './lookup.ts';
import { Names, type UnresolvedLookup } from './names.ts';
import type { PlannedWrite, RunObservation, WriteDetails, WriteObserver } from './observed-writes.ts';
import { Permissions } from './permissions.ts';
import type { CurrentRecord } from './record-body.ts';
import { Spellings } from './spellings.ts';
import { type RawResult, type WriteResult, Writes } from './write.ts';

/** The options of a session: the API, the settings, the limits of writes, and who approves and observes them. */
export interface SessionOptions extends ConnectionOptions {
  /** Writes are planned and not sent; reads are still sent, to resolve names. */
  dryRun?: boolean | undefined;
  /** Sends nothing at all: names stay unresolved. Use it with `dryRun`. */
  offline?: boolean | undefined;
  /** Skips the checks against the contract and against the token's scopes. */
  unchecked?: boolean | undefined;
  /**
   * Called once before the first write, with that write if it is in the contract; throws to prevent it. Without this
   * function, writes to a protected profile are refused.
   */
  approve?: ((settings: Settings, call?: Call) => Promise<void>) | undefined;
  /** Makes values that neither the API document nor the account has a failure instead of a warning. */
  strictValues?: boolean | undefined;
  /** Called with a message about such values, and about other fields that the service refuses. */
  onWarning?: ((message: string) => void) | undefined;
  /** Called with a note about a record that was found by another spelling of its key. */
  onNote?: ((message: string) => void) | undefined;
  observers?: readonly WriteObserver[] | undefined;
  /** Called if a lookup matches no record or several. Returns the ID, or undefined to report the failure. */
  choose?: ((lookup: UnresolvedLookup, session: Session) => Promise<string | undefined>) | undefined;
}

/**
 * Opens an account. It connects on the first request, so that invalid input is reported even without a base URL or a
 * token.
 */
export function openSession(options: SessionOptions): Session {
  return new Session(options);
}

/**
 * An opened account. Each method throws a `Failure`: `usage` for invalid input before anything is sent,
 * `not_signed_in` and `not_allowed` for the token, `not_found`, `refused`, `rate_limited` and `unavailable` for
 * responses of the service. IDs of calls, relations in bodies and relation filters may be lookups: `@Fresh Farms`,
 * `@code:SUP-1`.
 */
export class Session {
  readonly api: Api;
  readonly settings: Settings;
  /** Announces the batches of a run to the observers, and reports how its parts ended. */
  readonly runs: RunObservation;
  /** Reports records that were found by another spelling of their key. */
  readonly spellings: Spellings;
  readonly #access: Access;
  readonly #permissions: Permissions;
  readonly #names: Names;
  readonly #writes: Writes;

  constructor(options: SessionOptions) {
    this.api = options.api;
    this.settings = options.settings;
    this.spellings = new Spellings(options.onNote);
    this.#access = new Access(options, () => this.#permissions);
    this.#permissions = new Permissions({ ...options, connect: () => this.#access.connected() });
    const choose = async (lookup: UnresolvedLookup) => options.choose?.(lookup, this);
    this.#names = new Names(this.#access, { ...options, choose, spellings: this.spellings });
    this.#writes = new Writes(options, this.#access, this.#permissions, this.#names);
    this.runs = this.#writes.observed;
  }

  /** Returns one record and the response body. */
  async get(call: Call): Promise<RecordResponse> {
    await this.checkPermission(call);
    const client = await this.#access.client();
    return client.get(await this.resolve(call));
  }

  /** Returns a list, which is read while its rows are iterated. */
  list(call: ListCall, range?: ListRange): ListReading {
    const { deletedFilter } = this.settings.wire;
    const style = { deletedFilter, listsDeleted: () => this.listsDeleted };
    const mustExist = range?.mustExist === true;
    return readList({ pages: (call) => this.#pages(call, mustExist) }, call, range, style);
  }

  /** Whether lists are known to contain deleted records that no filter asks for. */
  get listsDeleted(): boolean {
    return this.#access.listsDeleted;
  }

  async *#pages({ operation, query = {}, ...options }: Call, mustExist: boolean): AsyncGenerator<ListPage> {
    await this.checkPermission({ operation });
    if (query.filters) {
      const known = await this.#access.knownValues();
      this.#permissions.reportUnknown(known.unknownInFilters(operation.resource, query.filters));
    }
    const resolved = await this.resolveFilters(operation.resource, query);
    try {
      yield* (await this.#access.client()).pages({ ...options, operation, query: resolved });
    } catch (error) {
      if (mustExist || !isMissingList(error, operation.resource)) throw error;
    }
  }

  /** Returns a record with all values that an update of it may send with this token, and its unknown fields. */
  current(update: Call): Promise<CurrentRecord> {
    return this.#writes.updates.current(update);
  }

  /**
   * Returns the names of the secret fields that each update has to contain, because the service replaces records and
   * doesn't return secrets.
   */
  requiredSecrets(update: Operation): string[] {
    return this.#writes.updates.requiredSecrets(update);
  }

  /** Sends one write once, or plans it in a dry run. A failure has the outcome in `details.outcome`. */
  write(call: Call, details?: WriteDetails): Promise<WriteResult> {
    return this.#writes.write(call, details);
  }

  /** Returns the request of a call, with its names resolved unless the session is offline. */
  plan(call: Call): Promise<HttpRequest> {
    return this.#writes.plan(call);
  }

  /** Sends any method and path under the API's prefix. Requests that the contract knows are checked against it. */
  raw(request: RawRequest): Promise<RawResult> {
    return this.#writes.raw(request);
  }

  /** Yields the pages of any path that returns lists. */
  async *rawPages(target: string): AsyncGenerator<ListPage> {
    yield* (await this.#access.client()).rawPages(target);
  }

  /** Returns the call with IDs in place of lookups. */
  resolve(call: Call): Promise<Call> {
    return this.#names.resolve(call);
  }

  /** Returns several calls with IDs in place of lookups. Lookups of all calls share requests. */
  resolveAll(calls: readonly Call[]): Promise<Call[]> {
    return this.#names.resolveAll(calls);
  }

  /** Returns the query of a list with IDs in place of lookups in its relation filters. */
  resolveFilters(resource: Resource, query: ListQuery): Promise<ListQuery> {
    return this.#names.resolveFilters(resource, query);
  }

  /** Returns the ID or the failure of each lookup. `target` is the API's name of the resource. */
  find(
    target: string,
    texts: readonly string[],
    options?: LookupOptions,
  ): Promise<ReadonlyMap<string, string | Failure>> {
    return this.#names.find(target, texts, options);
  }

  /** Returns the ID of a record. `text` is the ID itself or a lookup. */
  idOf(target: string, text: string): Promise<string> {
    return this.#names.idOf(target, text);
  }

  /** Throws `not_allowed` if a call is outside the known scopes of the token. Sends nothing. */
  checkPermission(call: Call): Promise<void> {
    return this.#permissions.checkPermission(call);
  }

  /** Reports planned writes to the observers before the user confirms them; `write` and `approve` also do this. */
  notifyPlanned(writes: readonly PlannedWrite[]): Promise<void> {
    return this.#permissions.notifyPlanned(writes);
  }

  /** Returns the values of planned writes that neither the API document nor the account has; none if they aren't checked. */
  unknownValues(writes: readonly PlannedWrite[]): Promise<UnknownValue[]> {
    return this.#writes.unknownValues(writes);
  }

  /** Reports values that neither the API document nor the account has. Throws `usage` with `strictValues`. */
  reportUnknown(values: readonly UnknownValue[]): void {
    this.#permissions.reportUnknown(values);
  }

  /** Checks a write against the scopes and asks for approval, before the user answers other questions. */
  approve(call: Call): Promise<void> {
    return this.#permissions.approve(call);
  }

  /**
   * Returns the known records of a kind that the API document can't list, such as branches: from the list of a service
   * that has one, otherwise from `whoami`, and from responses within a month. `search`: if none is known, a list whose
   * records may contain them is read.
   */
  references(target: string, options?: { search?: boolean }): Promise<NamedReference[]> {
    return this.#names.references(target, options);
  }

  /** Returns the account of the token. It is requested only once. */
  whoami(options?: WhoamiOptions): Promise<Account> {
    return this.#access.whoamiRequest.request(options);
  }

  /** Returns the current rate limit, and how long `requests` take with it; undefined if no limit is known. */
  async pace(requests: number): Promise<{ limit: string; ms: number } | undefined> {
    return (await this.#access.connected()).paceOf(requests);
  }

  close(): Promise<void> {
    return this.#access.close();
  }
}
