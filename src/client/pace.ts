/** When a request may leave: asked before each of them, told of each answer. Whoever opens a client may hand it one. */
import type { HttpAnswer } from './transport.ts';

export interface Pace {
  /**
   * Waits for the request's turn. Throws `rate_limited` where the service has asked for more than is waited for, and the
   * signal's reason where that comes first.
   */
  turn(signal?: AbortSignal): Promise<Turn>;
  /** How long so many requests take, in milliseconds; undefined where no limit is known. */
  estimate(requests: number): number | undefined;
  /** The limit that is kept to, in words such as "90 requests a minute"; undefined where none is known. */
  limitInWords(): string | undefined;
  close(): void;
}

/** The place of one request among all that are counted. */
export interface Turn {
  /** Its answer says what is left; without one it has been counted all the same. */
  over(answer?: Pick<HttpAnswer, 'status' | 'headers'>): void;
}
