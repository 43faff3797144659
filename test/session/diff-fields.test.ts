import { describe, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import type { Resource } from '../../src/contract/resource.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { users } from '../../src/resources/users.ts';
import { changeState, differenceOf } from '../../src/session/diff/fields.ts';

const fieldsOf = (resource: Resource) => operation(resource, 'update')?.body ?? [];

describe('a comparison with the wanted values', () => {
  test('sends and shows the values that differ, and none that only differs in spelling', () => {
    const record = { id: 's1', name: 'Fresh', phone: '1', tags: [{ id: 'a' }, { id: 'b' }] };
    const wanted = { name: 'Fresh', phone: '2', tags: [{ id: 'b' }, { id: 'a' }] };
    expect(differenceOf(fieldsOf(suppliers), wanted, record)).toEqual({
      body: { phone: '2' },
      changes: { phone: ['1', '2'] },
    });
  });

  test("sends values that the record doesn't show, with an unknown old value", () => {
    const { body, changes } = differenceOf(fieldsOf(suppliers), { phone: '2' }, { id: 's1' });
    expect([body, changes]).toEqual([{ phone: '2' }, { phone: [undefined, '2'] }]);
  });

  test('redacts a secret in the changes, and not in the request', () => {
    const { body, changes } = differenceOf(fieldsOf(users), { pin: '48151' }, { id: 'u1' });
    expect(body).toEqual({ pin: '48151' });
    expect(JSON.stringify(changes)).not.toContain('48151');
  });
});

describe('a planned change of a value', () => {
  const value = (of: number) => ({ value: of });
  const isEqual = (one: number, other: number) => one === other;

  test.each([
    ['is done where the value is as wanted', { now: value(2), before: value(1), wanted: value(2) }, 'done'],
    ['is due where the value is as it was', { now: value(1), before: value(1), wanted: value(2) }, 'due'],
    ['is due where the value is not shown', { now: undefined, before: value(1), wanted: value(2) }, 'due'],
    ['is due where it was not known before', { now: value(3), before: undefined, wanted: value(2) }, 'due'],
    ['meets another change', { now: value(3), before: value(1), wanted: value(2) }, 'changed'],
    [
      'meets one though its own value is unknown',
      { now: value(3), before: value(1), wanted: undefined },
      'changed',
    ],
  ])('%s', (_, values, outcome) => {
    expect(changeState(values, isEqual)).toBe(outcome);
  });
});
