/** An account, opened: reading, writing and naming its records, for any program. Nothing here knows of a terminal. */
import type { Failure } from '../base/errors.ts';
import type { Page } from '../client/answer.ts';
import type { Answered, RawRequest } from '../client/client.ts';
import type { Call, ListQuery } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Api } from '../contract/api.ts';
import type { Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { NamedReference } from '../settings/caches.ts';
import type { Settings } from '../settings/settings.ts';
import { Access } from './access.ts';
import type { Account, WhoamiOptions } from './account.ts';
import type { ConnectionOptions } from './connection.ts';
import { type ListCall, type Reach, type Reading, readList } from './list.ts';
import type { LookupOptions } from './look-up.ts';
import { type AmbiguousName, Names } from './names.ts';
import type { PlannedWrite, RunsObserved, WriteFacts, WriteObserver } from './observed-writes.ts';
import { Permissions } from './permissions.ts';
import type { Current } from './record-body.ts';
import { type RawSent, Writes, type Written } from './write.ts';

/** What an account is opened with: the API, the settings, how far writes may go, who is asked and what observes. */
export interface SessionOptions extends ConnectionOptions {
  /** Writes are planned and not sent; reads are still sent, to resolve names. */
  dryRun?: boolean | undefined;
  /** Nothing is sent at all: names stay as they are. Goes with `dryRun`. */
  offline?: boolean | undefined;
  /** Leave out the checks against the contract and against the token's scopes. */
  unchecked?: boolean | undefined;
  /**
   * Called once, before the first write, with that write where it is one of the contract's; throws to stop it. Without
   * it, writes to a protected profile are refused.
   */
  approve?: ((settings: Settings, call?: Call) => Promise<void>) | undefined;
  observers?: readonly WriteObserver[] | undefined;
  /** Called where a look-up names no record, or several; returns the id that was meant, or nothing for a failure. */
  choose?: ((wanted: AmbiguousName, session: Session) => Promise<string | undefined>) | undefined;
}

/** Opens an account. It connects when something is first sent: bad input is reported without an address or a token. */
export function openSession(options: SessionOptions): Session {
  return new Session(options);
}

/**
 * Every method throws a `Failure`: `usage` for what is wrong before anything is sent, `not_signed_in` and
 * `not_allowed` for the token, `not_found`, `refused`, `rate_limited` and `unavailable` for what the service answers.
 * Ids of calls, relations in their bodies and relation filters may be look-ups: `@Fresh Farms`, `@code:SUP-1`.
 */
export class Session {
  readonly api: Api;
  readonly settings: Settings;
  /** Announces batches of a run to the observers, and reports what else they have to know about runs. */
  readonly runs: RunsObserved;
  readonly #access: Access;
  readonly #permissions: Permissions;
  readonly #names: Names;
  readonly #writes: Writes;

  constructor(options: SessionOptions) {
    this.api = options.api;
    this.settings = options.settings;
    this.#access = new Access(options, () => this.#permissions);
    this.#permissions = new Permissions({ ...options, connect: () => this.#access.connected() });
    const choose = async (wanted: AmbiguousName) => options.choose?.(wanted, this);
    this.#names = new Names(this.#access, { ...options, choose });
    this.#writes = new Writes(options, this.#access, this.#permissions, this.#names);
    this.runs = this.#writes.observed;
  }

  /** Returns one record, and the body it came in. */
  async get(call: Call): Promise<Answered> {
    await this.permit(call);
    const client = await this.#access.client();
    return client.get(await this.resolve(call));
  }

  /** Returns a list, which is read as its rows are asked for. */
  list(call: ListCall, reach?: Reach): Reading {
    return readList({ pages: (it) => this.#pages(it) }, call, reach, this.settings.wire.deletedFilter);
  }

  async *#pages({ operation, query = {}, wanted }: Call): AsyncGenerator<Page> {
    await this.permit({ operation });
    const resolved = await this.resolveFilters(operation.resource, query);
    yield* (await this.#access.client()).pages({ operation, query: resolved, wanted });
  }

  /** Returns a record with all that an update of it may send with this token, and the fields that can't be known. */
  current(update: Call): Promise<Current> {
    return this.#writes.updates.current(update);
  }

  /** Returns the names of secrets that each update has to give: the service replaces records, and doesn't show them. */
  toBeGiven(update: Operation): string[] {
    return this.#writes.updates.toBeGiven(update);
  }

  /** Sends one write, once; in a dry run it is planned. A failure says in `details.outcome` what is known of it. */
  write(call: Call, facts?: WriteFacts): Promise<Written> {
    return this.#writes.write(call, facts);
  }

  /** Returns the request that a call would send, its names looked up unless the session is offline. */
  plan(call: Call): Promise<HttpRequest> {
    return this.#writes.plan(call);
  }

  /** Sends any method and path under the API's prefix. What the contract knows is held to it. */
  raw(request: RawRequest): Promise<RawSent> {
    return this.#writes.raw(request);
  }

  /** Yields the pages of any path that answers lists. */
  async *rawPages(target: string): AsyncGenerator<Page> {
    yield* (await this.#access.client()).rawPages(target);
  }

  /** Returns the call with ids in the place of look-ups. */
  resolve(call: Call): Promise<Call> {
    return this.#names.resolve(call);
  }

  /** Returns the same for several calls, which share their requests. */
  resolveAll(calls: readonly Call[]): Promise<Call[]> {
    return this.#names.resolveAll(calls);
  }

  /** Returns the same for the relation filters of a list. */
  resolveFilters(resource: Resource, query: ListQuery): Promise<ListQuery> {
    return this.#names.resolveFilters(resource, query);
  }

  /** Returns the id of each look-up of one kind, or why it has none. `target` is the API's name for what they name. */
  find(
    target: string,
    texts: readonly string[],
    options?: LookupOptions,
  ): Promise<ReadonlyMap<string, string | Failure>> {
    return this.#names.find(target, texts, options);
  }

  /** Returns the id that a text stands for, of a record of a resource or a reference: its own, or that of a look-up. */
  idOf(target: string, text: string): Promise<string> {
    return this.#names.idOf(target, text);
  }

  /** Throws `not_allowed` where a call is outside the token's scopes, as far as those are known. Sends nothing. */
  permit(call: Call): Promise<void> {
    return this.#permissions.permit(call);
  }

  /** Reports planned writes to the observers before questions about them; `write` and `approve` do so themselves. */
  notifyPlanned(writes: readonly PlannedWrite[]): Promise<void> {
    return this.#permissions.notifyPlanned(writes);
  }

  /** Permits a write and asks for approval, before questions and look-ups that could be in vain. */
  approve(call: Call): Promise<void> {
    return this.#permissions.approve(call);
  }

  /**
   * Returns the known records of a kind that the API has no list of, such as branches: from who is signed in, where that
   * shows them, and from all that answers have shown within a month.
   */
  references(target: string): Promise<NamedReference[]> {
    return this.#names.references(target);
  }

  /** Returns who is signed in: requested once, or where the answer isn't needed, waited for only briefly. */
  whoami(options?: WhoamiOptions): Promise<Account> {
    return this.#access.whoamiRequest.answer(options);
  }

  /** Returns the limit that requests keep to, and how long `requests` take under it; undefined where none is known. */
  async pace(requests: number): Promise<{ limit: string; ms: number } | undefined> {
    return (await this.#access.connected()).paceOf(requests);
  }

  close(): Promise<void> {
    return this.#access.close();
  }
}
