/** What is right at a glance is right: the check that has words for mistakes finds none in it. */
import { describe, expect, it } from 'vitest';
import { operation } from '../../../src/contract/operation.ts';
import { isPlainBody, isPlainlyValid } from '../../../src/contract/plainly-valid.ts';
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

describe('a body that is right at a glance', () => {
  const operations = api.operations.filter(({ body }) => body.length > 0);
  const one = fc.constantFrom(...operations).chain((operation) => {
    const names = fc.constantFrom(...operation.body.map(({ name }) => name), 'id', '__proto__', 'nothing');
    const given = fc.dictionary(names, fc.oneof(fc.constantFrom(...values), anything), { maxKeys: 4 });
    return fc.tuple(fc.constant(operation), given);
  });

  it('is right, whatever the operation', () => {
    let seen = 0;
    const judge = ([operation, given]: [(typeof operations)[number], Record<string, unknown>]) => {
      if (!isPlainBody(operation, given)) return;
      seen++;
      expect(validateBody(operation, given), operation.command).toEqual({});
    };
    fc.assert(fc.property(one, judge), { numRuns: 5000 });
    expect(seen).toBeGreaterThan(100);
  });

  it.each([
    ['suppliers', 'create', { name: 'Fresh Farms', code: 'F-1' }, true],
    ['suppliers', 'create', { code: 'F-1' }, false],
    ['suppliers', 'update', { code: 'F-1' }, true],
    ['suppliers', 'update', { nothing: 'x' }, false],
    ['suppliers', 'update', { name: '' }, false],
    ['customers', 'create', { name: 'Layla', dial_code: 966.5 }, false],
  ])('%s %s %j: %s', (name, verb, given, isPlain) => {
    const found = api.operations.find((it) => it.resource.name === name && it.verb === verb);
    expect(found && isPlainBody(found, given)).toBe(isPlain);
  });
});
