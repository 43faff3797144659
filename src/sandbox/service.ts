/** Implements the sandbox: the API of the contract, with its data in a file or in memory. */

import type { Api } from '../api/contract/api.ts';
import { isWrite, type Operation } from '../api/contract/operation.ts';
import type { Scope } from '../api/contract/scope.ts';
import { usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { readContent } from '../base/storage/copy.ts';
import { moveAside } from '../base/storage/create.ts';
import type { Database } from '../base/storage/database.ts';
import { StorageFailure } from '../base/storage/failures.ts';
import { quoteName } from '../base/storage/quote-name.ts';
import { retryWhileBusy, type WaitOptions } from '../base/storage/retry-while-busy.ts';
import { bearerToken, requireScope } from './access/access.ts';
import { Grants, newToken, storeToken } from './access/tokens.ts';
import { Clock, type ClockSetting, type ClockState, readClock } from './business/clock.ts';
import { eventsSince, type NotificationEvent } from './business/events.ts';
import { type NewOrder, type PlacedOrder, placeOrder, returnOrder } from './business/orders.ts';
import { changeSettings, readSettings, type Settings, type Variant } from './business/settings.ts';
import { type Movement, moveStock } from './business/stock.ts';
import {
  applyDueChanges,
  areChangesDue,
  type QuietPeriod,
  quietPeriodOf,
  recheckRewards,
} from './business/time-effects.ts';
import { formatTimestamp, httpDate } from './calendar.ts';
import { type Context, createContext } from './context.ts';
import { RequestLimits } from './faults/limits.ts';
import {
  badRequest,
  HttpError,
  type ServiceRequest,
  type ServiceResponse,
  unauthenticated,
} from './http/message.ts';
import { parseTarget, type RequestTarget, requestFields } from './http/request.ts';
import { applyRedeemMethod, type RouteMatch, route } from './http/router.ts';
import { DamagedCell } from './kinds.ts';
import {
  type FixedStart,
  loadSeed,
  type NewContentOptions,
  newContent,
  storeFixedStart,
} from './new-content.ts';
import { perform } from './operations/perform.ts';
import { openDatabase, openDatabaseContent, replaceMemory, resetContent } from './store/open.ts';
import { Tables } from './store/tables.ts';
import { convertBody } from './validation/body.ts';
import { isActive } from './validation/stored.ts';

export type { ServiceRequest, ServiceResponse } from './http/message.ts';

export interface SandboxOptions {
  /** The API that the sandbox implements. Its routes and tables are derived from it. */
  api: Api;
  /** The tables of the API, if several sandboxes share them. */
  tables?: Tables | undefined;
  file: string | ':memory:';
  /** The prefix of every path of the API, such as `/v5`. */
  apiPrefix?: string | undefined;
  /** Variant settings that override the stored settings while the sandbox is open. */
  variant?: Partial<Variant> | undefined;
  /** Variant settings that apply where none is stored. */
  defaults?: Partial<Variant> | undefined;
  /** Called with the names of fields that a request contained and that a lenient sandbox ignored. */
  onIgnoredFields?: ((request: ServiceRequest, names: readonly string[]) => void) | undefined;
  /** Whether a new sandbox starts without demo data. */
  empty?: boolean | undefined;
  /** The content of another sandbox, for one in memory. */
  content?: Uint8Array | undefined;
  /** The settings with which every run gets the same answers. */
  fixedStart?: FixedStart | undefined;
  /** Replaces the machine's clock; in milliseconds since 1970. */
  machineClock?: (() => number) | undefined;
  /** Whether each write waits for the disk, so that it survives a power failure. */
  isDurable?: boolean | undefined;
  /** Ends the wait for a file that another process has locked. */
  signal?: AbortSignal | undefined;
}

/** Opens the sandbox of a file; creates the file if it doesn't exist. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { machineClock = Date.now, content, fixedStart = {} } = options;
  const tables = options.tables ?? new Tables(options.api);
  const newContentOptions = { machineNow: machineClock(), isEmpty: options.empty, ...fixedStart };
  const database = content
    ? openDatabaseContent(content, tables)
    : await openDatabase(options.file, tables, {
        loadSeed: () => loadSeed(tables, newContentOptions),
        signal: options.signal,
        isDurable: options.isDurable,
      });
  if (options.fixedStart && !content)
    await retryWhileBusy(() => database.write(() => storeFixedStart(database, fixedStart)));
  const clock = new Clock(database, machineClock);
  return new Sandbox({ database, tables, clock }, options);
}

/** Resets the sandbox of a file. A file that can't be used is renamed first; in that case, returns its new path. */
export async function resetSandbox(options: SandboxOptions): Promise<string | undefined> {
  try {
    const sandbox = await openSandbox(options);
    try {
      await sandbox.reset(options);
    } finally {
      sandbox.close();
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof StorageFailure && error.isUnusableFile)) throw error;
    const renamedFile = moveAside(options.file);
    (await openSandbox(options)).close();
    return renamedFile;
  }
}

