/** Announces the writes of a session to observers, sends each once, and reports its outcome. */
import { Failure, type Outcome } from '../base/errors.ts';
import type { Answered } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Account } from './account.ts';
import { commandOf, withOutcome } from './outcome.ts';
import type { Row } from './row.ts';

/** A write as sent: with ids instead of names, and with the signed-in user. */
export interface OutgoingWrite {
  /** The call; undefined for a request that the contract doesn't know. */
  call?: Call | undefined;
  /** The request without its headers, which contain the token. */
  request: Omit<HttpRequest, 'headers'>;
  facts: WriteFacts;
}

/**
 * How long the outcome of a write of a run may wait to be written with others, in milliseconds: in the ledger and in the
 * history. After a crash, outcomes of that time are unknown.
 */
export const outcomeDelayMs = 50;

/** A write of a bulk run. The same part again is the same write. */
export interface Part {
  run: string;
  name: string;
}

/** The outcome of a part: done, with the record's id; or not done, so that it can be sent again. */
export type Result = { is: 'done'; id: string | undefined } | { is: 'not_sent' };

/** Facts about a write in addition to its call. */
export interface WriteFacts {
  /** The record as it was read before, or the part that the write changes: it isn't read again. */
  known?: Row | undefined;
  /** Whether similar writes follow: before them, the effect on fields that aren't sent is checked. */
  isOfSeveral?: true | undefined;
  /** For a creation: returns the failure if the answer has the id of another record; else undefined. */
  repeated?: ((id: string) => Failure | undefined) | undefined;
  /** The bulk run that it belongs to, and which part it is. */
  part?: Part | undefined;
}

/** Reads the account for observers, within the token's scopes. */
export interface WriteReader {
  get(call: Call): Promise<Answered>;
  /** The account of the token, if it was requested before: nothing is sent for it. */
  whoami(): Promise<Account | undefined>;
  /** A hash that identifies the token in use at its address, without revealing it. */
  accountKey(): Promise<string>;
}

/** The outcome of a write; `failure.details.outcome` says whether a failed one may have happened. */
export type WriteOutcome =
  | { done: true; answered?: Answered | undefined }
  | { done: false; failure: Failure };

/** A planned write; without an operation if the contract doesn't know the request. */
export type PlannedWrite = Partial<Pick<Call, 'operation' | 'body'>> & {
  /** The record that it changes, where that was read. */
  known?: Row | undefined;
};

