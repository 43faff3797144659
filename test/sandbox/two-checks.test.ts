/** The client's validation and the sandbox's share no code: what either refuses must be refused by the other. */
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/contract/operation.ts';
import { validateBody } from '../../src/contract/validate.ts';
import { api } from '../../src/resources/index.ts';
import { bodyProblems } from '../../src/sandbox/validation/body.ts';
import { anything, values } from '../contract/any-value.ts';
import { fc } from '../harness/fast-check.ts';

const writes = api.collections.flatMap(operations).filter(({ body }) => body.length > 0);

/** The sandbox is stricter on purpose for values with more digits than it can store. */
function isTooPrecise(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTooPrecise);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isTooPrecise);
  return typeof value === 'number'
    ? Math.abs(value) > Number.MAX_SAFE_INTEGER
    : typeof value === 'string' && /\d{16}/.test(value);
}

/** An empty ID names no record, which the sandbox reports when it looks for it. */
function holdsNoId(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsNoId);
  return value === '' || (typeof value === 'object' && value !== null && 'id' in value && value.id === '');
}

describe('a value that either the client or the sandbox refuses is refused by both', () => {
  it.each(writes.map((write) => [write.command, write] as const))('%s', (_, write) => {
    const names = write.body.map(({ name }) => name);
    const refusedIn = (messages: object) =>
      [...new Set(Object.keys(messages).map((path) => path.split('.')[0] ?? ''))].sort();
    const fits = (name: string, value: unknown) =>
      !isTooPrecise(value) &&
      !holdsNoId(value) &&
      !refusedIn(validateBody(write, { [name]: value })).includes(name);
    const whole = Object.fromEntries(names.map((name) => [name, values.findLast((it) => fits(name, it))]));
    const same = (name: string, value: unknown): void => {
      if (isTooPrecise(value) || holdsNoId(value)) return;
      const body = { ...whole, [name]: value };
      const [here, there] = [validateBody(write, body), bodyProblems(write, body).byField];
      expect([name, value, refusedIn(there)]).toEqual([name, value, refusedIn(here)]);
    };
    for (const name of names) for (const value of values) same(name, value);
    fc.assert(fc.property(fc.constantFrom(...names), anything, same));
  });
});
