/** Defines the routes of the inspector: its page, and the event stream. */

import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Api } from '../../api/contract/api.ts';
import type { Fields } from '../../api/contract/field.ts';
import { scopeNames } from '../../api/contract/scope.ts';
import { Failure } from '../../base/errors.ts';
import { redactionMarker } from '../../base/redaction.ts';
import type { Database } from '../../base/storage/database.ts';
import { bearerToken } from '../access/access.ts';
import { findGrant } from '../access/tokens.ts';
import type { ClockState } from '../business/clock.ts';
import { eventsSince, type NotificationEvent, newestSequence } from '../business/events.ts';
import { formatTimestamp } from '../calendar.ts';
import { readFaultPlan } from '../faults/engine.ts';
import { HttpError } from '../http/message.ts';
import { parseTarget } from '../http/request.ts';
import { route } from '../http/router.ts';
import type { Sandbox } from '../service.ts';
import { inspectorPage } from './page.ts';

/** The interval at which a changed state of the sandbox is sent to the page, in milliseconds. */
const stateIntervalMs = 500;

/** Returns the inspector's routes. `stopping` ends the open streams. */
export function inspectorRoutes(
  sandbox: Sandbox,
  log: RequestLog,
  { apiPrefix: prefix, stopping }: { apiPrefix: string; stopping: AbortSignal },
): Hono {
  const app = new Hono();
  /** The JSON of each entry, formatted once for all readers. */
  const jsonByEntry = new WeakMap<LoggedRequest, string>();
  const jsonOf = (entry: LoggedRequest) => {
    const json = jsonByEntry.get(entry) ?? JSON.stringify(inspectorEntry(sandbox, prefix, entry));
    jsonByEntry.set(entry, json);
    return json;
  };

  app.get('/', (context) => {
    const { body, headers } = inspectorPage();
    return context.html(body, 200, headers);
  });

  app.get('/inspector/stream', (context) =>
    streamSSE(context, async (stream) => {
      const send = (event: string, data: string, id?: string) =>
        stream.writeSSE({ event, data, ...(id !== undefined && { id }) });
      const disconnected = new AbortController();
      stream.onAbort(() => disconnected.abort());
      const signal = AbortSignal.any([stopping, disconnected.signal]);
      let lastNumber = log.numberOf(context.req.header('last-event-id'));
      let lastState = { json: '', sentAtMs: -stateIntervalMs };
      while (!signal.aborted) {
        // Entries are sent one by one, in order.
        for (const entry of log.entriesAfter(lastNumber)) {
          await send('request', jsonOf(entry), log.idOf(entry));
          lastNumber = entry.number;
          // Pending requests are handled before the next entry is sent.
          await setImmediate();
          if (signal.aborted) return;
        }
        const nowMs = performance.now();
        if (nowMs - lastState.sentAtMs >= stateIntervalMs) {
          const json = stateJson(sandbox) ?? lastState.json;
          if (json !== lastState.json) await send('state', json);
          lastState = { json, sentAtMs: nowMs };
        }
        await log.waitForNewer(lastNumber, AbortSignal.any([signal, AbortSignal.timeout(stateIntervalMs)]));
      }
    }),
  );

  return app;
}