/** Called with each write of a session. It can stop a write by throwing before it is sent. */
export interface WriteObserver {
  /** Called before the user is asked for approval, and in a dry run, which sends nothing. */
  planned?(writes: readonly PlannedWrite[]): Promise<void> | void;
  /**
   * Called before a write is sent: with that write, or once with the next batch of a run in its order, of which
   * nothing was sent yet. A write may not be sent after all: `runEnded` names it then.
   */
  before?(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<void> | void;
  /** Called for each write right before it is sent. */
  leaving?(write: OutgoingWrite): Promise<void> | void;
  after?(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> | void;
  /** Returns the names of the run's parts that were announced without a known outcome: their process was killed. */
  leftOpen?(run: string): Promise<readonly string[]> | readonly string[];
  /** Called with the outcome of one of those, or of an unknown one, once the ledger or the service has shown it. */
  reconciled?(part: Part, result: Result): Promise<void> | void;
  /** Called when this process sends nothing more of the run; `unsent` was announced and not sent. */
  runEnded?(unsent: readonly OutgoingWrite[]): Promise<void> | void;
}

/** A write of a run, as `Session.write` takes it. */
export interface RunWrite {
  call: Call;
  facts: WriteFacts;
}

/** The additional methods that a bulk run needs of a session. */
export interface RunsObserved {
  /**
   * Announces the next batch of a run to the observers, which record all of it before the first write is sent. Writes
   * whose request isn't known yet are announced one by one. Throws what an observer throws: then nothing of the batch
   * was recorded as sent.
   */
  announce(batch: readonly RunWrite[]): Promise<void>;
  /** Returns the names of the run's parts that a process announced before it was killed, without a known outcome. */
  leftOpen(run: string): Promise<string[]>;
  /** Reports the outcome of one of those, or of a part with an unknown outcome. */
  reconciled(part: Part, result: Result): Promise<void>;
  /** Reports that this process sends nothing more of the run. */
  ended(): Promise<void>;
}

/** The options of observed writes. */
export interface ObservedWritesOptions {
  observers: readonly WriteObserver[];
  reader: WriteReader;
  /** Builds the request of a call without the token. */
  requestFor(call: Call): HttpRequest;
  /** Whether a write is sent as planned: its request is known, and nothing is read before it. */
  isPlanned(write: RunWrite): boolean;
}

/** Sends the writes of a session, and reports each to the observers. */
export class ObservedWrites implements RunsObserved {
  readonly #observers: readonly WriteObserver[];
  readonly #reader: WriteReader;
  readonly #requestFor: (call: Call) => HttpRequest;
  readonly #isPlanned: (update: RunWrite) => boolean;
  /** Parts that were announced and not sent yet, by run and name. */
  readonly #announced = new Map<string, OutgoingWrite>();

  constructor({ observers, reader, requestFor, isPlanned }: ObservedWritesOptions) {
    this.#observers = observers;
    this.#reader = reader;
    this.#requestFor = requestFor;
    this.#isPlanned = isPlanned;
  }

  async announce(batch: readonly RunWrite[]): Promise<void> {
    if (!this.#observers.some(({ before }) => before)) return;
    const writes: OutgoingWrite[] = [];
    for (const { call, facts } of batch) {
      if (!facts.part || !this.#isPlanned({ call, facts })) continue;
      const write = this.outgoing(call, facts);
      if (!this.#announced.has(keyOf(write))) writes.push(write);
    }
    if (writes.length === 0) return;
    await this.#before(writes, this.#reader);
    for (const write of writes) this.#announced.set(keyOf(write), write);
  }

  /** Returns a call as sent, without headers, which contain the token. */
  outgoing(call: Call, facts: WriteFacts): OutgoingWrite {
    const { method, target, body } = this.#requestFor(call);
    return { call, request: { method, target, body }, facts };
  }

  /**
   * Announces a write unless its batch was announced, and sends it once. Throws its failure with the outcome.
   * Observers may read with another reader.
   */
  async send<Sent extends { answered?: Answered | undefined }>(
    write: OutgoingWrite,
    send: () => Promise<Sent>,
    reader = this.#reader,
  ): Promise<Sent> {
    const announced = this.#takeAnnounced(write);
    if (!announced) await this.#before([write], reader);
    const leaving = announced ?? write;
    for (const observer of this.#observers) await observer.leaving?.(leaving);
    try {
      const sent = await send();
      for (const observer of this.#observers)
        await observer.after?.(leaving, { done: true, answered: sent.answered });
      return sent;
    } catch (error) {
      const what = write.call ? commandOf(write.call) : `${write.request.method} ${write.request.target}`;
      const failure = withOutcome(error, { call: write.call, what });
      if (failure instanceof Failure) {
        for (const observer of this.#observers) await observer.after?.(leaving, { done: false, failure });
      }
      throw failure;
    }
  }

  async leftOpen(run: string): Promise<string[]> {
    const all = await Promise.all(this.#observers.map((observer) => observer.leftOpen?.(run) ?? []));
    return [...new Set(all.flat())];
  }

  async reconciled(part: Part, result: Result): Promise<void> {
    for (const observer of this.#observers) await observer.reconciled?.(part, result);
  }

  async ended(): Promise<void> {
    const unsent = [...this.#announced.values()];
    this.#announced.clear();
    for (const observer of this.#observers) await observer.runEnded?.(unsent);
  }

  async #before(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<void> {
    for (const observer of this.#observers) await observer.before?.(batch, reader);
  }

  /** Returns the announced write; undefined if another request is sent than announced: it is announced separately. */
  #takeAnnounced(write: OutgoingWrite): OutgoingWrite | undefined {
    const found = write.facts.part && this.#announced.get(keyOf(write));
    if (!found || !isSameRequest(found.request, write.request)) return undefined;
    this.#announced.delete(keyOf(write));
    return found;
  }
}

/** Records which writes of a command's sessions were sent, and their outcomes. */
export class SentWrites implements WriteObserver {
  readonly #inFlight = new Set<OutgoingWrite>();
  /** Writes with an unknown outcome; parts of a run by name, because their outcome may be found later. */
  readonly #unknown = new Set<unknown>();
  #isAnyDone = false;

  leaving(write: OutgoingWrite): void {
    this.#inFlight.add(write);
    if (write.facts.part) this.#unknown.delete(partKey(write.facts.part));
  }

  after(write: OutgoingWrite, outcome: Parameters<NonNullable<WriteObserver['after']>>[1]): void {
    this.#inFlight.delete(write);
    const known = outcome.done ? 'done' : outcome.failure.details.outcome;
    if (known === 'done') this.#isAnyDone = true;
    if (known === 'unknown') this.#unknown.add(write.facts.part ? partKey(write.facts.part) : write);
  }

  reconciled(part: Part, result: Result): void {
    this.#unknown.delete(partKey(part));
    if (result.is === 'done') this.#isAnyDone = true;
  }

  /**
   * Returns the failure of the command with the outcome of its writes: `unknown` if any may have been carried out,
   * else `done` if any was, else `not_sent`. It names a write without an answer, with the command that checks it.
   */
  ended(failure: Failure): Failure {
    const [cut] = this.#inFlight;
    const outcome = this.#outcome(failure.details.outcome);
    const known = new Failure(failure.category, failure.message, { ...failure.details, outcome });
    if (!cut || failure.details.outcome === 'unknown') return known;
    const what = cut.call ? commandOf(cut.call) : `${cut.request.method} ${cut.request.target}`;
    return withOutcome(known, { call: cut.call, what }) as Failure;
  }

  #outcome(own: Outcome | undefined): Outcome {
    if (own === 'unknown' || this.#inFlight.size + this.#unknown.size > 0) return 'unknown';
    return own === 'done' || this.#isAnyDone ? 'done' : 'not_sent';
  }
}

function keyOf({ facts: { part } }: OutgoingWrite): string {
  return part === undefined ? '' : partKey(part);
}

function partKey({ run, name }: Part): string {
  return `${run} ${name}`;
}

function isSameRequest(one: OutgoingWrite['request'], other: OutgoingWrite['request']): boolean {
  return one.method === other.method && one.target === other.target && one.body === other.body;
}
