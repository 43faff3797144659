/** The sandbox: the service itself, answering requests by the contract from a file or from memory. */
import { usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { Api } from '../contract/api.ts';
import { isWrite } from '../contract/operation.ts';
import type { Scope } from '../contract/scope.ts';
import { setAside } from '../storage/create.ts';
import type { Database } from '../storage/database.ts';
import { StorageFailure } from '../storage/failures.ts';
import { Turns, type Waiting } from '../storage/turns.ts';
import { bearerToken, demandScope } from './access/access.ts';
import { Grants } from './access/grants.ts';
import { keepToken, newToken } from './access/tokens.ts';
import { Clock, type ClockState } from './business/clock.ts';
import { type Event, eventsSince } from './business/events.ts';
import { type Movement, moveStock } from './business/movements.ts';
import { type NewOrder, type PlacedOrder, placeOrder, returnOrder } from './business/orders.ts';
import { lookAnew } from './business/passing-time.ts';
import { changeSettings, readSettings, type Settings } from './business/settings.ts';
import { type Contents, contentsOf } from './business/status.ts';
import { dateOf, writeMoment } from './calendar.ts';
import { type Context, contextAt } from './context.ts';
import { answerWith, Deployment } from './deployment.ts';
import { fieldsSent } from './http/json-body.ts';
import type { ServiceRequest, ServiceResponse } from './http/message.ts';
import { Refusal, unauthenticated } from './http/refusal.ts';
import { type Match, route } from './http/router.ts';
import { type RequestTarget, readTarget } from './http/target.ts';
import { perform } from './operations/perform.ts';
import { Present, type Standing } from './present.ts';
import { DamagedCell } from './store/cells.ts';
import { type Fill, openDatabase, refill } from './store/open.ts';
import { Tables } from './store/tables.ts';
import { isActive } from './validation/stored.ts';
import type { Variant } from './variant.ts';

export type { ServiceRequest, ServiceResponse } from './http/message.ts';

export interface SandboxOptions {
  /** What it answers: its routes, tables and rules follow from it. */
  api: Api;
  file: string | ':memory:';
  /** Stands before every path of the API, such as `/v5`. */
  apiPrefix?: string | undefined;
  /** What it does otherwise than its settings say, as long as it is open. */
  variant?: Partial<Variant> | undefined;
  /** A new sandbox begins without demo data. */
  empty?: boolean | undefined;
  /** Milliseconds since 1970, in place of the machine's clock. */
  machineClock?: (() => number) | undefined;
  /** What is written outlasts a power cut, for a wait for the disk with each write. */
  isDurable?: boolean | undefined;
  /** Ends the waiting for a file that another process keeps. */
  signal?: AbortSignal | undefined;
}

/** Opens the sandbox of a file, which is made where there is none. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const machineClock = options.machineClock ?? Date.now;
  const tables = new Tables(options.api);
  const database = await openDatabase(options.file, tables, {
    fill: () => filling(tables, machineClock(), options.empty),
    signal: options.signal,
    isDurable: options.isDurable,
  });
  const clock = new Clock(database, machineClock);
  return new Sandbox({ database, tables, clock }, options);
}

/** Begins the sandbox of a file anew. One that can't be used is set aside first; answers where it is then. */
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
    if (!(error instanceof StorageFailure && error.isOfTheFile)) throw error;
    const aside = setAside(options.file);
    (await openSandbox(options)).close();
    return aside;
  }
}

/** A request as far as it can be read without the file. */
interface AskedRequest extends Match {
  /** What goes with the answer, whatever it is. */
  headers?: Readonly<Record<string, string>>;
  request: ServiceRequest;
  target: RequestTarget;
}

type Parts = Pick<Context, 'database' | 'tables'> & { clock: Clock };

export class Sandbox {
  readonly api: Api;
  readonly clock: Clock;
  /** For what stands beside the API: codes, faults, snapshots. */
  readonly database: Database;
  readonly #tables: Tables;
  readonly #deployment: Deployment;
  readonly #prefix: string;
  readonly #grants: Grants;
  readonly #turns = new Turns();
  readonly #present: Present;

  constructor({ database, tables, clock }: Parts, { apiPrefix = '', variant = {} }: SandboxOptions) {
    this.api = tables.api;
    this.clock = clock;
    this.database = database;
    this.#tables = tables;
    this.#deployment = new Deployment(variant);
    this.#prefix = apiPrefix;
    this.#grants = new Grants(database);
    this.#present = new Present({ database, tables }, clock);
  }

  /** How things stand before a request is looked at. */
  look(): Standing {
    return this.#present.standing();
  }

