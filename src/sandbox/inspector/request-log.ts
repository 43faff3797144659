/** Stores the newest requests to a sandbox, for the inspector and for tests that count requests. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { isOnRoute, pathWithoutPrefix } from '../faults/engine.ts';

/** A request and its response. */
export interface LoggedRequest {
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
const maxEntries = 10_000;

/** The number of the newest requests that are stored with their bodies. */
const maxEntriesWithBodies = 300;

/**
 * The maximum length of a stored body: bytes of a `Uint8Array`, characters of a string. Of longer bodies, only the
 * length is stored.
 */
const maxStoredBodyLength = 65_536;

/** Which requests to select. */
export interface RequestFilter {
  /** Method and path as in the route of a fault rule: `POST /customers`. */
  route: string;
  status?: number | undefined;
}

/** The newest requests to one sandbox. */
export class RequestLog {
  readonly #prefix: string;
  #entries: LoggedRequest[] = [];
  /** Identifies this server in the IDs of entries, because each server numbers its requests from 1. */
  readonly #serverId = randomUUID();
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #lastNumber = 0;

  /** `prefix` is the prefix of the API's paths, which filters don't have. */
  constructor(prefix = '') {
    this.#prefix = prefix;
  }

  /** Adds a request. */
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
    const withoutBodies = this.#entries.at(-maxEntriesWithBodies - 1);
    if (withoutBodies) Object.assign(withoutBodies, { requestBody: '', responseBody: '' });
    this.#emitter.emit('entry');
  }

  /** The newest requests, with their bodies, oldest first. */
  get entries(): readonly LoggedRequest[] {
    return this.#entries.slice(-maxEntriesWithBodies);
  }

  /** Returns the newest requests whose numbers are greater than a number, oldest first. */
  entriesAfter(number: number): LoggedRequest[] {
    return this.entries.filter((entry) => entry.number > number);
  }

  /** Returns the stored requests that match, oldest first. */
  matching({ route, status }: RequestFilter): LoggedRequest[] {
    return this.#entries.filter(
      (entry) =>
        (status === undefined || entry.status === status) &&
        isOnRoute(route, { method: entry.method, path: pathWithoutPrefix(entry.target, this.#prefix) }),
    );
  }

  /** Removes all requests. */
  clear(): void {
    this.#entries = [];
  }

  /** Waits until another request is added, or the signal aborts. */
  async waitForNext(signal: AbortSignal): Promise<void> {
    await this.waitForNewer(this.#lastNumber, signal);
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
