/** Decides what becomes of each request. The nth request that a rule is for always meets the same fate. */
import { draw } from './draw.ts';
import type { FaultPlan, FaultRule, Misfortune } from './plan.ts';
import { RateLimit } from './rate-limit.ts';

export interface Fate {
  /** How long it waits before anything else happens, in milliseconds. */
  delay: number;
  /** What goes with the answer, whatever it is. */
  headers: Readonly<Record<string, string>>;
  /** What happens to the request; undefined where it is answered as usual. */
  misfortune?: Exclude<Misfortune, { fault: 'latency' | 'rate_limit' }> | { fault: 'over_limit' } | undefined;
}

export interface Incoming {
  method: string;
  /** Without the prefix and the query. */
  path: string;
  /** The authorization header, or nothing. */
  token: string;
}

interface Armed {
  rule: FaultRule;
  pattern: RegExp;
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
      pattern: patternOf(rule.route),
      limit: rule.fault === 'rate_limit' ? new RateLimit(rule.per_minute) : undefined,
      count: 0,
    }));
  }

  /**
   * Waits add up; of all else the first rule that strikes decides. Every rule counts each request that it is for,
   * struck by another or not, so that rules don't shift each other's choices. `now` is the sandbox's time, in
   * milliseconds since 1970.
   */
  decide({ method, path, token }: Incoming, now: number): Fate {
    const fate = {
      delay: 0,
      headers: {} as Record<string, string>,
      misfortune: undefined as Fate['misfortune'],
    };
    for (const [index, armed] of this.#armed.entries()) {
      if (!armed.pattern.test(`${method} ${path}`)) continue;
      armed.count++;
      const { rule, limit, count } = armed;
      if (!this.#strikes(rule, index, count)) continue;
      if (rule.fault === 'latency') {
        fate.delay += this.#wait(rule.milliseconds, index, count);
      } else if (limit) {
        const counted = limit.count(token, now);
        Object.assign(fate.headers, counted.headers);
        if (counted.isOver) fate.misfortune ??= { fault: 'over_limit' };
      } else if (rule.fault !== 'rate_limit') {
        fate.misfortune ??= rule;
      }
    }
    return fate;
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

/** `*` stands for any method, and in a path for one part; `**` for any number of parts. */
function patternOf(route: string): RegExp {
  const [method = '*', path = '/**'] = route.split(' ');
  const parts = path.split('/').slice(1).map(partPattern);
  return new RegExp(`^${method === '*' ? '\\S+' : method} ${parts.join('')}$`);
}

function partPattern(part: string): string {
  if (part === '**') return '(/.*)?';
  return `/${part === '*' ? '[^/]+' : part.replaceAll(/[^\w-]/g, String.raw`\$&`)}`;
}
