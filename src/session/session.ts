/** An account, opened: reading, writing and naming its records, for any program. Nothing here knows of a terminal. */

import { type Failure, usage } from '../base/errors.ts';
import { userAgent } from '../base/version.ts';
import type { Page } from '../client/answer.ts';
import type { Answered, Client, RawRequest } from '../client/client.ts';
import type { ListQuery } from '../client/query.ts';
import { type Call, requestFor } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Api } from '../contract/api.ts';
import { lazy } from '../contract/lazy.ts';
import type { Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type NamedReference, openReferenceCache } from '../settings/reference-cache.ts';
import type { Settings } from '../settings/settings.ts';
import { type Account, type Asking, accountKeyOf, signedInUser } from './account.ts';
import { accountClient } from './account-client.ts';
import { askAccount } from './ask-account.ts';
import { type Connection, connect } from './connection.ts';
import { type ListCall, type Reach, type Reading, readList } from './list.ts';
import { type LookupOptions, lookUpEach } from './look-up.ts';
import { type FindIds, hasNames, isLookup, resolveCall, resolveCalls, resolveFilters } from './names.ts';
import { ObservedWrites, type RunsObserved } from './observed-writes.ts';
import type { Opening } from './opening.ts';
import { refuseProtected, scopeRefusal } from './permit.ts';
import { type RawSent, sendRaw } from './raw-call.ts';
import type { Current } from './record-body.ts';
import {
  accountShows,
  findEachReference,
  findReferences,
  openReferences,
  passOver,
  type References,
} from './references.ts';
import { settle } from './settle.ts';
import { type TokenScopes, tokenScopes } from './token-scopes.ts';
import type { SendUpdate } from './update-guard.ts';
import { openUpdates } from './updates.ts';
import type { ForetoldWrite, WriteReader, WriteTold, Written } from './write.ts';
import { check, complete, ownRecord } from './write.ts';

export type SessionOptions = Opening<Session>;

/**
 * Every method throws a `Failure`: `usage` for what is wrong before anything is sent, `not_signed_in` and
 * `not_allowed` for the token, `not_found`, `refused`, `rate_limited` and `unavailable` for what the service answers.
 * Ids of calls, relations in their bodies and relation filters may be look-ups: `@Fresh Farms`, `@code:SUP-1`.
 */
export interface Session {
  readonly api: Api;
  readonly settings: Settings;
  /** One record, and the body it came in. */
  get(call: Call): Promise<Answered>;
  /** A list, read as its rows are asked for. */
  list(call: ListCall, reach?: Reach): Reading;
  /** A record with all that an update of it may send with this token, and the fields that can't be known. */
  current(update: Call): Promise<Current>;
  /** Names of secrets that every update has to say: the service replaces records, and doesn’t show them. */
  toBeGiven(update: Operation): Promise<string[]>;
  /** One write, sent once. A failure says in `details.outcome` what is known of it. In a dry run it is planned. */
  write(call: Call, told?: WriteTold): Promise<Written>;
  /** Announces batches of a run to the observers, and reports what else they have to know about runs. */
  readonly runs: RunsObserved;
  /** The request that a call would send, its names looked up unless the session is offline. */
  plan(call: Call): Promise<HttpRequest>;
  /** Any method and path under the API's prefix, answered by a success. What the contract knows is held to it. */
  raw(request: RawRequest): Promise<RawSent>;
  /** The pages of any path that answers lists. */
  rawPages(target: string): AsyncGenerator<Page>;
  /** The same call with ids in the place of look-ups; several calls share their requests. */
  resolve(call: Call): Promise<Call>;
  resolveAll(calls: readonly Call[]): Promise<Call[]>;
  resolveFilters(resource: Resource, query: ListQuery): Promise<ListQuery>;
  /** The ids that look-ups of one kind stand for, and why where one stands for none. `target` is the API's name. */
  find(
    target: string,
    texts: readonly string[],
    options?: LookupOptions,
  ): Promise<ReadonlyMap<string, string | Failure>>;
  /** The id that a text stands for, of a record of a resource or a reference: its own, or that of a look-up. */
  idOf(target: string, text: string): Promise<string>;
  /** Throws `not_allowed` where a call is outside the token's scopes, as far as those are known. Sends nothing. */
  permit(call: Call): Promise<void>;
  /** Observers hear of writes to come, before whoever asks does so; approval, writes and dry runs tell by themselves. */
  foretell(writes: readonly ForetoldWrite[]): Promise<void>;
  /** Permits a write and asks for approval, before questions and look-ups that could be in vain. */
  approve(call: Call): Promise<void>;
  /**
   * The records of a kind that the API has no list of, such as branches, as far as they are known: from who is signed
   * in, where that tells them, and from all that answers have shown within a month.
   */
  references(target: string): Promise<NamedReference[]>;
  /** Asked once for each session; where the answer can be done without, only for so long. */
  whoami(how?: Asking): Promise<Account>;
  /** The limit that requests keep to, and how long so many of them take under it; undefined where none is known. */
  pace(requests: number): Promise<{ limit: string; ms: number } | undefined>;
  close(): Promise<void>;
}

