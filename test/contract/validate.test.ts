import { describe, expect, test } from 'vitest';
import { operations } from '../../src/api/contract/operation.ts';
import { validateBody } from '../../src/api/contract/validate.ts';
import { api } from '../../src/api/resources/index.ts';
import { fc } from '../harness/fast-check.ts';
import { jars, shelves, toyOperation } from './toy.ts';

const create = toyOperation(jars, 'create');
const validBody = { code: 'J-1', shelf_id: 's1' };
const hourMessage = 'must be a whole hour from 0 to 24, or a time of day such as "09:30"';
const ring = [
  [46.5, 24.5],
  [46.6, 24.5],
  [46.6, 24.6],
  [46.5, 24.5],
];

test('validateBody: a valid body has no problems', () => {
  expect(validateBody(create, validBody)).toEqual({});
  expect(
    validateBody(create, {
      ...validBody,
      name: '',
      code: null,
      filled: 0,
      price: -2.5,
      weight: '2.5',
      unit: 'kg',
      is_open: false,
      made_on: '2024-02-29',
      seen_at: '2024-02-29 08:30:00',
      state: 2,
      opens: 24,
      colors: ['red', 'blue'],
      sizes: [1, 3],
      outline: ring,
      shelves: [{ id: 'a' }],
    }),
  ).toEqual({});
});

describe('validateBody with one field', () => {
  test.each<[string, unknown, string]>([
    ['name', 7, 'must be text'],
    ['name', null, "can't be cleared"],
    ['code', '', 'must not be empty'],
    ['code', undefined, 'is required'],
    ['shelf_id', '', 'must be an ID, not empty'],
    ['shelf_id', { id: 's1' }, 'must be an ID'],
    ['filled', '50', 'must be a whole number'],
    ['filled', 1.5, 'must be a whole number'],
    ['filled', 101, 'must be from 0 to 100'],
    ['filled', -1, 'must be from 0 to 100'],
    ['price', '2.5', 'must be a number'],
    ['price', Number.NaN, 'must be a number'],
    ['price', Number.POSITIVE_INFINITY, 'must be a number'],
    ['weight', 2.5, 'must be a number in quotes, such as "2.5"'],
    ['weight', '-1', 'must be a number 0 or more'],
    ['weight', '1 ', 'must be a number 0 or more'],
    ['weight', '0x10', 'must be a number 0 or more'],
    ['weight', '1e5', 'must be a number 0 or more'],
    ['weight', '', 'must be a number 0 or more'],
    ['unit', '', 'must be the name or the number of a unit'],
    ['unit', 1.5, 'must be the name or the number of a unit'],
    ['unit', {}, 'must be the name or the number of a unit'],
    ['is_open', 1, 'must be true or false'],
    ['made_on', '2024-02-30', 'must be a date in the form YYYY-MM-DD'],
    ['seen_at', '2024-02-29', 'must be a time in UTC in the form YYYY-MM-DD HH:MM:SS'],
    ['state', 3, 'must be one of full (1) or empty (2)'],
    ['state', 1.5, 'must be one of full (1) or empty (2)'],
    ['state', '1', 'must be one of full (1) or empty (2)'],
    ['opens', 25, hourMessage],
    ['opens', -1, hourMessage],
    ['opens', 9.5, hourMessage],
    ['opens', '', hourMessage],
    ['opens', [], hourMessage],
    ['opens', '24:01', hourMessage],
    ['opens', 'noon', hourMessage],
    ['colors', 'red', 'must be a list'],
    ['outline', 'x', 'must be a closed ring of [longitude, latitude] pairs, or a single pair'],
    ['outline', [], 'must have at least four pairs, the last the same as the first'],
    ['outline', [[1, 2]], 'must have at least four pairs, the last the same as the first'],
    ['outline', [181, 0], 'has a longitude outside -180 to 180: 181'],
    ['outline', [0, -91], 'has a latitude outside -90 to 90: -91'],
    ['outline', [...ring.slice(0, 3), [46.5, 24.6]], 'must be closed: the last pair must repeat the first'],
    ['outline', [...ring, [1]], 'must contain pairs of numbers: item 5 is not [longitude, latitude]'],
    ['outline', [Number.NaN, 0], 'must contain pairs of numbers: item 1 is not [longitude, latitude]'],
    ['shelves', 'a', 'must be a list'],
  ])('%s: %j: %s', (name, value, message) => {
    expect(validateBody(create, { ...validBody, [name]: value })).toEqual({ [name]: [message] });
  });

  test.each<[string, unknown, string, string]>([
    ['colors', ['red', ''], 'colors.1', 'must be a word'],
    ['colors', [7], 'colors.0', 'must be a word'],
    ['sizes', [1, 'x'], 'sizes.1', 'must be one of small (1) or large (2)'],
    ['sizes', ['small'], 'sizes.0', 'must be one of small (1) or large (2); did you mean 1?'],
    ['shelves', ['a'], 'shelves.0', 'must be objects with an ID'],
    ['shelves', [{}], 'shelves.0.id', 'is required'],
    ['shelves', [{ id: 'a', lid: 1 }], 'shelves.0.lid', "isn't allowed here"],
  ])('%s: %j: the problem is at %s', (name, value, path, message) => {
    expect(validateBody(create, { ...validBody, [name]: value })).toEqual({ [path]: [message] });
  });

  test('links with a number: it is required and within its bounds', () => {
    const shelf = toyOperation(shelves, 'create');
    expect(validateBody(shelf, { name: 'N', jars: [{ id: 'a', quantity: 0 }] })).toEqual({});
    expect(validateBody(shelf, { name: 'N', jars: [{ id: 'a' }, { id: 'b', quantity: -1 }, 7] })).toEqual({
      'jars.0.quantity': ['is required'],
      'jars.1.quantity': ['must be 0 or more'],
      'jars.2': ['must be objects with an ID and a quantity'],
    });
  });
});

