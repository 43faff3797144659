/** The writes of a session and their observers: announced before they leave, sent once, and their outcome reported. */
import { Failure, type Outcome } from '../base/errors.ts';
import type { Answered } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { Account } from './account.ts';
import { commandOf, withOutcome } from './outcome.ts';
import type { Row } from './row.ts';

/** A write as it is sent: its names are ids, and the signed-in user is filled in. */
export interface OutgoingWrite {
  /** Absent for a request that the contract doesn't know. */
  call?: Call | undefined;
  /** Without its headers, which hold the token. */
  request: Omit<HttpRequest, 'headers'>;
  facts: WriteFacts;
}

/**
 * How long the outcome of a write of a run may wait to be written with others, in milliseconds: in the ledger and in the
 * history. After a crash, outcomes of that time are unknown.
 */
export const outcomeDelayMs = 50;

/** A write of a run over many records: the same part again is the same write. */
export interface Part {
  run: string;
  name: string;
}

/** What happened to a part: it was carried out, on the record with this id; or it was not, and may be sent again. */
export type Result = { is: 'done'; id: string | undefined } | { is: 'not_sent' };

/** What is known about a write in addition to its call. */
export interface WriteFacts {
  /** The record as it was read before, or as much of it as the write is about: it isn't read again. */
  known?: Row | undefined;
  /** Others like it follow: before they leave, it is checked what it does to fields that it doesn't send. */
  isOfSeveral?: true | undefined;
  /** Of a creation: returns the failure for an answer with the id of another record; undefined for any other id. */
  repeated?: ((id: string) => Failure | undefined) | undefined;
  /** The run over many records that it is a part of, and which part: the same one again is the same write. */
  part?: Part | undefined;
}

/** The account that is written to, for observers: reads go out like any other, within the token's scopes. */
export interface WriteReader {
  get(call: Call): Promise<Answered>;
  /** Who is signed in, where that was asked before: nothing is sent for it. */
  whoami(): Promise<Account | undefined>;
  /** Stands for the token in use at its address, and gives nothing of it away. */
  accountKey(): Promise<string>;
}

/** The outcome of a write; `failure.details.outcome` says whether a failed one may have happened. */
export type WriteOutcome =
  | { done: true; answered?: Answered | undefined }
  | { done: false; failure: Failure };

/** As much of a write as is known before it; no operation where the contract doesn't know the request. */
export type PlannedWrite = Partial<Pick<Call, 'operation' | 'body'>> & {
  /** The record that it changes, where that was read. */
  known?: Row | undefined;
};

/** Is called with each write of a session. One that throws before a write stops it; afterwards there is nothing to stop. */
export interface WriteObserver {
  /** Is called before approval is asked for, and in a dry run, where nothing is sent. */
  planned?(writes: readonly PlannedWrite[]): Promise<void> | void;
  /**
   * Is called before a write leaves: with that write alone, or once with the next batch of a run, in its order. None of
   * the batch has left yet. A write may turn out not to leave: `runEnded` names it then.
   */
  before?(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<void> | void;
  /** Is called for each write right before it is sent. */
  leaving?(write: OutgoingWrite): Promise<void> | void;
  after?(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> | void;
  /** Returns the names of the run's parts that were announced without a known outcome: their process was killed. */
  leftOpen?(run: string): Promise<readonly string[]> | readonly string[];
  /** One of those, or one of unknown outcome: what the ledger or a look at the service has shown since. */
  reconciled?(part: Part, result: Result): Promise<void> | void;
  /** Nothing more of the run is sent by this process; `unsent` was announced and never left. */
  runEnded?(unsent: readonly OutgoingWrite[]): Promise<void> | void;
}

/** A write of a run, as `Session.write` takes it. */
export interface RunWrite {
  call: Call;
  facts: WriteFacts;
}

/** The part of a session that a run over many records needs in addition to `write`. */
export interface RunsObserved {
  /**
   * Announces the next batch of a run to the observers, each of which records all of it before the first write leaves.
   * Writes whose request isn't known yet are announced one by one when they leave. Throws what an observer throws:
   * nothing of the batch was recorded as sent then.
   */
  announce(batch: readonly RunWrite[]): Promise<void>;
  /** Returns the names of the run's parts that a process announced before it was killed, without a known outcome. */
  leftOpen(run: string): Promise<string[]>;
  /** Reports what happened to one of those, or to a part that ended with an unknown outcome. */
  reconciled(part: Part, result: Result): Promise<void>;
  /** Nothing more of the run is sent by this process. */
  ended(): Promise<void>;
}

/** What the writes of a session need of it. */
export interface ObservedWritesOptions {
  observers: readonly WriteObserver[];
  reader: WriteReader;
  /** Builds the request of a call without the token. */
  requestFor(call: Call): HttpRequest;
  /** Whether a write leaves as it is planned: its request is known, and nothing is read for it before. */
  isPlanned(write: RunWrite): boolean;
}

/** Sends the writes of a session, each between what its observers record. */
export class ObservedWrites implements RunsObserved {
  readonly #observers: readonly WriteObserver[];
  readonly #reader: WriteReader;
  readonly #requestFor: (call: Call) => HttpRequest;
  readonly #isPlanned: (update: RunWrite) => boolean;
  /** Parts that were announced and have not left yet, by run and name. */
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

  /** Returns a call as it leaves. Observers don't get headers, which hold the token. */
  outgoing(call: Call, facts: WriteFacts): OutgoingWrite {
    const { method, target, body } = this.#requestFor(call);
    return { call, request: { method, target, body }, facts };
  }

  /**
   * Announces a write unless its batch was, and sends it once. Throws its failure with the outcome in it. Observers may
   * read with another reader.
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

  /** Undefined also where another request leaves than the one that was announced: it is announced by itself. */
  #takeAnnounced(write: OutgoingWrite): OutgoingWrite | undefined {
    const found = write.facts.part && this.#announced.get(keyOf(write));
    if (!found || !isSameRequest(found.request, write.request)) return undefined;
    this.#announced.delete(keyOf(write));
    return found;
  }
}

/** Records which writes of a command's sessions have left, and their outcomes. */
export class SentWrites implements WriteObserver {
  readonly #inFlight = new Set<OutgoingWrite>();
  /** Writes whose outcome is unknown; a part of a run by its name, as the run may find out later. */
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
   * The failure of the command, with the outcome of its writes in it: `unknown` where any may have been carried out,
   * else `done` where any was, else `not_sent`. A write that hasn't been answered is named, with the command that checks it.
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