/** Connects when something is first sent: bad input needs no address and no token to be told. */
export function openSession(options: SessionOptions): Session {
  const { api, settings, env, dryRun = false, offline = false, unchecked = false, observers = [] } = options;
  let connection: Promise<Connection> | undefined;
  let approved: Promise<void> | undefined;
  const connected = () => {
    connection ??= connect(options);
    return connection;
  };

  // The owner of an embedded service has no token of the settings, and may do anything.
  const scopesOf = lazy((): TokenScopes => tokenScopes(settings, env));

  const keyOf = lazy(() => accountKeyOf(settings));
  const accountKey = async () => {
    await connected();
    return keyOf();
  };

  let names: References | undefined;
  const knownReferences = async () => {
    const key = await accountKey();
    names ??= openReferences(api, openReferenceCache(env, key));
    return names;
  };

  const permit = async (call: Call) => {
    if (unchecked) return;
    // A plan of what is sent as it stands needs neither a token nor an address.
    if (!dryRun) await connected();
    else if (settings.token === undefined) return;
    const known = scopesOf().known();
    const failure = known && scopeRefusal(call, known.scopes);
    if (failure) throw failure;
  };

  const foretell: Session['foretell'] = async (writes) => {
    for (const observer of observers) await observer.foretold?.(writes);
  };

  const approve = async (call?: Call) => {
    if (call) await permit(call);
    if (call) await foretell([call]);
    approved ??= options.approve ? options.approve(settings, call) : refuseProtected(settings);
    await approved;
  };

  let opened: Client | undefined;
  const client = async (): Promise<Client> => {
    if (offline) throw usage('This reads from the service, and offline nothing is sent.');
    opened ??= accountClient((await connected()).client, {
      api,
      permit,
      scopes: scopesOf(),
      references: await knownReferences(),
    });
    return opened;
  };

  const find: FindIds = async (target, texts, lookup) => {
    const resource = api.resource(target);
    if (resource) {
      const found = await lookUpEach(await client(), resource, texts, lookup);
      return settle(resource, found, lookup, async (wanted) => options.choose?.(wanted, session));
    }
    return findReferences(api, target, texts, await references(target));
  };

  const resolveQuery = (resource: Resource, query: ListQuery) =>
    offline ? Promise.resolve(query) : resolveFilters(resource, query, find);

  async function* pages({ operation: list, query = {}, wanted }: Call): AsyncGenerator<Page> {
    await permit({ operation: list });
    const resolved = await resolveQuery(list.resource, query);
    yield* (await client()).pages({ operation: list, query: resolved, wanted });
  }

  const resolve = (call: Call) => (offline ? Promise.resolve(call) : resolveCall(call, find));

  const { whoami, known: whoIsKnown } = askAccount(api, client, options.signal);

  const references = async (target: string) => {
    // What the account tells is told anew: a name may have moved to another record.
    if (accountShows(api, target)) await whoami().catch(passOver);
    return (await knownReferences()).known(target);
  };

  const request = (call: Call) => requestFor(call, { ...settings, token: undefined, userAgent: userAgent() });

  const plan = async (call: Call) => {
    const named = hasNames(call) ? await resolve(call) : call;
    const { operation: planned, query } = named;
    if (planned.effect !== 'list' || !query) return request(named);
    return request({ ...named, query: await resolveQuery(planned.resource, query) });
  };

  const planWrite = async (asked: Call): Promise<Written> => {
    const call = await complete(await resolve(asked), async () => '(the signed-in user)');
    // A plan of what is sent as it stands needs no token.
    const isWhole = call.operation.effect === 'update' && settings.wire.put === 'replace';
    const leaving = isWhole ? await (await updates()).planned(call) : call;
    return { planned: request(leaving), call };
  };

  const reader: WriteReader = {
    get: async (call) => (await client()).get(call),
    whoami: whoIsKnown,
    accountKey,
  };
  const observed = new ObservedWrites({
    observers,
    reader,
    requestFor: request,
    isPlanned: async (update) => (await updates()).isPlanned(update.call, update.told),
  });

  const updates = lazy(async () => {
    const scopes = () => (unchecked ? undefined : scopesOf().known()?.scopes);
    return openUpdates({ client, resolve, scopes, reader, settings, unchecked });
  });

  const write: Session['write'] = async (call, told = {}) => {
    if (!unchecked) await check(call);
    if (dryRun) {
      await permit(call);
      await foretell([{ ...call, known: told.known }]);
      return planWrite(call);
    }
    await approve(call);
    const resolved = await complete(await resolve(call), async () =>
      signedInUser(await whoami(), call.operation),
    );
    const sender = await client();
    const send: SendUpdate = (it, { reader: by, as = resolved } = {}) => {
      const leave = async () => ({ answered: ownRecord(as, it, await sender.write(as)) });
      return observed.send(observed.outgoing(resolved, it), leave, by);
    };
    const isUpdate = resolved.operation.effect === 'update';
    const sent = isUpdate ? (await updates()).send(resolved, told, send) : send(told);
    return { call: resolved, ...(await sent) };
  };

  const raw: Session['raw'] = (asked) => {
    const sender = async () => (dryRun ? undefined : (await connected()).client);
    const { apiPrefix } = settings;
    return sendRaw(asked, {
      api,
      apiPrefix,
      client: sender,
      permit,
      foretell,
      approve,
      updates,
      observed,
    });
  };

  const session: Session = {
    api,
    settings,
    get: async (call) => {
      await permit(call);
      return (await client()).get(await resolve(call));
    },
    list: (call, reach) => readList({ pages }, call, reach, settings.wire.deletedFilter),
    current: async (update) => (await updates()).current(update),
    toBeGiven: async (update) => (await updates()).toBeGiven(update),
    write,
    runs: observed,
    plan,
    raw,
    rawPages: async function* (target) {
      yield* (await client()).rawPages(target);
    },
    resolve,
    resolveAll: (calls) => (offline ? Promise.resolve([...calls]) : resolveCalls(calls, find)),
    resolveFilters: resolveQuery,
    find: async (target, texts, options) => {
      const resource = api.resource(target);
      if (resource) {
        return lookUpEach(await client(), resource, texts, options);
      }
      return findEachReference(api, target, texts, await references(target), options);
    },
    idOf: async (target, text) =>
      isLookup(text) ? ((await find(target, [text], { deleted: false })).get(text) ?? text) : text,
    permit,
    foretell,
    approve,
    references,
    whoami,
    pace: async (requests) => (await connected()).paceOf(requests),
    close: async () => (await connection?.catch(() => undefined))?.close(),
  };
  return session;
}
