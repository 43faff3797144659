/** Records which writes of a command have left, and their outcomes. */
import { Failure, type Outcome } from '../base/errors.ts';
import { commandOf, withOutcome } from './outcome.ts';
import type { OutgoingWrite, Part, Result, WriteObserver } from './write.ts';

/** An observer of the command's sessions. */
export class SentWrites implements WriteObserver {
  readonly #inFlight = new Set<OutgoingWrite>();
  /** Writes whose outcome is unknown; a part of a run by its name, as the run may find out later. */
  readonly #unknown = new Set<unknown>();
  #isAnyDone = false;

  leaving(write: OutgoingWrite): void {
    this.#inFlight.add(write);
    if (write.told.part) this.#unknown.delete(keyOf(write.told.part));
  }

  after(write: OutgoingWrite, outcome: Parameters<NonNullable<WriteObserver['after']>>[1]): void {
    this.#inFlight.delete(write);
    const known = outcome.done ? 'done' : outcome.failure.details.outcome;
    if (known === 'done') this.#isAnyDone = true;
    if (known === 'unknown') this.#unknown.add(write.told.part ? keyOf(write.told.part) : write);
  }

  reconciled(part: Part, result: Result): void {
    this.#unknown.delete(keyOf(part));
    if (result.is === 'done') this.#isAnyDone = true;
  }

  /**
   * The failure of the command, with the outcome of its writes in it: `unknown` where any may have been carried out,
   * else `done` where any was, else `not_sent`. One that is still in flight is named, with the command that checks it.
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

function keyOf({ run, name }: Part): string {
  return `${run} ${name}`;
}
