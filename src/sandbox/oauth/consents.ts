/** Questions that are open on somebody's screen, each known by a number that nobody else can guess. */
import { randomBytes } from 'node:crypto';
import type { Approval } from './codes.ts';

export interface Question {
  approval: Approval;
  state: string;
}

/** Older ones are forgotten, so that asking over and over fills no memory. */
const mostOpen = 1000;

export class Consents {
  readonly #open = new Map<string, Question>();

  /**
   * The number stands in the form. An answer that another site sends in the person's name can't have it, nor can
   * it change what was asked.
   */
  ask(question: Question): string {
    const number = randomBytes(32).toString('base64url');
    this.#open.set(number, question);
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostOpen && oldest !== undefined) this.#open.delete(oldest);
    return number;
  }

  /** Each question is answered once. */
  take(number: string): Question | undefined {
    const question = this.#open.get(number);
    this.#open.delete(number);
    return question;
  }
}