/** A request with its operation, before the file is read. */
interface RoutedRequest extends RouteMatch {
  /** Headers to add to the response. */
  headers?: Readonly<Record<string, string>>;
  request: ServiceRequest;
  target: RequestTarget;
}

/** The state that was read from the file, for one version of the file. */
interface CachedState {
  version: string;
  settings: Settings;
  clock: ClockSetting;
  quietPeriod: QuietPeriod;
}

/** The state before a request is handled. */
interface CurrentState {
  /** The version of the file (see `Database`). */
  version: string;
  settings: Settings;
  /** The sandbox's time, in milliseconds since 1970. */
  now: number;
  hasDueChanges: boolean;
}

/** The size of a sandbox: bytes and records. */
interface SandboxContents {
  /** The file, or `:memory:`. */
  file: string;
  bytes: number;
  /** The numbers of records by the API's resource name, in alphabetical order. */
  records: Record<string, { active: number; deleted: number }>;
}

interface NewToken {
  scopes: readonly Scope[];
  /** The ID of its user; by default the owner. */
  userId?: string;
  /** A token that is known already; by default a random one. */
  token?: string;
}

type SandboxParts = Pick<Context, 'database' | 'tables'> & { clock: Clock };

export class Sandbox {
  readonly api: Api;
  readonly clock: Clock;
  /** The database, for data other than the API's records: codes, faults, snapshots. */
  readonly database: Database;
  readonly tables: Tables;
  /** The options, for other sandboxes of the same kind. */
  readonly options: SandboxOptions;
  /** Called after each change by a request, with its response. */
  onChange: ((request: RouteMatch, response: ServiceResponse) => void) | undefined;
  readonly #limits = new RequestLimits();
  /** The prefix of every path of the API. */
  readonly apiPrefix: string;
  readonly #grants: Grants;
  readonly #defaults: Partial<Variant>;
  readonly #overrides: Partial<Variant>;
  readonly #fixedStart: FixedStart;
  #cache: CachedState | undefined;
  readonly #onIgnoredFields: SandboxOptions['onIgnoredFields'];

  constructor({ database, tables, clock }: SandboxParts, options: SandboxOptions) {
    const { apiPrefix = '', variant = {}, defaults = {}, fixedStart = {}, onIgnoredFields } = options;
    this.api = tables.api;
    this.options = options;
    this.clock = clock;
    this.database = database;
    this.tables = tables;
    this.apiPrefix = apiPrefix;
    this.#grants = new Grants(database);
    this.#defaults = defaults;
    this.#overrides = variant;
    this.#fixedStart = fixedStart;
    this.#onIgnoredFields = onIgnoredFields;
  }

  /** Returns the state. Needs one query if the file is unchanged since the last call. Don't call it inside a write. */
  current(): CurrentState {
    const { version, settings, clock, quietPeriod } = this.#cached();
    const now = this.clock.timeFor(clock);
    return { version, settings, now, hasDueChanges: areChangesDue(quietPeriod, now) };
  }

