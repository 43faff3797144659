/** An opened account: reads and writes its records, and resolves names. It doesn't depend on a terminal. */

import type { Api } from '../../api/contract/api.ts';
import { requireValidBody } from '../../api/contract/body-problems.ts';
import { isWrite } from '../../api/contract/operation.ts';
import { otherNamesIn } from '../../api/contract/other-fields.ts';
import { Failure } from '../../base/errors.ts';
import { parseExactJson } from '../../base/number-text.ts';
import { userAgent } from '../../base/version.ts';
import type { Client, RawRequest, RecordResponse } from '../client/client.ts';
import { type Call, requestFor } from '../client/request.ts';
import type { ListPage } from '../client/response.ts';
import type { HttpRequest, HttpResponse } from '../client/transport.ts';
import type { Settings } from '../settings/settings.ts';
import { Access, type AccessOptions } from './access.ts';
import {
  type Account,
  type AccountInUse,
  accountFolder,
  missingUserFields,
  requireSignedInUser,
  withSignedInUser,
} from './account.ts';
import type { UnknownValue } from './known-values.ts';
import { isMissingList, type ListCall, type ListRange, type ListReading, readList } from './list.ts';
import { hasLookups } from './map-ids.ts';
import { Names, type UnresolvedLookup } from './names.ts';
import { ObservedWrites, type PlannedWrite, type WriteDetails, type WriteReader } from './observed-writes.ts';
import { Permissions, type PermissionsOptions } from './permissions.ts';
import type { Row } from './row.ts';
import { Spellings } from './spellings.ts';
import type { Loss, SendUpdate, SentUpdate } from './update-guard.ts';
import { Updates } from './updates.ts';
import { verifyWrite } from './verify-write.ts';

/** The result of `Session.write`: done, with the record if the response has one, or planned. */
export type WriteResult =
  | { planned: HttpRequest; call: Call }
  | { planned?: undefined; call: Call; recordResponse?: RecordResponse | undefined };

/**
 * The result of `Session.raw`: a success, or the planned request. `loss` describes fields that an update emptied, if
 * that is known.
 */
export type RawResult =
  | { planned: HttpRequest }
  | { planned?: undefined; response: HttpResponse; loss?: Loss | undefined };

/** The options of a session: the API, the settings, the limits of writes, and who approves and observes them. */
export interface SessionOptions extends AccessOptions, PermissionsOptions {
  /** Called with a note about a record that was found by another spelling of its key. */
  onNote?: ((message: string) => void) | undefined;
  /** Called if a lookup matches no record or several. Returns the ID, or undefined to report the failure. */
  choose?: ((lookup: UnresolvedLookup, session: Session) => Promise<string | undefined>) | undefined;
}

/**
 * An opened account. It connects on the first request, so that invalid input is reported even without a base URL or a
 * token. Each method throws a `Failure`: `usage` for invalid input before anything is sent, `not_signed_in` and
 * `not_allowed` for the token, `not_found`, `refused`, `rate_limited` and `unavailable` for responses of the service. IDs
 * of calls, relations in bodies and relation filters may be lookups: `@Fresh Farms`, `@code:SUP-1`.
 */
export class Session {
  readonly api: Api;
  readonly settings: Settings;
  readonly names: Names;
  readonly permissions: Permissions;
  readonly updates: Updates;
  /** Announces the batches of a run to the observers, and reports how its parts ended. */
  readonly runs: ObservedWrites;
  /** Reports records that were found by another spelling of their key. */
  readonly spellings: Spellings;
  readonly #options: SessionOptions;
  readonly #access: Access;
  readonly #refusedFields: RefusedFields;

