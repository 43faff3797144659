/** Stores the newest requests to a served sandbox, and notifies the readers of new requests. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

/** A request and its response. */
export interface LoggedRequest {
  /** Counted from 1. */
  number: number;
  /** By the sandbox's clock, in milliseconds since 1970. */
  at: number;
  method: string;
  target: string;
  /** The header with the token, to find the used scope. It is never shown. */
  authorization: string;
  requestBody: Uint8Array | string;
  /** 0 if the connection broke before a response. */
  status: number;
  responseBody: Uint8Array | string;
  /** The duration until the response. */
  milliseconds: number;
  /** The fault that the plan applied to it. */
  fault?: string | undefined;
}

/** The maximum number of stored requests. */
const maxEntries = 300;

/** The maximum length of a stored body, in bytes or characters. For longer bodies, only the length is stored. */
const maxBodyLength = 65_536;

/** The newest requests to one server. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  /** Identifies this server in the ids of entries, because each server numbers its requests from 1. */
  readonly #serverId = randomUUID();
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #lastNumber = 0;

  /** Adds a request. */
  add(entry: Omit<LoggedRequest, 'number'>): void {
    this.#lastNumber++;
    const stored: LoggedRequest = {
      ...entry,
      number: this.#lastNumber,
      requestBody: limitedBody(entry.requestBody),
      responseBody: limitedBody(entry.responseBody),
    };
    this.#entries.push(stored);
    if (this.#entries.length > maxEntries) this.#entries.shift();
    this.#emitter.emit('entry');
  }

  /** The stored requests, oldest first. */
  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  /** Returns the stored requests after a number. */
  after(number: number): LoggedRequest[] {
    return this.#entries.filter((entry) => entry.number > number);
  }

  /** Waits until there is a request after a number, or the signal aborts. */
  async waitForNewer(number: number, signal: AbortSignal): Promise<void> {
    if (this.#lastNumber > number || signal.aborted) return;
    await once(this.#emitter, 'entry', { signal }).catch(() => {});
  }

  /** Returns an id with which a reader can resume after this entry. */
  idOf({ number }: LoggedRequest): string {
    return `${this.#serverId}/${number}`;
  }

  /** Returns the number of the entry with this id; 0 if the id is from another server. */
  numberOf(id = ''): number {
    const [name, number] = id.split('/');
    return name === this.#serverId && /^\d{1,15}$/.test(number ?? '') ? Number(number) : 0;
  }
}

function limitedBody<Body extends Uint8Array | string>(body: Body): Body | string {
  return body.length > maxBodyLength ? `(${body.length} bytes or characters, not stored)` : body;
}