  /**
   * Returns the response to a request. An invalid request gets an error response. If another process has locked the
   * file, requests wait. Throws if the file can't be used or stays locked for too long.
   */
  async respond(request: ServiceRequest, waitOptions?: WaitOptions): Promise<ServiceResponse> {
    try {
      const routed = this.#routeRequest(request);
      const response = await this.whenUnlocked(() => this.#perform(routed), waitOptions);
      if (isWrite(routed.operation) && response.status < 300) this.onChange?.(routed, response);
      return response;
    } catch (error) {
      return this.#errorResponse(error);
    }
  }

  /** Returns the response immediately, for callers that are the only users of the file. Throws if the file is locked. */
  handle(request: ServiceRequest): ServiceResponse {
    try {
      return this.#perform(this.#routeRequest(request));
    } catch (error) {
      return this.#errorResponse(error);
    }
  }

  /** Runs work that calls the methods below, which don't wait, once the file isn't locked by another process. */
  whenUnlocked<T>(work: () => T, waitOptions?: WaitOptions): Promise<T> {
    return retryWhileBusy(work, waitOptions);
  }

  /** Creates a token of a user, by default of the owner. It is valid in every process as long as the user exists. */
  createToken({ scopes, userId, token = newToken() }: NewToken): string {
    return this.database.write(() => {
      const tokenUserId = userId ?? this.#ownerId();
      if (!isActive(this.database, this.tables.get('users'), tokenUserId)) {
        throw usage(`The sandbox has no user ${tokenUserId}.`, {
          hint: boh.hint`To list users: ${{ ...boh.account('users list'), flags: ['--sandbox'] }}`,
        });
      }
      const grant = { userId: tokenUserId, scopes: new Set(scopes) };
      storeToken(this.database, token, grant, formatTimestamp(this.clock.now()));
      return token;
    });
  }

  /** Creates a token of the owner with all scopes, which is valid only for this object. */
  ownerToken(): string {
    return this.#grants.createTemporary(this.#ownerId());
  }

  /** Whether this object is the only user of the content. */
  get isInMemory(): boolean {
    return this.database.file === ':memory:';
  }

  /** Deletes all data and adds the demo data, unless `empty`. The clock's setting is reset too. */
  async reset({ empty, signal }: Pick<SandboxOptions, 'empty' | 'signal'> = {}): Promise<void> {
    if (this.isInMemory) this.load(await this.newContent({ empty }));
    else
      await resetContent(this.database, this.tables, await loadSeed(this.tables, this.#start(empty)), {
        signal,
      });
  }

  /** Returns the content of a new sandbox with the same API and fixed start. */
  newContent({ empty }: Pick<SandboxOptions, 'empty'>): Promise<Uint8Array> {
    return newContent(this.tables, this.#start(empty));
  }

  #start(isEmpty: boolean | undefined): NewContentOptions {
    return { machineNow: this.clock.machineNow(), isEmpty, ...this.#fixedStart };
  }

  /** Returns the whole content, for `load` and for other sandboxes. */
  save(): Uint8Array {
    return readContent(this.database);
  }

  /** Replaces the content of a sandbox in memory, except its tokens. */
  load(content: Uint8Array): void {
    replaceMemory(this.database, content);
  }

  status(): SandboxContents & { clock: ClockState } {
    return { ...contentsOf(this.database, this.tables), clock: this.clock.state() };
  }

  /** Places an order, like a cashier or an app. The customer can earn loyalty points. */
  placeOrder(order: NewOrder): PlacedOrder {
    return placeOrder(this.#context(), order);
  }

  /** Records the return of an amount of an order. Returns the ID of the return. */
  returnOrder(orderId: string, amount: number): string {
    return returnOrder(this.#context(), orderId, amount);
  }

  /** Adds an inventory transaction without an API endpoint. */
  moveStock(movement: Movement): void {
    moveStock(this.#context(), movement);
  }

  /** Returns the settings, without the overrides of this object. */
  settings(): Settings {
    return readSettings(this.database, this.#defaults);
  }

  /** Returns the variant settings that apply to requests now. */
  variant(): Variant {
    return { ...this.current().settings, ...this.#overrides };
  }

  /** Stores changed settings; no changes if one of them is invalid. */
  changeSettings(changes: Readonly<Record<string, unknown>>): Settings {
    return this.database.write(() => {
      changeSettings(this.database, changes);
      recheckRewards(this.database);
      return this.settings();
    });
  }

  /** Returns the notification events after a sequence number, oldest first. */
  events(since = 0, limit = 1000): NotificationEvent[] {
    this.#advanceTo(this.clock.now(), true);
    return eventsSince(this.database, since, limit);
  }

  close(): void {
    this.database.close();
  }

  /** Returns a context for actions of the owner outside of requests. */
  #context(): Context {
    const now = this.clock.now();
    this.#advanceTo(now);
    return this.#contextAt(now);
  }

  /** Applies the due changes. For reads, changes that can't be written now are applied later. */
  #advanceTo(now: number, isReading = false): void {
    try {
      const quietPeriod = quietPeriodOf(this.database, this.tables);
      if (areChangesDue(quietPeriod, now)) applyDueChanges(this.#contextAt(now));
    } catch (error) {
      const canBePostponed = isReading && error instanceof StorageFailure && !error.isUnusableFile;
      if (!canBePostponed) throw error;
    }
  }

  #contextAt(now: number): Context {
    return createContext(this.database, this.tables, now, this.#ownerId());
  }

  #ownerId(): string {
    const owner = this.database.get('SELECT id FROM users WHERE is_owner = 1 ORDER BY seq LIMIT 1');
    return String(owner?.id);
  }

  #cached(): CachedState {
    const { database } = this;
    if (this.#cache?.version === database.version) return this.#cache;
    this.#cache = database.read(() => ({
      version: database.version,
      settings: this.settings(),
      clock: readClock(database),
      quietPeriod: quietPeriodOf(database, this.tables),
    }));
    return this.#cache;
  }

  #errorResponse(error: unknown): ServiceResponse {
    if (error instanceof HttpError) return error.response();
    throw error instanceof DamagedCell ? this.database.damagedFailure(error) : error;
  }

  #routeRequest(request: ServiceRequest): RoutedRequest {
    const target = parseTarget(request.target, this.apiPrefix);
    return { ...route(this.api, request.method, target), request, target };
  }