  constructor(options: SessionOptions) {
    const { api, settings, unchecked = false, observers = [] } = options;
    this.api = api;
    this.settings = settings;
    this.#options = options;
    this.spellings = new Spellings(options.onNote);
    this.#access = new Access(options, () => this.permissions);
    this.permissions = new Permissions(options, () => this.#access.connected());
    const choose = async (lookup: UnresolvedLookup) => options.choose?.(lookup, this);
    this.names = new Names(this.#access, { ...options, choose, spellings: this.spellings });
    const { names, permissions } = this;
    this.updates = new Updates({ access: this.#access, names, permissions, settings, unchecked });
    this.#refusedFields = new RefusedFields(options.onWarning);
    this.runs = new ObservedWrites({
      observers,
      reader: this.#access,
      requestFor: (call) => this.#request(call),
      isPlanned: ({ call, details }) => isResolved(call) && this.updates.isPlanned(call, details),
    });
  }

  async get(call: Call): Promise<RecordResponse> {
    const client = await this.#access.client();
    return client.get(await this.names.resolve(call));
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
    if (query.filters) {
      const known = await this.#access.knownValues();
      this.permissions.reportUnknown(known.unknownInFilters(operation.resource, query.filters));
    }
    const resolved = await this.names.resolveFilters(operation.resource, query);
    try {
      yield* (await this.#access.client()).pages({ ...options, operation, query: resolved });
    } catch (error) {
      if (mustExist || !isMissingList(error, operation.resource)) throw error;
    }
  }

  /** Yields the pages of any path that returns lists. */
  async *rawPages(target: string): AsyncGenerator<ListPage> {
    yield* (await this.#access.client()).rawPages(target);
  }

  /**
   * Returns the account in use: of the profile, else as the service has reported it for this token, earlier or now.
   * Sends nothing for a sandbox.
   */
  account(): Promise<AccountInUse> {
    return this.#access.account();
  }

  /** Returns the folder with everything that boh stores about the account in use. */
  async folder(): Promise<string> {
    return accountFolder(this.#options.env, await this.account());
  }

  /** Returns the account of the token. It is requested only once. */
  whoami(): Promise<Account> {
    return this.#access.whoamiRequest.request();
  }

  /** Sends one write once, or plans it in a dry run. A failure has the outcome in `details.outcome`. */
  async write(unresolved: Call, details: WriteDetails = {}): Promise<WriteResult> {
    // The rows of a run were checked when they were planned.
    if (!details.part) await this.#check(unresolved);
    if (this.#options.dryRun) return this.#dryRun(unresolved, details);
    await this.permissions.approve(unresolved);
    const call = await this.#resolve(unresolved);
    const result = await this.#send(call, details);
    return { call, ...result };
  }

  /** Checks a body against the contract and the values of the account. */
  async #check(write: Call): Promise<void> {
    const { operation, body = {} } = write;
    if (this.#options.unchecked) return;
    if (operation.body.length > 0) {
      await requireValidBody(operation, body);
      // A link may have no fields.
      if (operation.effect !== 'link' && Object.keys(body).length === 0)
        await requireValidBody(operation, body, { problems: { _: ['Specify at least one field.'] } });
    }
    this.permissions.reportUnknown(await this.unknownValues([write]));
  }

  /** Returns the values of planned writes that neither the API document nor the account has; none if they aren't checked. */
  async unknownValues(writes: readonly PlannedWrite[]): Promise<UnknownValue[]> {
    if (this.#options.unchecked) return [];
    const known = await this.#access.knownValues();
    return writes.flatMap(({ operation, body }) =>
      operation && body ? known.unknownIn(operation, body) : [],
    );
  }

  /** Resolves names and returns the request. Sends nothing else. */
  async #dryRun(unresolved: Call, details: WriteDetails): Promise<WriteResult> {
    await this.permissions.checkPermission(unresolved);
    await this.permissions.notifyPlanned([{ ...unresolved, recordBefore: details.recordBefore }]);
    const call = await withSignedInUser(
      await this.names.resolve(unresolved),
      async () => '(the signed-in user)',
    );
    const isUpdate = call.operation.effect === 'update';
    return { planned: this.#request(isUpdate ? await this.updates.plan(call) : call), call };
  }

  /** Returns the call with IDs in place of names, and with the signed-in user if a record needs a creator. */
  async #resolve(unresolved: Call): Promise<Call> {
    return withSignedInUser(await this.names.resolve(unresolved), async () =>
      requireSignedInUser(await this.#access.whoamiRequest.request(), unresolved.operation),
    );
  }

  /** Announces the write to the observers, sends it once, and reports its outcome to them. */
  async #send(call: Call, details: WriteDetails): Promise<SentUpdate> {
    const client = await this.#access.client();
    const get = (read: Call) => client.get(read);
    const send: SendUpdate = (details, { reader, call: sentCall = call } = {}) => {
      const sendCall = async () => {
        const entered = details.part ? {} : (call.body ?? {});
        const written = await this.#refusedFields.write(client, sentCall, entered);
        const response = checkCreatedId(sentCall, details, written);
        // `sentCall` may contain the whole record, of which the service may compute parts.
        return { recordResponse: response && (await verifyWrite(call, response, get, this.settings)) };
      };
      return this.runs.send(this.runs.toOutgoingWrite(call, details), sendCall, reader);
    };
    return call.operation.effect === 'update' ? this.updates.send(call, details, send) : send(details);
  }

  /** Returns the request of a call, with its names resolved unless the session is offline. */
  async plan(unresolved: Call): Promise<HttpRequest> {
    const call = hasLookups(unresolved) ? await this.names.resolve(unresolved) : unresolved;
    const { operation, query } = call;
    if (operation.effect !== 'list' || !query) return this.#request(call);
    return this.#request({ ...call, query: await this.names.resolveFilters(operation.resource, query) });
  }

  /**
   * Sends any method and path under the API's prefix, unchanged. A write is checked, approved and observed like any other.
   */
  async raw(rawRequest: RawRequest): Promise<RawResult> {
    const { api, settings } = this;
    const { dryRun } = this.#options;
    const call = callOf(api, rawRequest);
    const request = { ...rawRequest, target: settings.apiPrefix + rawRequest.target };
    const isWriteRequest = call ? isWrite(call.operation) : !['GET', 'HEAD'].includes(rawRequest.method);
    if (dryRun) {
      if (isWriteRequest) await this.permissions.notifyPlanned([call ?? {}]);
      return { planned: { ...request, headers: {} } };
    }
    const client = await this.#access.client();
    if (call) await this.permissions.checkPermission(call);
    const sendRaw = () => client.raw(rawRequest, call?.operation);
    if (!isWriteRequest) return sendRaw();
    await this.permissions.notifyPlanned([call ?? {}]);
    await this.permissions.approve();
    const send = (reader?: WriteReader) => this.runs.send({ call, request, details: {} }, sendRaw, reader);
    if (call?.operation.effect !== 'update') return send();
    const { sent, loss } = await this.updates.sendUnchanged(call, (_, { reader } = {}) => send(reader));
    return { ...sent, loss };
  }

  /** Returns the request without the token. */
  #request(call: Call): HttpRequest {
    return requestFor(call, { ...this.settings, token: undefined, userAgent: userAgent() });
  }

  /** Returns the current rate limit, and how long `requests` take with it; undefined if no limit is known. */
  async pace(requests: number): Promise<{ limit: string; ms: number } | undefined> {
    return (await this.#access.connected()).paceOf(requests);
  }

  close(): Promise<void> {
    return this.#access.close();
  }
}

/** Returns whether a call contains nothing to resolve or fill in. */
function isResolved(call: Call): boolean {
  return !hasLookups(call) && missingUserFields(call).length === 0;
}

/** Returns the response. Throws a failure if the response to a creation has the ID of another record. */
function checkCreatedId(
  { operation }: Call,
  { duplicateIdFailure }: WriteDetails,
  recordResponse: RecordResponse | undefined,
): RecordResponse | undefined {
  const id = recordResponse?.record.id;
  const failure =
    operation.effect === 'create' && typeof id === 'string' ? duplicateIdFailure?.(id) : undefined;
  if (failure) throw failure;
  return recordResponse;
}

/** Returns the call that a raw request corresponds to, if the contract knows it. */
function callOf(api: Api, { method, target, body }: RawRequest): Call | undefined {
  const matchedOperation = api.findOperation(method, target);
  if (!matchedOperation) return undefined;
  const [path = '', query = ''] = target.split('?');
  const segments = path.split('/');
  const ids = matchedOperation.path
    .split('/')
    .flatMap((segment, index) => (segment.startsWith('{') ? [decodeSegment(segments[index] ?? '')] : []));
  return {
    operation: matchedOperation,
    ids,
    body: body === undefined ? Object.fromEntries(new URLSearchParams(query)) : parseBody(body),
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function parseBody(body: string): Row {
  const value = parseExactJson(body);
  return typeof value === 'object' && value !== null ? (value as Row) : {};
}

/** The fields outside the API document that a service has refused in this session. */
class RefusedFields {
  /** The fields by resource. */
  readonly #refused = new Set<string>();
  readonly #onWarning: ((message: string) => void) | undefined;

  constructor(onWarning: ((message: string) => void) | undefined) {
    this.#onWarning = onWarning;
  }

  /**
   * Sends a write. If the service refuses fields outside the API document, sends it again without them and with a
   * warning, and omits them in later writes. Fields that the user has `entered` are always sent.
   */
  async write(client: Client, call: Call, entered: object): Promise<RecordResponse | undefined> {
    const { operation, body = {} } = call;
    const { nouns } = operation.resource;
    const others = otherNamesIn(operation, body).filter((name) => !Object.hasOwn(entered, name));
    if (others.length === 0) return client.write(call);
    const isRefused = (name: string) => others.includes(name) && this.#refused.has(`${nouns} ${name}`);
    const accepted = (): Call => ({
      ...call,
      body: Object.fromEntries(Object.entries(body).filter(([name]) => !isRefused(name))),
    });
    try {
      return await client.write(accepted());
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'refused') throw error;
      const { message, details } = error;
      const newlyRefused = others.filter(
        (name) =>
          !isRefused(name) && (Object.hasOwn(details.fields ?? {}, name) || message.includes(`"${name}"`)),
      );
      if (newlyRefused.length === 0) throw error;
      for (const name of newlyRefused) {
        this.#refused.add(`${nouns} ${name}`);
        this.#onWarning?.(`The service refuses ${name} of ${nouns}, so it isn't sent.`);
      }
      return client.write(accepted());
    }
  }
}