/** Returns the state as JSON; undefined if the file can't be read now. Requests to the sandbox report that error. */
function stateJson(sandbox: Sandbox): string | undefined {
  try {
    return JSON.stringify(inspectorState(sandbox));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** A request on the page. The page's script reads these fields. */
interface InspectorEntry {
  number: number;
  /** The time in UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** The scope that allowed the request; empty if unknown. */
  scope: string;
  fault: string;
  request: string;
  response: string;
}

/** Returns the data of a request for the page, with secrets redacted. `prefix` is the prefix of the API's paths. */
function inspectorEntry({ api, database }: Sandbox, prefix: string, entry: LoggedRequest): InspectorEntry {
  const { number, method, target, status, fault = '' } = entry;
  const [path = ''] = target.split('?');
  const redact = (text: string) => redactToken(text, entry.authorization);
  return {
    number,
    at: formatTimestamp(entry.receivedAtMs),
    method,
    target: redact(redactTarget(api, target)),
    status,
    milliseconds: Math.round(entry.milliseconds * 10) / 10,
    scope: usedScope(api, database, prefix, entry),
    fault,
    request: redact(redactBody(api, entry.requestBody, path)),
    response: redact(redactBody(api, entry.responseBody, path)),
  };
}

/**
 * Returns the scope that allowed a request. Returns an empty string if the request isn't an operation of the contract,
 * doesn't require a scope, or its token has none of the required scopes.
 */
function usedScope(
  api: Api,
  database: Database,
  prefix: string,
  { method, target, authorization }: LoggedRequest,
): string {
  try {
    const { operation } = route(api, method, parseTarget(target, prefix));
    const scopes = findGrant(database, bearerToken(authorization))?.scopes;
    return scopeNames.find((scope) => operation.scopes.includes(scope) && scopes?.has(scope)) ?? '';
  } catch (error) {
    if (error instanceof HttpError) return '';
    throw error;
  }
}

/** The state of the sandbox on the page. The page's script reads these fields. */
interface InspectorState {
  clock: ClockState;
  /** The numbers of records by the API's resource name. */
  records: Record<string, { active: number; deleted: number }>;
  /** The newest events, newest first. */
  events: { at: string; type: string; about: string }[];
  /** The number of rules in the fault plan. */
  faults: number;
}

const maxEvents = 30;

function inspectorState(sandbox: Sandbox): InspectorState {
  const { clock, records } = sandbox.status();
  return {
    clock,
    records,
    events: newestEvents(sandbox.database).map(inspectorEvent),
    faults: readFaultPlan(sandbox.database)?.rules.length ?? 0,
  };
}

function newestEvents(database: Database): NotificationEvent[] {
  return eventsSince(database, newestSequence(database) - maxEvents, maxEvents).reverse();
}

function inspectorEvent({
  at,
  type,
  branch,
  subject,
  users,
}: NotificationEvent): InspectorState['events'][number] {
  const names = users.map(({ name }) => name).join(', ');
  return { at, type, about: `${branch.name}, ${subject.resource} ${subject.id}; notified: ${names}` };
}

/** The secrets of the sign-in, which can be in any request. */
const signInSecrets = ['client_secret', 'code_verifier', 'access_token', 'refresh_token', 'token'];

/** The secrets of the sign-in that are redacted only at its paths: in other requests, `code` is a field of records. */
const tokenExchangeSecrets = ['code', 'state'];

/**
 * Returns a body as indented JSON with secrets redacted. A body that isn't JSON is replaced with its
 * length, because its secrets can't be found.
 */
export function redactBody(api: Api, body: Uint8Array | string, path: string): string {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (text.trim() === '') return '';
  const secrets = secretNamesAt(api, path);
  const redactSecret = (name: string, value: unknown) =>
    secrets.has(name) && value !== null ? redactionMarker : value;
  // Parsing with a function for each value is slow, so it is only done for bodies that may contain a secret's name.
  const mayHaveSecrets = text.includes('\\') || [...secrets].some((name) => text.includes(`"${name}"`));
  try {
    return JSON.stringify(mayHaveSecrets ? JSON.parse(text, redactSecret) : JSON.parse(text), null, 2);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}

/** Redacts the values of secret fields and of filters on them. The rest of the target is unchanged. */
function redactTarget(api: Api, target: string): string {
  const [path = '', ...queryParts] = target.split('?');
  if (queryParts.length === 0) return target;
  const secrets = secretNamesAt(api, path);
  const pairs = queryParts.join('?').split('&');
  const redactedPairs = pairs.map((pair) => {
    const [name = '', ...valueParts] = pair.split('=');
    const words = decodeName(name).match(/\w+/g) ?? [];
    return valueParts.length > 0 && words.some((word) => secrets.has(word))
      ? `${name}=${redactionMarker}`
      : pair;
  });
  return `${path}?${redactedPairs.join('&')}`;
}

/** Redacts the request's token everywhere in the text. */
function redactToken(text: string, authorization: string): string {
  const [token = ''] = authorization.match(/\S+$/) ?? [];
  return token.length < minTokenCharacters ? text : text.replaceAll(token, redactionMarker);
}

/** The minimum length of a redacted token, in characters. Shorter tokens could be part of other words. */
const minTokenCharacters = 8;

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function secretNamesAt(api: Api, path: string): ReadonlySet<string> {
  const isTokenExchange = /\/(token|authorize)$/.test(path);
  const secrets =
    secretsByApi.get(api) ?? new Set([...signInSecrets, ...api.collections.flatMap(secretFieldNames)]);
  secretsByApi.set(api, secrets);
  return isTokenExchange ? new Set([...secrets, ...tokenExchangeSecrets]) : secrets;
}

const secretsByApi = new WeakMap<Api, ReadonlySet<string>>();

function secretFieldNames({ fields }: { fields: Fields }): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}

interface LoggedRequest {
  /** The number of the request on this server, counted from 1. */
  number: number;
  /** The time by the sandbox's clock, in milliseconds since 1970. */
  receivedAtMs: number;
  method: string;
  target: string;
  /** The header with the token, to find the used scope. The page never contains it. */
  authorization: string;
  requestBody: Uint8Array | string;
  /** The status of the response; 0 if the connection was closed before a response. */
  status: number;
  responseBody: Uint8Array | string;
  /** The duration until the response. */
  milliseconds: number;
  /** The fault that the plan applied to it. */
  fault?: string | undefined;
}

/** The maximum number of stored requests. */
const maxEntries = 300;

/**
 * The maximum length of a stored body: bytes of a `Uint8Array`, characters of a string. Of longer bodies, only the
 * length is stored.
 */
const maxStoredBodyLength = 65_536;

/** The newest requests to one server. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  /** Identifies this server in the IDs of entries, because each server numbers its requests from 1. */
  readonly #serverId = randomUUID();
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #lastNumber = 0;

  add(entry: Omit<LoggedRequest, 'number'>): void {
    this.#lastNumber++;
    const storedEntry: LoggedRequest = {
      ...entry,
      number: this.#lastNumber,
      requestBody: limitBody(entry.requestBody),
      responseBody: limitBody(entry.responseBody),
    };
    this.#entries.push(storedEntry);
    if (this.#entries.length > maxEntries) this.#entries.shift();
    this.#emitter.emit('entry');
  }

  /** The stored requests, oldest first. */
  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  /** Returns the stored requests whose numbers are greater than a number, oldest first. */
  entriesAfter(number: number): LoggedRequest[] {
    return this.#entries.filter((entry) => entry.number > number);
  }

  /** Waits until there is a request after a number, or the signal aborts. */
  async waitForNewer(number: number, signal: AbortSignal): Promise<void> {
    if (this.#lastNumber > number || signal.aborted) return;
    await once(this.#emitter, 'entry', { signal }).catch(() => {});
  }

  /** Returns the ID of an entry, with which a reader can resume after it. */
  idOf({ number }: LoggedRequest): string {
    return `${this.#serverId}/${number}`;
  }

  /** Returns the number of the entry with this ID; 0 if the ID is from another server. */
  numberOf(id = ''): number {
    const [name, number] = id.split('/');
    return name === this.#serverId && /^\d{1,15}$/.test(number ?? '') ? Number(number) : 0;
  }
}

function limitBody<Body extends Uint8Array | string>(body: Body): Body | string {
  return body.length > maxStoredBodyLength ? `(${body.length} bytes or characters, not stored)` : body;
}
