/** Stores the newest requests to a served sandbox, and notifies the readers of new requests. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

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
