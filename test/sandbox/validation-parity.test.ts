/** Tests that the validations of the client and of the sandbox, which share no code, refuse the same values. */
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/operation.ts';
import { validateBody } from '../../src/api/contract/validate.ts';
import { api } from '../../src/api/resources/index.ts';
import { bodyProblems } from '../../src/sandbox/validation/body.ts';
import { anything, values } from '../contract/any-value.ts';
import { fc } from '../harness/fast-check.ts';

const writes = api.collections.flatMap(operations).filter(({ body }) => body.length > 0);

/** Returns whether a value has more digits than the sandbox can store: only the sandbox refuses it. */
function isTooPrecise(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTooPrecise);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isTooPrecise);
  return typeof value === 'number'
    ? Math.abs(value) > Number.MAX_SAFE_INTEGER
    : typeof value === 'string' && /\d{16}/.test(value);
}

/** Returns whether a value contains an empty ID: the sandbox refuses it later, when it finds no record with it. */
function hasEmptyId(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasEmptyId);
  return value === '' || (typeof value === 'object' && value !== null && 'id' in value && value.id === '');
}

describe('the client and the sandbox', () => {
  it.each(writes.map((write) => [write.command, write] as const))(
    '%s: refuse the same values',
    (_, write) => {
      const names = write.body.map(({ name }) => name);
      const refusedFields = (messages: object) =>
        [...new Set(Object.keys(messages).map((path) => path.split('.')[0] ?? ''))].sort();
      const isAccepted = (name: string, value: unknown) =>
        !isTooPrecise(value) &&
        !hasEmptyId(value) &&
        !refusedFields(validateBody(write, { [name]: value })).includes(name);
      const validBody = Object.fromEntries(
        names.map((name) => [name, values.findLast((value) => isAccepted(name, value))]),
      );
      const expectSameRefusals = (name: string, value: unknown): void => {
        if (isTooPrecise(value) || hasEmptyId(value)) return;
        const body = { ...validBody, [name]: value };
        const [clientMessages, sandboxMessages] = [
          validateBody(write, body),
          bodyProblems(write, body, { 'wire.values': 'any' }).byField,
        ];
        expect([name, value, refusedFields(sandboxMessages)]).toEqual([
          name,
          value,
          refusedFields(clientMessages),
        ]);
      };
      for (const name of names) for (const value of values) expectSameRefusals(name, value);
      fc.assert(fc.property(fc.constantFrom(...names), anything, expectSameRefusals));
    },
  );
});
