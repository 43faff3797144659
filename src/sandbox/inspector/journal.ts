/** What was asked of a served sandbox, as it happens: the newest requests are kept, whoever watches is told. */

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
  responseBody: string;
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
  readonly #watchers = new Set<(entry: Entry) => void>();
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
    for (const watcher of this.#watchers) watcher(kept);
  }

  /** From the oldest kept to the newest. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Answers how to stop watching. */
  watch(watcher: (entry: Entry) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

function bounded<Body extends Uint8Array | string>(body: Body): Body | string {
  return body.length > longestBody ? `(${body.length} long, not kept)` : body;
}
