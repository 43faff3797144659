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

/** Of requests at once, without a word of a limit: as many as browsers open connections to a host, and some. */
export const mostAtOnce = 8;

export interface Haste {
  /** To be told of every answer. */
  note(answer: { status: number; headers: Readonly<Record<string, string>> }): void;
  most(): number;
}

/** How many requests a service may be asked at once: one after another where it has said that they are too many, or soon will be. */
export function haste(limit: number): Haste {
  let isTooFast = false;
  let left = Infinity;
  return {
    note({ status, headers }) {
      if (status === 429) isTooFast = true;
      const told = headers['x-ratelimit-remaining'];
      if (told !== undefined && /^\d{1,9}$/.test(told)) left = Number(told);
    },
    most: () => (isTooFast || left < 2 * limit ? Math.min(limit, 1) : limit),
  };
}
