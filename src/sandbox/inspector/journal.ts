/** What was asked of a served sandbox, as it happens: the newest requests are kept, whoever watches is told. */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';

export interface Entry {
  /** Counted from 1. */
  number: number;
  /** By the sandbox's clock, in milliseconds since 1970. */
  at: number;
  method: string;
  target: string;
  /** Never shown: it tells which scope was used. */
  authorization: string;
  requestBody: Uint8Array | string;
  /** 0 where the connection was broken before an answer. */
  status: number;
  responseBody: Uint8Array | string;
  /** How long the answer took. */
  milliseconds: number;
  /** What the plan of faults did to it. */
  fault?: string | undefined;
}

const mostKept = 300;

/** Of a body, in bytes or characters; longer ones are not kept. */
const longestBody = 65_536;

export class Journal {
  readonly #entries: Entry[] = [];
  /** Each server counts from 1: its numbers are told from those of others. */
  readonly #name = randomUUID();
  readonly #added = new EventEmitter().setMaxListeners(0);
  #count = 0;

  add(entry: Omit<Entry, 'number'>): void {
    this.#count++;
    const kept: Entry = {
      ...entry,
      number: this.#count,
      requestBody: bounded(entry.requestBody),
      responseBody: bounded(entry.responseBody),
    };
    this.#entries.push(kept);
    if (this.#entries.length > mostKept) this.#entries.shift();
    this.#added.emit('entry');
  }

  /** From the oldest kept to the newest. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Those after a number that are still kept, as they are now. */
  after(number: number): Entry[] {
    return this.#entries.filter((entry) => entry.number > number);
  }

  /** Until there is an entry after a number, or the signal ends the waiting. */
  async more(number: number, signal: AbortSignal): Promise<void> {
    if (this.#count > number || signal.aborted) return;
    await once(this.#added, 'entry', { signal }).catch(() => {});
  }

  /** By which whoever was told of an entry can say so later. */
  idOf({ number }: Entry): string {
    return `${this.#name}/${number}`;
  }

  /** The other way round: 0 for an entry of another server. */
  numberOf(id = ''): number {
    const [name, number] = id.split('/');
    return name === this.#name && /^\d{1,15}$/.test(number ?? '') ? Number(number) : 0;
  }
}

function bounded<Body extends Uint8Array | string>(body: Body): Body | string {
  return body.length > longestBody ? `(${body.length} long, not kept)` : body;
}
