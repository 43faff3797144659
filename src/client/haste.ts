/** How many requests a service may be asked at once, by what it has said of its limits so far. */

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