test('validateBody: all violations are reported at once, also unknown and read-only fields', () => {
  expect(validateBody(create, { filled: 101, id: '7', lid: 1, made_on: 'today' })).toEqual({
    code: ['is required'],
    shelf_id: ['is required'],
    filled: ['must be from 0 to 100'],
    made_on: ['must be a date in the form YYYY-MM-DD'],
    id: ["can't be set by create"],
    lid: ['is not a field of jars'],
  });
});

test("validateBody of an update: requires no field, and allows values that a new record can't have", () => {
  const update = toyOperation(jars, 'update');
  expect(validateBody(update, {})).toEqual({});
  expect(validateBody(update, { state: 3 })).toEqual({});
  expect(validateBody(update, { code: 'x' })).toEqual({ code: ["can't be set by update"] });
});

test('validateBody with a conditional limit: applies it if the other field has its value', () => {
  const filledProblems = (changes: object) => validateBody(create, { ...validBody, ...changes }).filled;
  expect(filledProblems({ filled: 100, state: 1 })).toEqual([
    'must be more than 0 and less than 100 where state is full or broken',
  ]);
  expect(filledProblems({ filled: 99, state: 1 })).toBeUndefined();
  expect(filledProblems({ filled: 1, state: 2, name: 7 })).toEqual([
    'must be from 0 to 0 where state is empty',
  ]);
  expect(filledProblems({ filled: 100 })).toBeUndefined();
});

test('validateBody: names of Object.prototype are unknown fields', () => {
  const body = JSON.parse('{"code":"J-1","shelf_id":"s1","__proto__":{"x":1},"constructor":1,"toString":2}');
  const unknownFields = ['__proto__', 'constructor', 'toString'].map((name) => [
    name,
    ['is not a field of jars'],
  ]);
  expect(Object.entries(validateBody(create, body)).toSorted()).toEqual(unknownFields.toSorted());
});

test('validateBody: a body that is not an object is refused', () => {
  for (const body of [null, [], 'x', 7, true]) {
    expect(Object.keys(validateBody(create, body as never))).toEqual(['_']);
  }
});

describe('validateBody with any value', () => {
  const writes = new Map(
    api.collections
      .flatMap(operations)
      .filter(({ body }) => body.length > 0)
      .map((write) => [`${write.resource.name} ${write.verb}`, write]),
  );
  const anyWrite = fc.constantFrom(...writes.keys());

  test('returns messages and never throws', () => {
    fc.assert(
      fc.property(anyWrite, fc.jsonValue(), (name, body) => {
        const messages = validateBody(writes.get(name) ?? create, body as never);
        for (const message of Object.values(messages).flat()) expect(message).toMatch(/\S/);
      }),
    );
  });

  test('each field of each operation: has a message of boh and not of zod', () => {
    const values = fc.infiniteStream(fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(anyWrite, values, (name, changes) => {
        const write = writes.get(name) ?? create;
        const names = write.body.map((entry) => entry.name);
        const body = Object.fromEntries(names.map((field) => [field, changes.next().value]));
        for (const [path, messages] of Object.entries(validateBody(write, body))) {
          expect(names).toContain(path.split('.')[0]);
          for (const message of messages) expect(message).not.toMatch(/Invalid|Too (big|small)/);
        }
      }),
    );
  });

  test('body with 100,000 levels: is validated', () => {
    let nested: unknown = [];
    for (let level = 0; level < 100_000; level++) nested = [nested];
    expect(Object.keys(validateBody(create, { ...validBody, outline: nested, name: nested }))).toEqual([
      'name',
      'outline',
    ]);
  });
});