  #perform(routed: RoutedRequest): ServiceResponse {
    const { settings, now, hasDueChanges } = this.current();
    const variant = { ...settings, ...this.#overrides };
    applyRedeemMethod(routed, routed.request.method, variant);
    // The request is counted once, even if the work is retried.
    routed.headers ??= this.#limits.countRequest(routed.request, variant, now);
    const { status, headers, body } = responseOf(() => {
      if (hasDueChanges) this.#advanceTo(now, !isWrite(routed.operation));
      return this.#execute(routed, variant, now);
    });
    this.#limits.countResponse(routed.request.headers, status, now);
    return { status, headers: { ...headers, ...routed.headers, date: httpDate(now) }, body };
  }

  #execute(
    { operation, ids, request, target }: RoutedRequest,
    variant: Variant,
    now: number,
  ): ServiceResponse {
    const work = () => {
      const grant = this.#grants.grantOf(bearerToken(request.headers.authorization));
      if (!grant) throw unauthenticated();
      requireScope(operation, grant);
      return perform({
        ...createContext(this.database, this.tables, now, grant.userId),
        operation,
        ids,
        grant,
        variant,
        // The account doesn't have a table: the response contains a user.
        table: this.tables.get(operation.resource.singleton ? 'users' : operation.resource.name),
        query: target.query,
        body: this.#bodyOf(operation, request, target, variant),
        listUrl: `http://${request.headers.host ?? 'sandbox.localhost'}${this.apiPrefix}${operation.resource.path}`,
      });
    };
    return isWrite(operation) ? this.database.write(work) : this.database.read(work);
  }

  /** Returns the fields of a request. A lenient sandbox converts them, and ignores unknown ones. */
  #bodyOf(operation: Operation, request: ServiceRequest, target: RequestTarget, variant: Variant) {
    const body = requestFields(request, operation, target);
    const isEmptyCreate = operation.effect === 'create' && Object.keys(body).length === 0;
    if (isEmptyCreate && variant['wire.empty_requests'] === 'refused')
      throw badRequest('The request has no fields.');
    if (variant['wire.requests'] === 'strict') return body;
    const { values, ignoredNames } = convertBody(operation.body, body);
    if (ignoredNames.length > 0) this.#onIgnoredFields?.(request, ignoredNames);
    return values;
  }
}

/** Returns the response of the work, also if it throws an `HttpError`. */
function responseOf(work: () => ServiceResponse): ServiceResponse {
  try {
    return work();
  } catch (error) {
    if (error instanceof HttpError) return error.response();
    throw error;
  }
}

function contentsOf(database: Database, tables: Tables): SandboxContents {
  const pages = Number(database.get('PRAGMA page_count')?.page_count);
  const pageBytes = Number(database.get('PRAGMA page_size')?.page_size);
  const resources = tables.api.collections.filter(({ undocumented }) => !undocumented);
  const names = resources.map(({ name }) => name).sort();
  const records = names.map((name) => {
    const deletedSql = tables.get(name).isSoftDeleted ? 'count(deleted_at)' : '0';
    const counts = database.get(`SELECT count(*) AS total, ${deletedSql} AS deleted FROM ${quoteName(name)}`);
    const [total, deleted] = [Number(counts?.total), Number(counts?.deleted)];
    return [name, { active: total - deleted, deleted }] as const;
  });
  return { file: database.file, bytes: pages * pageBytes, records: Object.fromEntries(records) };
}
