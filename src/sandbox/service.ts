/** Implements the sandbox: the API of the contract, with its data in a file or in memory. */
import { usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { Api } from '../contract/api.ts';
import { isWrite, type Operation } from '../contract/operation.ts';
import type { Scope } from '../contract/scope.ts';
import type { Database } from '../storage/database.ts';
import { retryWhileBusy, type WaitOptions } from '../storage/retry-while-busy.ts';
import { bearerToken, requireScope } from './access/access.ts';
import { Grants } from './access/grants.ts';
import { newToken, storeToken } from './access/tokens.ts';
import { Clock, type ClockState } from './business/clock.ts';
import { eventsSince, type NotificationEvent } from './business/events.ts';
import { type Movement, moveStock } from './business/movements.ts';
import { type NewOrder, type PlacedOrder, placeOrder, returnOrder } from './business/orders.ts';
import { changeSettings, readSettings, type Settings } from './business/settings.ts';
import { contentsOf, type SandboxContents } from './business/status.ts';
import { recheckRewards } from './business/time-effects.ts';
import { formatTimestamp, httpDate } from './calendar.ts';
import { type Context, createContext } from './context.ts';
import { Deployment, withHeaders } from './deployment.ts';
import { HttpError, unauthenticated } from './http/http-error.ts';
import { requestFields } from './http/json-body.ts';
import type { ServiceRequest, ServiceResponse } from './http/message.ts';
import { applyRedeemMethod, type RouteMatch, route } from './http/router.ts';
import { parseTarget, type RequestTarget } from './http/target.ts';
import { type CurrentState, LiveState } from './live-state.ts';
import { perform } from './operations/perform.ts';
import { DamagedCell } from './store/cells.ts';
import { openDatabase, resetContent, type Seed } from './store/open.ts';
import { Tables } from './store/tables.ts';
import { convertBody } from './validation/lenient.ts';
import { isActive } from './validation/stored.ts';
import type { Variant } from './variant.ts';

export type { ServiceRequest, ServiceResponse } from './http/message.ts';

export interface SandboxOptions {
  /** The API that the sandbox implements. Its routes and tables are derived from it. */
  api: Api;
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
  /** Replaces the machine's clock; in milliseconds since 1970. */
  machineClock?: (() => number) | undefined;
  /** Whether each write waits for the disk, so that it survives a power failure. */
  isDurable?: boolean | undefined;
  /** Ends the wait for a file that another process has locked. */
  signal?: AbortSignal | undefined;
}

/** Opens the sandbox of a file; creates the file if it doesn't exist. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const machineClock = options.machineClock ?? Date.now;
  const tables = new Tables(options.api);
  const database = await openDatabase(options.file, tables, {
    loadSeed: () => loadSeed(tables, machineClock(), options.empty),
    signal: options.signal,
    isDurable: options.isDurable,
  });
  const clock = new Clock(database, machineClock);
  return new Sandbox({ database, tables, clock }, options);
}

/** A request with its operation, before the file is read. */
interface RoutedRequest extends RouteMatch {
  /** Headers to add to the response. */
  headers?: Readonly<Record<string, string>>;
  request: ServiceRequest;
  target: RequestTarget;
}

type SandboxParts = Pick<Context, 'database' | 'tables'> & { clock: Clock };

export class Sandbox {
  readonly api: Api;
  readonly clock: Clock;
  /** The database, for data other than the API's records: codes, faults, snapshots. */
  readonly database: Database;
  readonly #tables: Tables;
  /** Called after each change by a request, with its response. */
  onChange: ((request: RouteMatch, response: ServiceResponse) => void) | undefined;
  readonly #deployment: Deployment;
  readonly #prefix: string;
  readonly #grants: Grants;
  readonly #state: LiveState;
  readonly #defaults: Partial<Variant>;
  readonly #onIgnoredFields: SandboxOptions['onIgnoredFields'];

  constructor({ database, tables, clock }: SandboxParts, options: SandboxOptions) {
    const { apiPrefix = '', variant = {}, defaults = {}, onIgnoredFields } = options;
    this.api = tables.api;
    this.clock = clock;
    this.database = database;
    this.#tables = tables;
    this.#deployment = new Deployment(variant);
    this.#prefix = apiPrefix;
    this.#grants = new Grants(database);
    this.#state = new LiveState({ database, tables }, clock, defaults);
    this.#defaults = defaults;
    this.#onIgnoredFields = onIgnoredFields;
  }

  /** Returns the state before a request is handled. */
  current(): CurrentState {
    return this.#state.current();
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
  createToken({ scopes, userId }: { scopes: readonly Scope[]; userId?: string }): string {
    return this.database.write(() => {
      const tokenUserId = userId ?? this.#state.ownerId();
      if (!isActive(this.database, this.#tables.get('users'), tokenUserId)) {
        throw usage(`The sandbox has no user ${tokenUserId}.`, {
          hint: boh.hint`To list users: ${{ ...boh.account('users list'), flags: ['--sandbox'] }}`,
        });
      }
      const token = newToken();
      const grant = { userId: tokenUserId, scopes: new Set(scopes) };
      storeToken(this.database, token, grant, formatTimestamp(this.clock.now()));
      return token;
    });
  }

  /** Creates a token of the owner with all scopes, which is valid only for this object. */
  ownerToken(): string {
    return this.#grants.createTemporary(this.#state.ownerId());
  }

  /** Deletes all data and adds the demo data, unless `empty`. The clock's setting is reset too. */
  async reset({ empty, signal }: Pick<SandboxOptions, 'empty' | 'signal'> = {}): Promise<void> {
    const seed = await loadSeed(this.#tables, this.clock.machineNow(), empty);
    await resetContent(this.database, this.#tables, seed, { signal });
  }

  status(): SandboxContents & { clock: ClockState } {
    return { ...contentsOf(this.database, this.#tables), clock: this.clock.state() };
  }

  /** Places an order, like a cashier or an app. The customer can earn loyalty points. */
  placeOrder(order: NewOrder): PlacedOrder {
    return placeOrder(this.#state.context(), order);
  }

  /** Records the return of an amount of an order. Returns the ID of the return. */
  returnOrder(orderId: string, amount: number): string {
    return returnOrder(this.#state.context(), orderId, amount);
  }

  /** Adds an inventory transaction without an API endpoint. */
  moveStock(movement: Movement): void {
    moveStock(this.#state.context(), movement);
  }

  /** Returns the settings, without the overrides of this object. */
  settings(): Settings {
    return readSettings(this.database, this.#defaults);
  }

  /** Returns the variant settings that apply to requests now. */
  variant(): Variant {
    return this.#deployment.variant(this.#state.current().settings);
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
    this.#state.advanceTo(this.clock.now(), true);
    return eventsSince(this.database, since, limit);
  }

  close(): void {
    this.database.close();
  }

  #errorResponse(error: unknown): ServiceResponse {
    if (error instanceof HttpError) return error.response();
    throw error instanceof DamagedCell ? this.database.damagedFailure(error) : error;
  }

  #routeRequest(request: ServiceRequest): RoutedRequest {
    const target = parseTarget(request.target, this.#prefix);
    return { ...route(this.api, request.method, target), request, target };
  }

  #perform(routed: RoutedRequest): ServiceResponse {
    const { settings, now, hasDueChanges } = this.#state.current();
    const variant = this.#deployment.variant(settings);
    applyRedeemMethod(routed, routed.request.method, variant);
    // The request is counted once, even if the work is retried.
    routed.headers ??= this.#deployment.countRequest(routed.request, variant, now);
    const response = withHeaders({ ...routed.headers, date: httpDate(now) }, () => {
      if (hasDueChanges) this.#state.advanceTo(now, !isWrite(routed.operation));
      return this.#execute(routed, variant, now);
    });
    this.#deployment.countResponse(routed.request.headers, response.status, now);
    return response;
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
        ...createContext(this.database, this.#tables, now, grant.userId),
        operation,
        ids,
        grant,
        variant,
        // The account doesn't have a table: the response contains a user.
        table: this.#tables.get(operation.resource.singleton ? 'users' : operation.resource.name),
        query: target.query,
        body: this.#bodyOf(operation, request, target, variant),
        listUrl: `http://${request.headers.host ?? 'sandbox.localhost'}${this.#prefix}${operation.resource.path}`,
      });
    };
    return isWrite(operation) ? this.database.write(work) : this.database.read(work);
  }

  /** Returns the fields of a request. A lenient sandbox converts them, and ignores unknown ones. */
  #bodyOf(operation: Operation, request: ServiceRequest, target: RequestTarget, variant: Variant) {
    const body = requestFields(request, operation, target);
    if (variant['wire.requests'] === 'strict') return body;
    const { values, ignoredNames } = convertBody(operation.body, body);
    if (ignoredNames.length > 0) this.#onIgnoredFields?.(request, ignoredNames);
    return values;
  }
}

/** Loads the function that adds the first records to a new sandbox. */
async function loadSeed(tables: Tables, now: number, isEmpty = false): Promise<Seed> {
  const { seedSandbox } = await import('./demo/seed.ts');
  return (database) => seedSandbox({ database, tables }, { now, isEmpty });
}
