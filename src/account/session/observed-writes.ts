/** Sends each write of a session once, and notifies observers before and after it. */
import { Failure, type WriteStatus } from '../../base/errors.ts';
import type { RecordResponse } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import type { AccountInUse } from './account.ts';
import { commandOf, withOutcome } from './outcome.ts';
import type { Row } from './row.ts';

/** A write as it is sent: with IDs instead of names, and with the signed-in user. */
export interface OutgoingWrite {
  /** The call; undefined for a request that isn't in the contract. */
  call?: Call | undefined;
  /** The request without its headers, which contain the token. */
  request: Omit<HttpRequest, 'headers'>;
  details: WriteDetails;
}

/** Identifies a write of a bulk run, also when it is sent again. */
export interface RunPartName {
  run: string;
  name: string;
}

/** The outcome of a part: `done`, with the ID of the record, or `not_sent`, so that it can be sent again. */
export type PartResult = { outcome: 'done'; id: string | undefined } | { outcome: 'not_sent' };

/** Information about a write that its call doesn't contain. */
export interface WriteDetails {
  /** The record before the write, or the part of it that the write changes, if it was already read. */
  recordBefore?: Row | undefined;
  /** Whether similar writes follow: before them, the effect on fields that aren't sent is checked. */
  hasMoreWrites?: true | undefined;
  /** For a creation: returns the failure if the response has the ID of another record, else undefined. */
  duplicateIdFailure?: ((id: string) => Failure | undefined) | undefined;
  /** The bulk run that it belongs to, and which part it is. */
  part?: RunPartName | undefined;
  /** Receives a function that records the outcome, to be called in the transaction that records the row's outcome. */
  recordOutcomeLater?: ((record: () => void) => void) | undefined;
}

/** The entries of a batch, to be recorded in the transaction that records its rows as sent. */
export interface BatchEntries {
  /** Records the entries. Throws if they can't be recorded and the rows must not be sent. */
  record(): void;
  /** Called after the transaction was committed. */
  onRecorded(): void;
}

/** Reads the account for observers, within the token's scopes. */
export interface WriteReader {
  get(call: Call): Promise<RecordResponse>;
  /** Returns the account in use; see `Session.account`. */
  account(): Promise<AccountInUse>;
}

/** The outcome of a write; `failure.details.outcome` says whether a failed one may have happened. */
export type WriteOutcome =
  | { done: true; recordResponse?: RecordResponse | undefined }
  | { done: false; failure: Failure };

/** A planned write; without an operation if the request isn't in the contract. */
export type PlannedWrite = Partial<Pick<Call, 'operation' | 'body'>> & {
  /** The record before the write, if it was already read. */
  recordBefore?: Row | undefined;
};