  /**
   * Answers one request; whatever is wrong with it is told in the answer. Where another process keeps the file, it
   * waits in turn. A file that can't be used, or is kept for too long, is a failure.
   */
  async answer(request: ServiceRequest, waiting?: Waiting): Promise<ServiceResponse> {
    try {
      const asked = this.#read(request);
      const work = () => this.#perform(asked);
      return await (isWrite(asked.operation)
        ? this.whenFree(work, waiting)
        : this.#turns.soon(work, waiting));
    } catch (error) {
      return this.#answerTo(error);
    }
  }

  /** The same at once, for whoever has the file to himself; else it fails as busy. */
  handle(request: ServiceRequest): ServiceResponse {
    try {
      return this.#perform(this.#read(request));
    } catch (error) {
      return this.#answerTo(error);
    }
  }

  /** For the methods below, which do their work at once: waits in turn where another process keeps the file. */
  whenFree<T>(work: () => T, waiting?: Waiting): Promise<T> {
    return this.#turns.inTurn(work, waiting);
  }

  /** A token that works from any process for as long as its user is there. Without a user it is the owner's. */
  mintToken({ scopes, userId }: { scopes: readonly Scope[]; userId?: string }): string {
    return this.database.write(() => {
      const user = userId ?? this.#present.ownerId();
      if (!isActive(this.database, this.#tables.named('users'), user)) {
        throw usage(`There is no user ${user} in the sandbox.`, {
          hint: boh.hint`To see them: ${{ ...boh.account('users list'), flags: ['--sandbox'] }}`,
        });
      }
      const token = newToken();
      const grant = { userId: user, scopes: new Set(scopes) };
      keepToken(this.database, token, grant, writeMoment(this.clock.now()));
      return token;
    });
  }

  /** A token of the owner with all scopes, which only this object knows. */
  ownerToken(): string {
    return this.#grants.give(this.#present.ownerId());
  }

  /** Begins anew, without demo data where it is to be empty; the clock's setting is gone, too. */
  async reset({ empty, signal }: Pick<SandboxOptions, 'empty' | 'signal'> = {}): Promise<void> {
    const fill = await filling(this.#tables, this.clock.machineNow(), empty);
    await refill(this.database, this.#tables, fill, { signal });
  }

  status(): Contents & { clock: ClockState } {
    return { ...contentsOf(this.database, this.api), clock: this.clock.state() };
  }

  /** An order from a till or an app, which may earn its customer loyalty. */
  order(order: NewOrder): PlacedOrder {
    return placeOrder(this.#present.context(), order);
  }

  /** Takes a part of an order back, or all of it. Answers the return's id. */
  returnOrder(orderId: string, amount: number): string {
    return returnOrder(this.#present.context(), orderId, amount);
  }

  /** An inventory transaction that the API has no endpoint for. */
  moveStock(movement: Movement): void {
    moveStock(this.#present.context(), movement);
  }

  settings(): Settings {
    return readSettings(this.database);
  }

  /** Keeps all of the changes or, where one is wrong, none. */
  changeSettings(changes: Readonly<Record<string, unknown>>): Settings {
    return this.database.write(() => {
      const changed = changeSettings(this.database, changes);
      lookAnew(this.database);
      return changed;
    });
  }

  /** The notification events after a sequence number, oldest first. */
  events(since = 0, limit = 1000): Event[] {
    this.#present.comeTo(this.clock.now(), true);
    return eventsSince(this.database, since, limit);
  }

  close(): void {
    this.database.close();
  }

  #answerTo(error: unknown): ServiceResponse {
    if (error instanceof Refusal) return error.answer();
    throw error instanceof DamagedCell ? this.database.damaged(error) : error;
  }

  #read(request: ServiceRequest): AskedRequest {
    const target = readTarget(request.target, this.#prefix);
    return { ...route(this.api, request.method, target), request, target };
  }

  #perform(asked: AskedRequest): ServiceResponse {
    const { settings, now, isBehind } = this.#present.standing();
    const variant = this.#deployment.variant(settings);
    // Once, however often the work is tried.
    asked.headers ??= this.#deployment.count(asked.request, variant, now);
    return answerWith({ ...asked.headers, date: dateOf(now) }, () => {
      if (isBehind) this.#present.comeTo(now, !isWrite(asked.operation));
      return this.#carryOut(asked, variant, now);
    });
  }

  #carryOut({ operation, ids, ...asked }: AskedRequest, variant: Variant, now: number): ServiceResponse {
    const { request, target } = asked;
    const work = () => {
      const grant = this.#grants.of(bearerToken(request.headers.authorization));
      if (!grant) throw unauthenticated();
      demandScope(operation, grant);
      return perform({
        ...contextAt(this.database, this.#tables, now, grant.userId),
        operation,
        ids,
        grant,
        variant,
        // The account has no table of its own: it shows a user.
        table: this.#tables.named(operation.resource.singleton ? 'users' : operation.resource.name),
        query: target.query,
        body: fieldsSent(request, operation, target),
        address: `http://${request.headers.host ?? 'sandbox.localhost'}${this.#prefix}${operation.resource.path}`,
      });
    };
    return isWrite(operation) ? this.database.write(work) : this.database.read(work);
  }
}

/** Loaded only where a sandbox begins. */
async function filling(tables: Tables, now: number, isEmpty = false): Promise<Fill> {
  const { fill } = await import('./demo/fill.ts');
  return (database) => fill({ database, tables }, { now, isEmpty });
}
