import { describe, expect, test } from 'vitest';
import { changeState, differenceOf } from '../../src/account/session/diff/fields.ts';
import { operation } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { users } from '../../src/api/resources/users.ts';

const updateFieldsOf = (resource: Resource) => operation(resource, 'update')?.body ?? [];

describe('differenceOf', () => {
  test('returns only the values that differ: the order of a list is ignored', () => {
    const record = { id: 's1', name: 'Fresh', phone: '1', tags: [{ id: 'a' }, { id: 'b' }] };
    const desired = { name: 'Fresh', phone: '2', tags: [{ id: 'b' }, { id: 'a' }] };
    expect(differenceOf(updateFieldsOf(suppliers), desired, record)).toEqual({
      body: { phone: '2' },
      changes: { phone: ['1', '2'] },
    });
  });

  test('a field that the record does not contain: differs, and its old value is undefined', () => {
    const { body, changes } = differenceOf(updateFieldsOf(suppliers), { phone: '2' }, { id: 's1' });
    expect([body, changes]).toEqual([{ phone: '2' }, { phone: [undefined, '2'] }]);
  });

  test('a secret: is redacted in the changes but not in the body', () => {
    const { body, changes } = differenceOf(updateFieldsOf(users), { pin: '48151' }, { id: 'u1' });
    expect(body).toEqual({ pin: '48151' });
    expect(JSON.stringify(changes)).not.toContain('48151');
  });
});

describe('changeState', () => {
  const value = (number: number) => ({ value: number });
  const isEqual = (a: number, b: number) => a === b;

  test.each([
    [
      'the current value is the desired one',
      { current: value(2), before: value(1), desired: value(2) },
      'done',
    ],
    ['the current value is unchanged', { current: value(1), before: value(1), desired: value(2) }, 'due'],
    ['the current value is unknown', { current: undefined, before: value(1), desired: value(2) }, 'due'],
    ['the earlier value is unknown', { current: value(3), before: undefined, desired: value(2) }, 'due'],
    [
      'another write has changed the value',
      { current: value(3), before: value(1), desired: value(2) },
      'changed',
    ],
    [
      'another write has changed the value, and the desired value is unknown',
      { current: value(3), before: value(1), desired: undefined },
      'changed',
    ],
  ])('%s', (_, values, state) => {
    expect(changeState(values, isEqual)).toBe(state);
  });
});
