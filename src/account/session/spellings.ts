/** Reports records that were found by another spelling of their key, and new records whose key is similar to another one. */
import { maxShownItems } from '../../base/shown-items.ts';

export interface Spelling {
  /** The place and field of the key: `line 3: sku`. */
  subject?: string | undefined;
  /** The key as written. */
  written: string;
  /** The key of the record. */
  stored: string;
  /** Whether the keys are only similar, so that the record is new. */
  isSimilar?: boolean;
}

/** Reports the first spellings of a plan at once, and at its end the number of others. */
export class Spellings {
  readonly #onNote: ((message: string) => void) | undefined;
  readonly #messages = new Set<string>();

  constructor(onNote: ((message: string) => void) | undefined) {
    this.#onNote = onNote;
  }

  /** Reports a spelling, once. */
  add({ subject, written, stored, isSimilar }: Spelling): void {
    const outcome = isSimilar ? `is new, although it is similar to ${stored}` : `matched ${stored}`;
    const message = `${subject === undefined ? '' : `${subject} `}"${written}" ${outcome}`;
    if (this.#messages.has(message)) return;
    this.#messages.add(message);
    if (this.#messages.size <= maxShownItems) this.#onNote?.(message);
  }

  /** Reports how many spellings weren't reported. */
  end(): void {
    const remaining = this.#messages.size - maxShownItems;
    if (remaining > 0) this.#onNote?.(`and ${remaining} others in another spelling`);
    this.#messages.clear();
  }
}
