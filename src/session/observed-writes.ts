/** The writes of a session and their observers: announced before they leave, sent once, and their outcome reported. */
import { Failure } from '../base/errors.ts';
import type { Call } from '../client/request.ts';
import type { HttpRequest } from '../client/transport.ts';
import { hasNames } from './names.ts';
import { commandOf, withOutcome } from './outcome.ts';
import type {
  Answered,
  OutgoingWrite,
  Part,
  Result,
  WriteObserver,
  WriteReader,
  WriteTold,
} from './write.ts';
import { missingUsers } from './write.ts';

/** A write of a run, as `Session.write` takes it. */
export interface PlannedWrite {
  call: Call;
  told: WriteTold;
}

/** The part of a session that a run over many records needs besides `write`. */
export interface RunsObserved {
  /**
   * Announces the next batch of a run to the observers, each of which records all of it before the first write leaves.
   * Writes whose request isn't known yet are announced one by one when they leave. Throws what an observer throws:
   * nothing of the batch was recorded as sent then.
   */
  announce(batch: readonly PlannedWrite[]): Promise<void>;
  /** Returns the names of the run's parts that a process announced before it was killed, without a known outcome. */
  leftOpen(run: string): Promise<string[]>;
  /** Reports what happened to one of those, or to a part that ended with an unknown outcome. */
  reconciled(part: Part, result: Result): Promise<void>;
  /** Nothing more of the run is sent by this process. */
  ended(): Promise<void>;
}

export interface ObservedWritesOptions {
  observers: readonly WriteObserver[];
  reader: WriteReader;
  /** Builds the request of a call without the token. */
  requestFor(call: Call): HttpRequest;
  /** Whether an update leaves as it is planned; else its record is read before, and observers get it as it was. */
  isPlanned(update: PlannedWrite): Promise<boolean>;
}

export class ObservedWrites implements RunsObserved {
  readonly #observers: readonly WriteObserver[];
  readonly #reader: WriteReader;
  readonly #requestFor: (call: Call) => HttpRequest;
  readonly #isPlanned: (update: PlannedWrite) => Promise<boolean>;
  /** Parts that were announced and have not left yet, by run and name. */
  readonly #announced = new Map<string, OutgoingWrite>();

  constructor({ observers, reader, requestFor, isPlanned }: ObservedWritesOptions) {
    this.#observers = observers;
    this.#reader = reader;
    this.#requestFor = requestFor;
    this.#isPlanned = isPlanned;
  }

  async announce(batch: readonly PlannedWrite[]): Promise<void> {
    if (!this.#observers.some(({ before }) => before)) return;
    const writes: OutgoingWrite[] = [];
    for (const { call, told } of batch) {
      if (!told.part || hasNames(call) || missingUsers(call).length > 0) continue;
      if (call.operation.effect === 'update' && !(await this.#isPlanned({ call, told }))) continue;
      const write = this.outgoing(call, told);
      if (!this.#announced.has(keyOf(write))) writes.push(write);
    }
    if (writes.length === 0) return;
    await this.#before(writes, this.#reader);
    for (const write of writes) this.#announced.set(keyOf(write), write);
  }

  /** Returns a call as it leaves. Observers don't get headers, which hold the token. */
  outgoing(call: Call, told: WriteTold): OutgoingWrite {
    const { method, target, body } = this.#requestFor(call);
    return { call, request: { method, target, body }, told };
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
    const found = write.told.part && this.#announced.get(keyOf(write));
    if (!found || !isSameRequest(found.request, write.request)) return undefined;
    this.#announced.delete(keyOf(write));
    return found;
  }
}

function keyOf({ told: { part } }: OutgoingWrite): string {
  return part === undefined ? '' : `${part.run} ${part.name}`;
}

function isSameRequest(one: OutgoingWrite['request'], other: OutgoingWrite['request']): boolean {
  return one.method === other.method && one.target === other.target && one.body === other.body;
}
