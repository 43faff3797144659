/** What is right at a glance is right: the check that has words for mistakes finds none in it. */
import { describe, expect, it } from 'vitest';
import { operation } from '../../../src/contract/operation.ts';
import { isPlainlyValid } from '../../../src/contract/plainly-valid.ts';
import { validateBody } from '../../../src/contract/validate.ts';
import { api } from '../../../src/resources/index.ts';
import { fc } from '../../harness/fast-check.ts';
import { anything, values } from './any-value.ts';

const entries = api.collections.flatMap((resource) => {
  const update = operation(resource, 'update');
  return (update?.body ?? []).map((entry) => ({ update, ...entry }));
});

describe('a value that is right at a glance', () => {
  it('is right, in every field of every resource', () => {
    let seen = 0;
    const judge = ({ update, name, field }: (typeof entries)[number], value: unknown) => {
      if (!update || !isPlainlyValid(field, value)) return;
      seen++;
      expect(validateBody(update, { [name]: value }), `${update.command} ${name}`).toEqual({});
    };
    for (const entry of entries) for (const value of values) judge(entry, value);
    fc.assert(fc.property(fc.constantFrom(...entries), anything, judge), { numRuns: 3000 });
    expect(seen).toBeGreaterThan(1000);
  });
});
