/** Decides which fault each request gets. The nth request that matches a rule always gets the same. */

import { createHash } from 'node:crypto';
import type { Fault, FaultPlan, FaultRule } from './plan.ts';
import { RateLimit } from './rate-limit.ts';

/** What happens to a request. */
export interface Decision {
  /** How long to wait first, in milliseconds. */
  delay: number;
  /** Headers for the response, whatever it is. */
  headers: Readonly<Record<string, string>>;
  /** The fault; undefined if the request is answered as usual. */
  fault?: Exclude<Fault, { fault: 'latency' | 'rate_limit' }> | { fault: 'over_limit' } | undefined;
}

/** A request, as far as faults depend on it. */
export interface Incoming extends Addressed {
  /** The authorization header; empty without one. */
  token: string;
}

interface ActiveRule {
  rule: FaultRule;
  limit: RateLimit | undefined;
  /** How many requests have matched the rule so far. */
  count: number;
}

/** The faults of one plan. */
export class Faults {
  readonly #seed: number;
  readonly #rules: readonly ActiveRule[];

  constructor({ seed, rules }: FaultPlan) {
    this.#seed = seed;
    this.#rules = rules.map((rule) => ({
      rule,
      limit: rule.fault === 'rate_limit' ? new RateLimit(rule.per_minute) : undefined,
      count: 0,
    }));
  }

  /**
   * Decides what happens to a request. Delays add up; of the other rules, the first that applies decides. Every rule
   * counts all requests that match it, even if another rule applies, so that rules don't influence each other. `now`
   * is the sandbox's time, in milliseconds since 1970.
   */
  decide(request: Incoming, now: number): Decision {
    const decision = {
      delay: 0,
      headers: {} as Record<string, string>,
      fault: undefined as Decision['fault'],
    };
    for (const [index, armed] of this.#rules.entries()) {
      if (!isOnRoute(armed.rule.route, request)) continue;
      armed.count++;
      const { rule, limit, count } = armed;
      if (!this.#applies(rule, index, count)) continue;
      if (rule.fault === 'latency') {
        decision.delay += this.#wait(rule.milliseconds, index, count);
      } else if (limit) {
        const counted = limit.count(request.token, now);
        Object.assign(decision.headers, counted.headers);
        if (counted.isOver) decision.fault ??= { fault: 'over_limit' };
      } else if (rule.fault !== 'rate_limit') {
        decision.fault ??= rule;
      }
    }
    return decision;
  }

  #applies({ probability, nth }: FaultRule, index: number, count: number): boolean {
    if (nth && !nth.includes(count)) return false;
    return probability === 1 || draw(this.#seed, index, count) < probability;
  }

  #wait(milliseconds: number | readonly [number, number], index: number, count: number): number {
    if (typeof milliseconds === 'number') return milliseconds;
    const [least, most] = milliseconds;
    return Math.round(least + draw(this.#seed, index, count, 'wait') * (most - least));
  }
}

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
function draw(...words: readonly (string | number)[]): number {
  const bytes = createHash('sha256').update(words.join(' ')).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

/** A request without the prefix and the query. */
interface Addressed {
  method: string;
  path: string;
}

/** In a route, `*` stands for any method or for one part of a path, and `**` for any number of parts. */
function isOnRoute(route: string, { method, path }: Addressed): boolean {
  const [wantedMethod = '*', wantedPath = '/**'] = route.split(' ');
  return (wantedMethod === '*' || wantedMethod === method) && fits(partsOf(wantedPath), partsOf(path));
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/**
 * A `**` takes as few parts as possible, and one more each time that the rest doesn't match; earlier ones aren't
 * tried again. So the number of steps is at most parts times parts.
 */
function fits(wanted: readonly string[], parts: readonly string[]): boolean {
  let [at, part] = [0, 0];
  let last: { at: number; taken: number } | undefined;
  while (part < parts.length) {
    if (wanted[at] === '**') {
      last = { at, taken: part };
      at += 1;
    } else if (at < wanted.length && isPart(wanted[at], parts[part])) {
      at += 1;
      part += 1;
    } else if (last) {
      last.taken += 1;
      [at, part] = [last.at + 1, last.taken];
    } else {
      return false;
    }
  }
  return wanted.slice(at).every((rest) => rest === '**');
}

function isPart(wanted: string | undefined, part: string | undefined): boolean {
  return wanted === '*' ? part !== '' : wanted === part;
}
