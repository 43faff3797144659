/** Decides which fault each request gets. The decision about the nth request that matches a rule is always the same. */
import { createHash } from 'node:crypto';
import type { Database } from '../../base/storage/database.ts';
import { randomId } from '../context.ts';
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import { isObject, isString, readStoredValue, writeStoredValue } from '../store/rows.ts';
import { RateLimit } from './limits.ts';
import type { FaultPlan, FaultRule } from './plan.ts';

/** The decision about a request. */
export interface FaultDecision {
  /** The delay before the response, in milliseconds. */
  delayMs: number;
  /** Headers to add to the response, with or without a fault. */
  headers: Readonly<Record<string, string>>;
  /** The fault; undefined if the request is handled normally. */
  fault?: Exclude<FaultRule, { fault: 'latency' | 'rate_limit' }> | { fault: 'over_limit' } | undefined;
}

/** The properties of a request that faults depend on. */
export interface FaultInput extends MethodAndPath {
  /** The authorization header; empty without one. */
  token: string;
}

interface ActiveRule {
  rule: FaultRule;
  rateLimit: RateLimit | undefined;
  /** How many requests have matched the rule so far. */
  count: number;
}

export class Faults {
  readonly #seed: number;
  readonly #rules: readonly ActiveRule[];

  constructor({ seed, rules }: FaultPlan) {
    this.#seed = seed;
    this.#rules = rules.map((rule) => ({
      rule,
      rateLimit: rule.fault === 'rate_limit' ? new RateLimit(rule.per_minute) : undefined,
      count: 0,
    }));
  }

  /**
   * Returns the decision about a request. All delays are added; of the other rules, the first that applies is used.
   * Every rule counts all requests that match it, even if another rule applies, so that rules are independent. `now`
   * is the sandbox's time, in milliseconds since 1970.
   */
  decide(request: FaultInput, now: number): FaultDecision {
    const decision = {
      delayMs: 0,
      headers: {} as Record<string, string>,
      fault: undefined as FaultDecision['fault'],
    };
    for (const [index, active] of this.#rules.entries()) {
      if (!isOnRoute(active.rule.route, request)) continue;
      active.count++;
      const { rule, rateLimit, count } = active;
      if (!this.#isTriggered(rule, index, count)) continue;
      if (rule.fault === 'latency') {
        decision.delayMs += this.#delayOf(rule.milliseconds, index, count);
      } else if (rateLimit) {
        const result = rateLimit.countRequest(request.token, now);
        Object.assign(decision.headers, result.headers);
        if (result.isOverLimit) decision.fault ??= { fault: 'over_limit' };
      } else if (rule.fault !== 'rate_limit') {
        decision.fault ??= rule;
      }
    }
    return decision;
  }

  #isTriggered({ probability, nth }: FaultRule, index: number, count: number): boolean {
    if (nth && !nth.includes(count)) return false;
    return probability === 1 || randomFraction(this.#seed, index, count) < probability;
  }

  #delayOf(milliseconds: number | readonly [number, number], index: number, count: number): number {
    if (typeof milliseconds === 'number') return milliseconds;
    const [minimum, maximum] = milliseconds;
    return Math.round(minimum + randomFraction(this.#seed, index, count, 'wait') * (maximum - minimum));
  }
}

/** Returns a pseudorandom number from 0 (inclusive) to 1 (exclusive); the same inputs give the same number. */
function randomFraction(...inputs: readonly (string | number)[]): number {
  const bytes = createHash('sha256').update(inputs.join(' ')).digest();
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

/** The method of a request, and its path without the prefix and the query. */
interface MethodAndPath {
  method: string;
  path: string;
}

/** Returns whether a request matches a route: `*` is any method or one part of a path, `**` is any number of parts. */
export function isOnRoute(route: string, { method, path }: MethodAndPath): boolean {
  const [methodPattern = '*', pathPattern = '/**'] = route.split(' ');
  return (
    (methodPattern === '*' || methodPattern === method) && matchesPath(partsOf(pathPattern), partsOf(path))
  );
}

/** Returns the path of a target without its query and the prefix of the API. */
export function pathWithoutPrefix(target: string, prefix: string): string {
  const [path = ''] = target.split('?', 1);
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/**
 * Matches a path to a pattern. Each `**` first matches as few parts as possible. If the rest doesn't match, only the
 * last `**` takes one more part, so that the number of steps is at most the square of the number of parts.
 */
function matchesPath(pattern: readonly string[], parts: readonly string[]): boolean {
  let [patternIndex, partIndex] = [0, 0];
  let lastWildcard: { patternIndex: number; partIndex: number } | undefined;
  while (partIndex < parts.length) {
    if (pattern[patternIndex] === '**') {
      lastWildcard = { patternIndex, partIndex };
      patternIndex += 1;
    } else if (patternIndex < pattern.length && matchesPart(pattern[patternIndex], parts[partIndex])) {
      patternIndex += 1;
      partIndex += 1;
    } else if (lastWildcard) {
      lastWildcard.partIndex += 1;
      [patternIndex, partIndex] = [lastWildcard.patternIndex + 1, lastWildcard.partIndex];
    } else {
      return false;
    }
  }
  return pattern.slice(patternIndex).every((segment) => segment === '**');
}

function matchesPart(pattern: string | undefined, part: string | undefined): boolean {
  return pattern === '*' ? part !== '' : pattern === part;
}

/** The response to a request, and the part of it that is sent. */
export interface Delivery {
  response: ServiceResponse;
  /** With `none`, the connection is closed without a response; with `half`, in the middle of the body. */
  sentPart: 'whole' | 'half' | 'none';
}

/** Handles the request and commits its changes. */
type RequestHandler = () => Promise<ServiceResponse>;

/** Applies the decision about a request and returns its response. */
export async function deliver({ fault, headers }: FaultDecision, handle: RequestHandler): Promise<Delivery> {
  const { response, sentPart } = await applyFault(fault, handle);
  return { response: { ...response, headers: { ...headers, ...response.headers } }, sentPart };
}

async function applyFault(fault: FaultDecision['fault'], handle: RequestHandler): Promise<Delivery> {
  if (fault === undefined) return { response: await handle(), sentPart: 'whole' };
  if (fault.fault === 'half_body') return { response: await handle(), sentPart: 'half' };
  if (fault.fault === 'over_limit') return { response: tooManyRequests, sentPart: 'whole' };
  if (fault.after_commit) await handle();
  switch (fault.fault) {
    case 'reset':
      return { response: { status: 0, headers: {}, body: '' }, sentPart: 'none' };
    case 'html':
      return { response: htmlResponse(fault.status), sentPart: 'whole' };
    case 'status':
      return { response: statusResponse(fault.status, fault.retry_after), sentPart: 'whole' };
  }
}

const tooManyRequests = jsonResponse(429, { message: 'Too Many Attempts.' });

/** Returns a response with the status. A 429 has the headers of a rate limit, like those of the service. */
function statusResponse(
  status: number,
  retryAfterSetting: string | number | null | undefined,
): ServiceResponse {
  const isRateLimit = status === 429;
  const retryAfterHeader = retryAfterSetting === undefined && isRateLimit ? 1 : retryAfterSetting;
  return jsonResponse(
    status,
    { message: isRateLimit ? 'Too Many Attempts.' : 'Simulated error of the sandbox.' },
    {
      ...(retryAfterHeader !== undefined &&
        retryAfterHeader !== null && { 'retry-after': String(retryAfterHeader) }),
      ...(isRateLimit && { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0' }),
    },
  );
}

function htmlResponse(status: number): ServiceResponse {
  const body = '<!doctype html>\n<title>Please wait</title>\n<h1>The service is being maintained</h1>\n';
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

const storedName = 'faults';

interface StoredFaultPlan {
  /** A random ID, so that storing the same plan again restarts it. */
  setting: string;
  plan: FaultPlan;
}

export function storeFaultPlan(database: Database, plan: FaultPlan): void {
  const storedPlan: StoredFaultPlan = { setting: randomId(), plan };
  writeStoredValue(database, storedName, storedPlan);
}

export function clearFaultPlan(database: Database): void {
  database.run('DELETE FROM sandbox_facts WHERE name = ?', storedName);
}

/** Returns the stored plan; undefined if there is none. */
export function readFaultPlan(database: Database): FaultPlan | undefined {
  return readStoredValue(database, storedName, isStoredFaultPlan)?.plan;
}

/**
 * Returns a function that returns the faults for the next request, or undefined without a plan. It reads the plan
 * only if the file's version has changed.
 */
export function createFaultReader(database: Database): (version: string) => Faults | undefined {
  let lastVersion: string | undefined;
  let lastSetting: string | undefined;
  let faults: Faults | undefined;
  return (version) => {
    if (version === lastVersion) return faults;
    const stored = readStoredValue(database, storedName, isStoredFaultPlan);
    if (stored?.setting !== lastSetting) faults = stored && new Faults(stored.plan);
    [lastVersion, lastSetting] = [version, stored?.setting];
    return faults;
  };
}

/** Checks the properties that decisions depend on. The whole plan was validated before it was stored. */
function isStoredFaultPlan(value: unknown): value is StoredFaultPlan {
  return (
    isObject(value) && isString(value.setting) && isObject(value.plan) && Array.isArray(value.plan.rules)
  );
}
