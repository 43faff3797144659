import { describe, expect, test } from 'vitest';
import { parseErrorBody } from '../../src/account/client/refusal.ts';
import { fc } from '../harness/fast-check.ts';

const plain = (text: string) => text;
const parseBody = (body: unknown) => parseErrorBody(JSON.stringify(body), plain);

describe('an error body', () => {
  test.each<[string, unknown, object]>([
    [
      'message and errors',
      { message: 'Invalid.', errors: { name: ['Taken.'] } },
      { message: 'Invalid.', fields: { name: ['Taken.'] } },
    ],
    ['an error with a message', { error: { message: 'Invalid.', code: 7 } }, { message: 'Invalid.' }],
    [
      'an error with fields',
      { error: { message: 'Invalid.', errors: { name: 'Taken.' } } },
      { message: 'Invalid.', fields: { name: ['Taken.'] } },
    ],
    [
      'error and error_description',
      { error: 'invalid_request', error_description: 'No name.' },
      { message: 'No name.' },
    ],
    ['error as a string', { error: 'Nope.' }, { message: 'Nope.' }],
    [
      'a list of strings',
      { errors: ['Taken.', 'Too long.'] },
      { message: 'Taken.', fields: { _: ['Taken.', 'Too long.'] } },
    ],
    [
      'a list of objects',
      {
        errors: [
          { field: 'name', message: 'Taken.' },
          { field: 'name', message: 'Too long.' },
          { message: 'Closed.' },
        ],
      },
      { fields: { name: ['Taken.', 'Too long.'], _: ['Closed.'] } },
    ],
    [
      'JSON:API',
      {
        errors: [
          { status: '422', title: 'Invalid', detail: 'Taken.', source: { pointer: '/data/attributes/name' } },
        ],
      },
      { fields: { name: ['Taken.'] } },
    ],
    [
      'problem details',
      { type: 'about:blank', title: 'Invalid.', detail: 'The name is taken.', status: 422 },
      { message: 'The name is taken.' },
    ],
    [
      'problem details with their parameters',
      { title: 'Invalid.', 'invalid-params': [{ name: 'age', reason: 'Too young.' }] },
      { message: 'Invalid.', fields: { age: ['Too young.'] } },
    ],
    [
      'problem details of RFC 9457',
      { title: 'Invalid.', errors: [{ detail: 'Too young.', pointer: '#/customer/age' }] },
      { message: 'Invalid.', fields: { 'customer.age': ['Too young.'] } },
    ],
    [
      'a list of details',
      { detail: [{ loc: ['body', 'name'], msg: 'Taken.' }] },
      { fields: { name: ['Taken.'] } },
    ],
  ])('as %s: its message and fields are read', (_, body, expected) => {
    expect(parseBody(body)).toMatchObject(expected);
  });

  test.each(['', '<html>', 'null', '[]', '"text"', '{', '{"message":7}', '{"errors":7}'])(
    '%s: has no message',
    (body) => {
      expect(parseErrorBody(body, plain)).toMatchObject({ message: '' });
    },
  );

  test('has its secrets redacted', () => {
    const redact = (text: string) => text.replaceAll('s3cret', '…');
    for (const body of [
      { message: 's3cret' },
      { error: { message: 's3cret', errors: { s3cret: ['s3cret'] } } },
      { errors: [{ field: 's3cret', message: 's3cret' }] },
      { title: 's3cret', detail: 's3cret', 'invalid-params': [{ name: 's3cret', reason: 's3cret' }] },
      { error: 's3cret', error_description: 's3cret' },
    ]) {
      expect(JSON.stringify(parseErrorBody(JSON.stringify(body), redact))).not.toContain('s3cret');
    }
  });

  test('of any shape: its message and fields have a limited length', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const { message, fields = {} } = parseErrorBody(body, plain);
        expect(message.length).toBeLessThanOrEqual(500);
        expect(
          Object.values(fields)
            .flat()
            .every((text) => typeof text === 'string'),
        ).toBe(true);
      }),
    );
    const many = Array.from({ length: 1000 }, (_, index) => ({
      field: `f${index}`,
      message: 'x'.repeat(9000),
    }));
    const { fields = {} } = parseBody({ errors: many });
    expect(Object.keys(fields)).toHaveLength(101);
    expect(fields._).toEqual(['and 900 more']);
  });
});