/** Is notified of the writes of a session. It can prevent a write by throwing before it is sent. */
export interface WriteObserver {
  /** Called before the user is asked for approval, and in a dry run, which sends nothing. */
  onPlanned?(writes: readonly PlannedWrite[]): Promise<void> | void;
  /** Called before a write that isn't in a batch. */
  beforeWrite?(write: OutgoingWrite, reader: WriteReader): Promise<void> | void;
  /**
   * Called once before the next batch of a run, in its order. If a write of the batch isn't sent after all, `onRunEnded`
   * reports it.
   */
  beforeBatch?(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<BatchEntries | undefined>;
  /** Runs the transaction of a batch when no other process locks the history. */
  inTurn?(work: () => void): Promise<void>;
  /** Called for each write right before it is sent. */
  beforeSend?(write: OutgoingWrite): Promise<void> | void;
  /** Called for each write after it was sent or has failed. */
  afterSend?(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> | void;
  /** Returns the names of the run's parts without a known outcome, because their process was killed. */
  unfinishedParts?(run: string): Promise<readonly string[]> | readonly string[];
  /** Called when the ledger or the service has shown the outcome of such a part. */
  onReconciled?(part: RunPartName, result: PartResult): Promise<void> | void;
  /** Called when this process sends nothing more of the run; `unsent` contains the announced writes that were not sent. */
  onRunEnded?(unsent: readonly OutgoingWrite[]): Promise<void> | void;
}

/** The arguments of `Session.write` for a write of a run. */
export interface RunWrite {
  call: Call;
  details: WriteDetails;
}

export interface ObservedWritesOptions {
  observers: readonly WriteObserver[];
  reader: WriteReader;
  /** Builds the request of a call without the token. */
  requestFor(call: Call): HttpRequest;
  /** Returns whether the request of a write is known, so that nothing has to be read before it. */
  isPlanned(write: RunWrite): boolean;
}

/** Sends the writes of a session, and reports each to the observers. */
export class ObservedWrites {
  readonly #observers: readonly WriteObserver[];
  readonly #reader: WriteReader;
  readonly #requestFor: (call: Call) => HttpRequest;
  readonly #isPlanned: (write: RunWrite) => boolean;
  /** Parts that were announced and not sent yet, by run and name. */
  readonly #announced = new Map<string, OutgoingWrite>();

  constructor({ observers, reader, requestFor, isPlanned }: ObservedWritesOptions) {
    this.#observers = observers;
    this.#reader = reader;
    this.#requestFor = requestFor;
    this.#isPlanned = isPlanned;
  }

  /**
   * Announces the next batch of a run to the observers, which record it in the same transaction as `recordRows` its rows,
   * before the first write is sent. Writes whose request isn't known yet are announced one by one. Throws the error of an
   * observer; nothing is then recorded as sent.
   */
  async announce(batch: readonly RunWrite[], recordRows: (recordEntries: () => void) => void): Promise<void> {
    const writes: OutgoingWrite[] = [];
    for (const { call, details } of batch) {
      if (!details.part || !this.#isPlanned({ call, details })) continue;
      const write = this.toOutgoingWrite(call, details);
      if (!this.#announced.has(keyOf(write))) writes.push(write);
    }
    const entries: BatchEntries[] = [];
    for (const observer of writes.length > 0 ? this.#observers : [])
      entries.push(...[(await observer.beforeBatch?.(writes, this.#reader)) ?? []].flat());
    const work = () =>
      recordRows(() => {
        for (const { record } of entries) record();
      });
    const turn = this.#observers.find(({ inTurn }) => inTurn);
    if (turn?.inTurn) await turn.inTurn(work);
    else work();
    for (const { onRecorded } of entries) onRecorded();
    if (entries.length > 0) for (const write of writes) this.#announced.set(keyOf(write), write);
  }

  /** Returns the write for a call, without the headers of its request, which contain the token. */
  toOutgoingWrite(call: Call, details: WriteDetails): OutgoingWrite {
    const { method, target, body } = this.#requestFor(call);
    return { call, request: { method, target, body }, details };
  }

  /**
   * Announces a write unless its batch was announced, and sends it once. Throws its failure with the outcome.
   * Observers may read with another reader.
   */
  async send<Result extends { recordResponse?: RecordResponse | undefined }>(
    write: OutgoingWrite,
    send: () => Promise<Result>,
    reader = this.#reader,
  ): Promise<Result> {
    const announcedWrite = this.#takeAnnounced(write);
    for (const observer of announcedWrite ? [] : this.#observers) await observer.beforeWrite?.(write, reader);
    // The announcement doesn't know how the outcome is recorded.
    const outgoing = announcedWrite ? Object.assign(announcedWrite, { details: write.details }) : write;
    for (const observer of this.#observers) await observer.beforeSend?.(outgoing);
    try {
      const result = await send();
      for (const observer of this.#observers)
        await observer.afterSend?.(outgoing, { done: true, recordResponse: result.recordResponse });
      return result;
    } catch (error) {
      const description = write.call
        ? commandOf(write.call)
        : `${write.request.method} ${write.request.target}`;
      const failure = withOutcome(error, { call: write.call, description });
      if (failure instanceof Failure) {
        for (const observer of this.#observers)
          await observer.afterSend?.(outgoing, { done: false, failure });
      }
      throw failure;
    }
  }

  /** Returns the names of the run's parts without a known outcome, because their process was killed. */
  async unfinishedParts(run: string): Promise<string[]> {
    const partNames = await Promise.all(
      this.#observers.map((observer) => observer.unfinishedParts?.(run) ?? []),
    );
    return [...new Set(partNames.flat())];
  }

  /** Reports the outcome of such a part to the observers. */
  async reportReconciled(part: RunPartName, result: PartResult): Promise<void> {
    for (const observer of this.#observers) await observer.onReconciled?.(part, result);
  }

  /** Reports that this process sends nothing more of the run. */
  async reportEnd(): Promise<void> {
    const unsentWrites = [...this.#announced.values()];
    this.#announced.clear();
    for (const observer of this.#observers) await observer.onRunEnded?.(unsentWrites);
  }

  /**
   * Returns the announced write; undefined if the request differs from the announced one, so that it is announced
   * again.
   */
  #takeAnnounced(write: OutgoingWrite): OutgoingWrite | undefined {
    const announcedWrite = write.details.part && this.#announced.get(keyOf(write));
    if (!announcedWrite || !isSameRequest(announcedWrite.request, write.request)) return undefined;
    this.#announced.delete(keyOf(write));
    return announcedWrite;
  }
}

/** Records which writes of a command were sent, and their outcomes. */
export class SentWrites implements WriteObserver {
  readonly #inFlight = new Set<OutgoingWrite>();
  /** Writes with an unknown outcome; those of a run by name, because their outcome may be found later. */
  readonly #unknown = new Set<unknown>();
  #isAnyDone = false;

  beforeSend(write: OutgoingWrite): void {
    this.#inFlight.add(write);
    if (write.details.part) this.#unknown.delete(partKey(write.details.part));
  }

  afterSend(write: OutgoingWrite, outcome: Parameters<NonNullable<WriteObserver['afterSend']>>[1]): void {
    this.#inFlight.delete(write);
    const status = outcome.done ? 'done' : outcome.failure.details.outcome;
    if (status === 'done') this.#isAnyDone = true;
    if (status === 'unknown') this.#unknown.add(write.details.part ? partKey(write.details.part) : write);
  }

  onReconciled(part: RunPartName, result: PartResult): void {
    this.#unknown.delete(partKey(part));
    if (result.outcome === 'done') this.#isAnyDone = true;
  }

  /**
   * Returns the failure of the command with the outcome of its writes: `unknown` if any may have been applied, else
   * `done` if any was, else `not_sent`. If a write had no response yet, the failure names it and the command that
   * checks it.
   */
  addOutcome(failure: Failure): Failure {
    const [writeInFlight] = this.#inFlight;
    const outcome = this.#outcome(failure.details.outcome);
    const failureWithStatus = new Failure(failure.category, failure.message, { ...failure.details, outcome });
    if (!writeInFlight || failure.details.outcome === 'unknown') return failureWithStatus;
    const description = writeInFlight.call
      ? commandOf(writeInFlight.call)
      : `${writeInFlight.request.method} ${writeInFlight.request.target}`;
    return withOutcome(failureWithStatus, { call: writeInFlight.call, description }) as Failure;
  }

  #outcome(commandOutcome: WriteStatus | undefined): WriteStatus {
    if (commandOutcome === 'unknown' || this.#inFlight.size + this.#unknown.size > 0) return 'unknown';
    return commandOutcome === 'done' || this.#isAnyDone ? 'done' : 'not_sent';
  }
}

function keyOf({ details: { part } }: OutgoingWrite): string {
  return part === undefined ? '' : partKey(part);
}

function partKey({ run, name }: RunPartName): string {
  return `${run} ${name}`;
}

function isSameRequest(a: OutgoingWrite['request'], b: OutgoingWrite['request']): boolean {
  return a.method === b.method && a.target === b.target && a.body === b.body;
}
