import { describe, expect, test } from 'vitest';
import {
  boolean,
  choice,
  date,
  decimal,
  type Field,
  hour,
  ids,
  integer,
  integers,
  many,
  numericText,
  object,
  objects,
  one,
  ring,
  text,
  timestamp,
  unitName,
  words,
} from '../../src/api/contract/field.ts';
import type { Match } from '../../src/api/contract/filter.ts';
import {
  inputWords,
  listWords,
  parseFilterValue,
  parseValue,
  wordOf,
} from '../../src/api/contract/value-text.ts';
import { fc } from '../harness/fast-check.ts';

const now = new Date('2026-11-20T08:30:00Z');
const status = choice({ draft: 1, 'in use': 2, closed: 3 });
const orderTypes = integers({ 'dine in': 1, pickup: 2 }).allowsOthers();
const itemsWithRequiredQuantity = many('items')
  .pivot({ quantity: decimal().required() })
  .amountField('quantity');
const itemsWithQuantity = many('items').pivot({ quantity: decimal() }).amountField('quantity');
const fieldsOfEveryKind: readonly Field[] = [
  text(),
  integer(),
  decimal(),
  boolean(),
  date(),
  timestamp(),
  numericText(),
  unitName(),
  hour(),
  ids(),
  ring(),
  status,
  orderTypes,
  words(['a']),
  one('tags'),
  many('tags'),
  itemsWithRequiredQuantity,
  object({}),
  objects({}),
];

describe('parseValue', () => {
  test.each<[Field, string, unknown]>([
    [text(), ' unchanged, with "quotes" ', ' unchanged, with "quotes" '],
    [text(), '', ''],
    [one('tags'), 'a,b', 'a,b'],
    [integer(), '966', 966],
    [integer(), '-3', -3],
    [integer(), '+007', 7],
    [integer(), '9007199254740991', 9_007_199_254_740_991],
    [decimal(), '2.5', 2.5],
    [decimal(), '.5', 0.5],
    [decimal(), '-2.', -2],
    [numericText(), '7.50', '7.50'],
    [unitName(), 'kg', 'kg'],
    [unitName(), '3', 3],
    [boolean(), 'true', true],
    [boolean(), 'false', false],
    [date(), '2026-02-28', '2026-02-28'],
    [hour(), '9', 9],
    [hour(), '09:00', 9],
    [status, 'draft', 1],
    [status, 'In-Use', 2],
    [status, 'in_use', 2],
    [status, '3', 3],
    [status, '99', 99],
    [orderTypes, 'dine-in, 2,9', [1, 2, 9]],
    [orderTypes, '', []],
    [words(['a', 'b']), 'a, b,,', ['a', 'b']],
    [ids(), 'x,y', ['x', 'y']],
    [many('tags'), 'x, y', [{ id: 'x' }, { id: 'y' }]],
    [many('tags'), '', []],
    [
      itemsWithRequiredQuantity,
      'x=2.5,y=1',
      [
        { id: 'x', quantity: 2.5 },
        { id: 'y', quantity: 1 },
      ],
    ],
    [itemsWithRequiredQuantity, 'a=b=3', [{ id: 'a=b', quantity: 3 }]],
    [itemsWithQuantity, 'a,b=3', [{ id: 'a' }, { id: 'b', quantity: 3 }]],
    [itemsWithQuantity, '[{"id":"a","code":"x, y"}]', [{ id: 'a', code: 'x, y' }]],
    [itemsWithQuantity, '[]', []],
    [
      ring(),
      '[[1,2],[3,4]]',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [object({}), '{"a":null}', { a: null }],
  ])('$kind: returns the value of "%s"', (field, input, value) => {
    expect(parseValue(field, input)).toEqual({ value });
  });

  test.each<[Field, string, string]>([
    [integer(), '1.5', 'must be a whole number'],
    [integer(), '1e3', 'must be a whole number'],
    [integer(), '', 'must be a whole number'],
    [integer(), '0x10', 'must be a whole number'],
    [integer(), '9007199254740993', 'too large to be sent exactly'],
    [decimal(), '1,5', 'must be a number'],
    [decimal(), 'NaN', 'must be a number'],
    [decimal(), '.', 'must be a number'],
    [decimal(), '9'.repeat(400), 'too large to be sent'],
    [decimal(), '19.999999999999999', "can't be sent exactly: it would become 20"],
    [decimal(), '1e5', 'must be a number'],
    [
      itemsWithRequiredQuantity,
      'a=1.00000000000000001',
      "contains 1.00000000000000001, which can't be sent exactly",
    ],
    [ring(), '[1.00000000000000001]', 'it would become 1'],
    [object({}), '{"a":1,"a":2}', 'the key "a" occurs twice'],
    [numericText(), 'two', 'must be a number'],
    [numericText(), '0x10', 'must be a number'],
    [numericText(), '1e5', 'must be a number'],
    [unitName(), '99999999999999999999', 'too large'],
    [boolean(), 'yes', 'must be true or false'],
    [date(), '2024-02-30', 'must be an existing date'],
    [timestamp(), '2026-11-20 08:30:00', 'set by the service'],
    [hour(), '9:30', 'whole hour'],
    [hour(), 'noon', 'whole hour'],
    [status, 'shut', 'draft (1), in-use (2) or closed (3)'],
    [orderTypes, '1,x', 'must be one of'],
    [itemsWithRequiredQuantity, 'x', 'ID=NUMBER, where the number is the quantity, found "x"'],
    [itemsWithRequiredQuantity, 'x=', 'ID=NUMBER'],
    [itemsWithRequiredQuantity, '=3', 'ID=NUMBER'],
    [itemsWithRequiredQuantity, `x=${'9'.repeat(400)}`, 'too large to be sent'],
    [ring(), '[1,', 'must be JSON'],
  ])('$kind: returns the problem of "%s"', (field, input, problem) => {
    expect(parseValue(field, input)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test("word that a new record can't have: is suggested only for a filter", () => {
    const type = choice({ cash: 1, card: 2, 'gift card': 4 }).creatable(1, 2);
    expect(parseValue(type, 'x').problem).toBe('must be one of cash (1) or card (2)');
    expect(parseFilterValue({ name: 'type', value: type, match: 'equals' }, 'x', now).problem).toContain(
      'gift-card (4)',
    );
    expect(parseFilterValue({ name: 'type', value: type, match: 'equals' }, 'gift-card', now).value).toBe(
      '4',
    );
  });

  test('any text: returns a value that JSON can represent exactly, or one problem', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...fieldsOfEveryKind),
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.-+=,e[]{}"') }), fc.json()),
        (field, input) => {
          const { value, problem } = parseValue(field, input);
          // JSON has no negative zero.
          fc.pre(!/-[.0]/.test(input));
          if (problem === undefined) expect(JSON.parse(JSON.stringify({ value }))).toEqual({ value });
          else expect(problem).toMatch(/\S/);
        },
      ),
    );
  });

  test('safe integer: is returned unchanged', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(parseValue(integer(), `${number}`)).toEqual({ value: number });
      }),
    );
  });

  test('decimal number: is returned unchanged', () => {
    const number = fc.double({ noNaN: true, min: -1e20, max: 1e20 });
    fc.assert(
      fc.property(number, (value) => {
        fc.pre(/^-?[\d.]+$/.test(`${value}`) && value !== 0);
        expect(parseValue(decimal(), `${value}`)).toEqual({ value });
      }),
    );
  });
});

