/** Decides what goes wrong with each request. The nth request that a rule is for always meets the same. */

import { createHash } from 'node:crypto';
import type { Fault, FaultPlan, FaultRule } from './plan.ts';
import { RateLimit } from './rate-limit.ts';

export interface Decision {
  /** How long it waits before anything else happens, in milliseconds. */
  delay: number;
  /** What goes with the answer, whatever it is. */
  headers: Readonly<Record<string, string>>;
  /** What goes wrong; undefined where it is answered as usual. */
  fault?: Exclude<Fault, { fault: 'latency' | 'rate_limit' }> | { fault: 'over_limit' } | undefined;
}

export interface Incoming extends Addressed {
  /** The authorization header, or nothing. */
  token: string;
}

interface Armed {
  rule: FaultRule;
  limit: RateLimit | undefined;
  /** How many requests it was for so far. */
  count: number;
}

export class Faults {
  readonly #seed: number;
  readonly #armed: readonly Armed[];

  constructor({ seed, rules }: FaultPlan) {
    this.#seed = seed;
    this.#armed = rules.map((rule) => ({
      rule,
      limit: rule.fault === 'rate_limit' ? new RateLimit(rule.per_minute) : undefined,
      count: 0,
    }));
  }

  /**
   * Waits add up; of all else the first rule that strikes decides. Every rule counts each request that it is for,
   * struck by another or not, so that rules don't shift each other's choices. `now` is the sandbox's time, in
   * milliseconds since 1970.
   */
  decide(request: Incoming, now: number): Decision {
    const decision = {
      delay: 0,
      headers: {} as Record<string, string>,
      fault: undefined as Decision['fault'],
    };
    for (const [index, armed] of this.#armed.entries()) {
      if (!isOnRoute(armed.rule.route, request)) continue;
      armed.count++;
      const { rule, limit, count } = armed;
      if (!this.#strikes(rule, index, count)) continue;
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

  #strikes({ probability, nth }: FaultRule, index: number, count: number): boolean {
    if (nth && !nth.includes(count)) return false;
    return probability === 1 || draw(this.#seed, index, count) < probability;
  }

  #wait(milliseconds: number | readonly [number, number], index: number, count: number): number {
    if (typeof milliseconds === 'number') return milliseconds;
    const [least, most] = milliseconds;
    return Math.round(least + draw(this.#seed, index, count, 'wait') * (most - least));
  }
}

/** From 0 (inclusive) to 1 (exclusive). */
function draw(...words: readonly (string | number)[]): number {
  const bytes = createHash('sha256').update(words.join(' ')).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

/** Without the prefix and the query. */
interface Addressed {
  method: string;
  path: string;
}

/** `*` stands for any method, and in a path for one part; `**` for any number of parts. */
function isOnRoute(route: string, { method, path }: Addressed): boolean {
  const [wantedMethod = '*', wantedPath = '/**'] = route.split(' ');
  return (wantedMethod === '*' || wantedMethod === method) && fits(partsOf(wantedPath), partsOf(path));
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/**
 * A `**` takes as few parts as it can, and one more each time that what stands behind it doesn't fit; those before it
 * are done with. So there are never more steps than parts times parts.
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
