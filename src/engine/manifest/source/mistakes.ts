/** The mistakes in manifests, each with its location, reported together. */

import { setImmediate as waitForEvents } from 'node:timers/promises';
import { capitalize } from '../../../api/contract/wording.ts';
import { compareStrings } from '../../../base/compare-strings.ts';
import { type Failure, type FieldMessages, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { type FileLocation, formatLocation } from './node.ts';

export interface Mistake {
  location: FileLocation;
  /** The message, as a sentence without a capital letter and a period. */
  message: string;
}

/** The maximum number of displayed mistakes; the count includes all. */
export const maxShownMistakes = 100;

export class Mistakes {
  readonly #all = new Map<string, Mistake>();

  add(location: FileLocation, message: string): void {
    this.#all.set(`${formatLocation(location)} ${message}`, { location, message });
  }

  addAll(otherMistakes: Mistakes): void {
    for (const [key, mistake] of otherMistakes.#all) this.#all.set(key, mistake);
  }

  get count(): number {
    return this.#all.size;
  }

  /** Returns each mistake as a sentence, without its location. */
  sentences(): string[] {
    return [...this.#all.values()].map(({ message }) => `${capitalize(message)}.`);
  }

  /** Throws one usage failure for all mistakes, if there are any. */
  throwIfAny(): void {
    if (this.count > 0) throw this.#failure();
  }

  #failure(): Failure {
    const sortedMistakes = [...this.#all.values()].sort(
      (a, b) =>
        compareStrings(a.location.file, b.location.file) ||
        a.location.line - b.location.line ||
        a.location.column - b.location.column,
    );
    const fields: FieldMessages = Object.create(null);
    for (const { location, message } of sortedMistakes.slice(0, maxShownMistakes)) {
      const label = formatLocation(location);
      fields[label] = [...(fields[label] ?? []), message];
    }
    const count = sortedMistakes.length === 1 ? 'a mistake' : `${sortedMistakes.length} mistakes`;
    const limitNote =
      sortedMistakes.length > maxShownMistakes ? `, the first ${maxShownMistakes} of which are listed` : '';
    return usage(`The files have ${count}${limitNote}; nothing was sent.`, {
      fields,
      hint: boh.hint`To see what files may contain: ${boh.plain('schema', 'manifest')}`,
    });
  }
}

/** The maximum time in milliseconds for which the work delays the handling of a signal. */
const maxWorkMs = 50;

/** Measures the time since the last pause, and pauses. */
export class Pauses {
  readonly #signal: AbortSignal | undefined;
  #lastPauseMs = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Whether a pause is due. The caller checks it often, and awaits `pause` if it is true. */
  get isDue(): boolean {
    return performance.now() - this.#lastPauseMs > maxWorkMs;
  }

  /** Lets the process handle events. Throws the signal's reason if the signal is aborted. */
  async pause(): Promise<void> {
    await waitForEvents();
    this.#signal?.throwIfAborted();
    this.#lastPauseMs = performance.now();
  }

  async pauseIfDue(): Promise<void> {
    if (this.isDue) await this.pause();
  }
}
