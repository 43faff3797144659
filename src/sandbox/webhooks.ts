/** Posts events to a URL after changes of a served sandbox, as deployments do. Requests never wait for it. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopeNames } from '../api/contract/scope.ts';
import { Failure } from '../base/errors.ts';
import { parseJsonCell } from '../base/storage/json-cell.ts';
import type { ServiceResponse } from './http/message.ts';
import type { RouteMatch } from './http/router.ts';
import { apiRecordOf, noRelations } from './records/records.ts';
import type { Sandbox } from './service.ts';
import { findRow, isObject, readStoredValue } from './store/rows.ts';
import { Tables } from './store/tables.ts';

export interface WebhookOptions {
  url: string;
  /** The secret of the signature. Without one, requests have no signature. */
  secret: string | undefined;
  /** Reports events that weren't delivered. */
  onFailure(message: string): void;
  /**
   * Sends a request to the origin of the URL. Must not follow redirects, because the body could contain personal data.
   * Throws an error without a response.
   */
  send(
    request: { method: string; target: string; headers: Record<string, string>; body: string; isWrite: true },
    signal: AbortSignal,
  ): Promise<{ status: number }>;
  /** Waits before another try. */
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** The pauses after the first and the second try, in milliseconds. */
const pausesMs = [1000, 5000];
/** The maximum number of events that wait. Further events are dropped and reported. */
const maxWaitingEvents = 1000;

/** The webhook of one served sandbox. */
export class Webhook {
  readonly #sandbox: Sandbox;
  readonly #tables: Tables;
  readonly #options: WebhookOptions;
  readonly #closing = new AbortController();
  #deliveries: Promise<void> = Promise.resolve();
  #waitingCount = 0;
  /** The newest order and the newest return that were posted, by `seq`. */
  #newest: { orders: number; returns: number };

  constructor(sandbox: Sandbox, options: WebhookOptions) {
    this.#sandbox = sandbox;
    this.#tables = new Tables(sandbox.api);
    this.#options = options;
    this.#newest = this.#newestOrders();
    sandbox.onChange = (request, response) => {
      try {
        this.#postChange(request, response);
      } catch (error) {
        // The change is committed, so the request succeeds.
        if (!(error instanceof Failure)) throw error;
        options.onFailure(`An event was dropped. ${error.message}`);
      }
    };
  }

  /** Posts the orders that were placed or returned since the last call. Other processes do this in the file. */
  postOrders(): void {
    const { database } = this.#sandbox;
    const { orders, returns } = this.#newest;
    const newest = this.#newestOrders();
    const placed = database.all('SELECT id FROM orders WHERE seq > ? ORDER BY seq', orders);
    const returned = database.all(
      'SELECT order_id AS id FROM order_returns WHERE seq > ? ORDER BY seq',
      returns,
    );
    this.#newest = newest;
    for (const { id } of placed) this.#post('order.created', 'orders', String(id));
    for (const { id } of returned) this.#post('order.updated', 'orders', String(id));
  }

  /** Waits until all events are delivered or given up. */
  settled(): Promise<void> {
    return this.#deliveries;
  }

  /** Stops posting. Events that wait are reported. */
  async close(): Promise<void> {
    this.#sandbox.onChange = undefined;
    const { url, onFailure } = this.#options;
    if (this.#waitingCount > 0) onFailure(`${this.#waitingCount} events were not delivered to ${url}.`);
    this.#closing.abort();
    await this.#deliveries;
  }

  #newestOrders(): { orders: number; returns: number } {
    const sql =
      'SELECT (SELECT max(seq) FROM orders) AS orders, (SELECT max(seq) FROM order_returns) AS returns';
    const row = this.#sandbox.database.get(sql);
    return { orders: Number(row?.orders ?? 0), returns: Number(row?.returns ?? 0) };
  }

  #postChange({ operation: { resource, effect }, ids }: RouteMatch, { body }: ServiceResponse): void {
    const { name, group } = resource;
    const isCreated = effect === 'create';
    const created = isCreated ? JSON.parse(body) : undefined;
    const id = String(ids[0] ?? created?.data?.id ?? created?.id);
    if (name === 'customers') this.#post(isCreated ? 'customer.created' : 'customer.updated', name, id);
    else if (group === 'menu') this.#post('menu.updated', name, id);
  }

  /** Adds an event to the queue. Its body is the state of the record now. */
  #post(event: string, name: string, id: string): void {
    const body = JSON.stringify(this.#bodyOf(event, name, id));
    if (this.#waitingCount >= maxWaitingEvents) {
      this.#options.onFailure(`${event} of ${id} was dropped: ${maxWaitingEvents} events are waiting.`);
      return;
    }
    this.#waitingCount++;
    this.#deliveries = this.#deliveries.then(async () => {
      await this.#deliver(`${event} of ${id}`, body);
      this.#waitingCount--;
    });
  }

  #bodyOf(event: string, name: string, id: string): object {
    const { database, clock } = this.#sandbox;
    const business = readStoredValue(database, 'business', isObject);
    const table = this.#tables.get(name);
    const row = findRow(database, table, id);
    const grant = { userId: '', scopes: new Set(scopeNames) };
    const variant = this.#sandbox.variant();
    const view = { database, tables: this.#tables, grant, include: noRelations, variant };
    return {
      timestamp: Math.floor(clock.now() / 1000),
      event,
      business: { name: business?.name, reference: business?.reference },
      [table.noun.replaceAll(' ', '_')]: {
        ...(row ? apiRecordOf(view, table, row) : { id }),
        ...(typeof row?.lines === 'string' && {
          products: parseJsonCell(row.lines, database, Array.isArray),
        }),
      },
    };
  }

  async #deliver(description: string, body: string): Promise<void> {
    const { pause = (milliseconds, signal) => sleep(milliseconds, undefined, { signal }), url } =
      this.#options;
    const { signal } = this.#closing;
    let problem = '';
    for (const pauseMs of [0, ...pausesMs]) {
      if (pauseMs > 0) await pause(pauseMs, signal).catch(() => {});
      if (signal.aborted) return;
      problem = await this.#send(body);
      if (problem === '' || signal.aborted) return;
    }
    this.#options.onFailure(`${description} was not delivered to ${url} in 3 tries: ${problem}.`);
  }

  /** Sends a request. Returns the problem; empty if it was accepted. */
  async #send(body: string): Promise<string> {
    const { send, secret, url } = this.#options;
    const header = this.#sandbox.settings()['webhook.header'];
    const signature = secret && createHmac('sha256', secret).update(body).digest('hex');
    try {
      const headers = { 'content-type': 'application/json', ...(signature && { [header]: signature }) };
      const { pathname, search } = new URL(url);
      const request = { method: 'POST', target: pathname + search, headers, body, isWrite: true } as const;
      const { status } = await send(request, this.#closing.signal);
      return status >= 200 && status < 300 ? '' : `status ${status}`;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return error.message.replace(/\.$/, '');
    }
  }
}
