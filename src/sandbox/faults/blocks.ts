/** Blocks tokens that send too many refused requests, as real deployments do. Times are of the sandbox's clock, in milliseconds. */

/** The refused requests that cause a block, by the statuses of their responses. */
const rules = [
  { statuses: [429], maxCount: 10, windowMs: 10_000, blockMs: 60_000 },
  { statuses: [401, 403], maxCount: 60, windowMs: 60_000, blockMs: 3_600_000 },
];

/** The maximum number of tokens with refused requests. Above it, all are deleted. */
const maxTokens = 10_000;

interface TokenState {
  /** The times of the newest refused requests, by rule. */
  refusedAtMs: number[][];
  blockedUntilMs: number;
}

export class Blocks {
  readonly #tokens = new Map<string, TokenState>();

  /** Returns the seconds until the token's block ends; 0 if it isn't blocked. */
  secondsLeft(token: string, now: number): number {
    return Math.max(0, Math.ceil(((this.#tokens.get(token)?.blockedUntilMs ?? now) - now) / 1000));
  }

  /** Counts a response to a token that isn't blocked. */
  count(token: string, status: number, now: number): void {
    for (const [index, { statuses, maxCount, windowMs, blockMs }] of rules.entries()) {
      if (!statuses.includes(status)) continue;
      if (this.#tokens.size >= maxTokens) this.#tokens.clear();
      const state = this.#tokens.get(token) ?? { refusedAtMs: rules.map(() => []), blockedUntilMs: now };
      this.#tokens.set(token, state);
      const earlier = state.refusedAtMs[index]?.filter((time) => time > now - windowMs && time <= now) ?? [];
      const isTooMany = earlier.length >= maxCount;
      state.refusedAtMs[index] = isTooMany ? [] : [...earlier, now];
      if (isTooMany) state.blockedUntilMs = now + blockMs;
    }
  }
}