describe('parseFilterValue', () => {
  const parseFilter = (value: Field, input: string, match: Match = 'equals') =>
    parseFilterValue({ name: 'x', value, match }, input, now);

  test.each<[Field, string, string]>([
    [text(), 'Ä & b', 'Ä & b'],
    [status, 'draft, closed', '1,3'],
    [orderTypes, 'pickup,9', '2,9'],
    [timestamp(), '2026-11-20T11:30:00+03:00', '2026-11-20 08:30:00'],
    [timestamp(), '7d', '2026-11-13 08:30:00'],
    [date(), '2026-11-20T01:30:00+03:00', '2026-11-19'],
    [date(), '7d', '2026-11-13'],
    [integer(), '966, 44', '966,44'],
    [one('tags'), 'a,b', 'a,b'],
    [many('tags'), 'a,b', 'a,b'],
  ])('$kind: returns the query value of "%s"', (field, input, value) => {
    expect(parseFilter(field, input)).toEqual({ value });
  });

  test.each(fieldsOfEveryKind.filter(({ kind }) => kind !== 'boolean'))(
    '$kind: refuses empty text',
    (field) => {
      expect(parseFilter(field, '').problem).toMatch(/\S/);
    },
  );

  test('undocumented filter: accepts empty text', () => {
    expect(parseFilter(text(), '', 'unknown')).toEqual({ value: '' });
  });

  test('boolean: accepts true and false, and refuses empty text', () => {
    expect([parseFilter(boolean(), 'true'), parseFilter(boolean(), 'false')]).toEqual([
      { value: true },
      { value: false },
    ]);
    expect(parseFilter(boolean(), '').problem).toMatch(/true or false/);
  });

  test('any text: returns a query value or one problem', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fieldsOfEveryKind), fc.string(), (field, input) => {
        const { value, problem } = parseFilter(field, input);
        expect(problem ?? value).toEqual(expect.any(String));
        expect(problem ?? value).not.toBe('');
      }),
    );
  });
});

describe('words of a field', () => {
  test('inputWords: have hyphens instead of spaces', () => {
    expect(inputWords(status)).toEqual(['draft', 'in-use', 'closed']);
    expect(inputWords(text())).toEqual([]);
  });

  test('wordOf: returns the word of a number', () => {
    expect([1, 2, 7, '1', null].map((value) => wordOf(status, value))).toEqual([
      'draft',
      'in use',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('listWords: returns the words with their numbers', () => {
    expect(listWords(status)).toBe('draft (1), in-use (2) or closed (3)');
    expect(listWords(status, [3])).toBe('closed (3)');
    expect(listWords(status, [])).toBe('');
  });
});
