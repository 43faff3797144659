import { expect, test } from 'vitest';
import { isTooDeep, parseJson } from '../../src/account/client/shape.ts';
import { fc } from '../harness/fast-check.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test('JSON with 100 levels: is parsed; with 101, it is too deep', () => {
  expect(isTooDeep(nested(100))).toBe(false);
  expect(isTooDeep(nested(101))).toBe(true);
  expect(isTooDeep('{"a":'.repeat(101))).toBe(true);
});

test('brackets in strings: are not levels, also after escapes', () => {
  expect(isTooDeep(JSON.stringify('['.repeat(500)))).toBe(false);
  expect(isTooDeep(JSON.stringify(`\\"${'{'.repeat(500)}`))).toBe(false);
  expect(isTooDeep(JSON.stringify({ '[\\': ['\\', '"['.repeat(200)] }))).toBe(false);
});

test('adjacent brackets: are not nested', () => {
  expect(isTooDeep(`[${'[],'.repeat(5000)}{}]`)).toBe(false);
});

test('any flat JSON: is not too deep, with any indentation', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 4 }), (json, indent) => {
      expect(isTooDeep(JSON.stringify(JSON.parse(json), null, indent))).toBe(false);
    }),
  );
});

test('a million levels, and a string of 32 MB: are checked', () => {
  expect(isTooDeep(nested(1_000_000))).toBe(true);
  expect(isTooDeep(JSON.stringify({ name: 'x'.repeat(32 * 1024 * 1024) }))).toBe(false);
});

test.each([
  '12345678901234567890',
  '-9007199254740993',
  '19.999999999999999',
  '0.12345678901234567',
  '12345678.1234567891',
  '1e400',
  '-1E+999',
  '123456789012345678901234567890e-5',
  '1e-400',
  '4.5E-999',
  '-1e-0400',
])('the number %s: keeps its digits', (number) => {
  const value = parseJson(`{"a":[${number},{"b":${number}}],"c":"${number}"}`)?.value;
  expect(JSON.stringify(value)).toBe(`{"a":[${number},{"b":${number}}],"c":"${number}"}`);
  expect(`${(value as { a: unknown[] }).a[0]}`).toBe(number);
});

test.each(['0', '-1.5', '1.50', '9007199254740991', '1000000000000000000', '0.1', '1e3', '2.5E-3'])(
  'the number %s: is a plain number',
  (number) => {
    expect(parseJson(`[${number}]`)?.value).toEqual([Number(number)]);
  },
);

test('any JSON of JSON.stringify: is parsed without changes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(parseJson(text)?.value)).toBe(text);
    }),
  );
});

test('the maximum depth: a value that is nested deeper is not parsed', () => {
  expect(parseJson(nested(100))).toBeDefined();
  expect(parseJson(nested(101))).toBeUndefined();
  expect(parseJson(`{"a":${nested(100)}}`)).toBeUndefined();
  expect(parseJson(`[1e999,${nested(100)}]`)).toBeUndefined();
});

test('a long number: keeps its digits at any position', () => {
  for (let before = 0; before < 40; before++) {
    const json = `{"${'x'.repeat(before)}":12345678.12345678,"b":[1,12345678901234567,2]}`;
    expect(JSON.stringify(parseJson(json)?.value)).toBe(json);
  }
});

test.each([
  ['1e-400', '1e-400'],
  [' 1e-400', '1e-400'],
  ['[\n1e-400]', '[1e-400]'],
  ['{"id":"5e-4000","b":1e-400}', '{"id":"5e-4000","b":1e-400}'],
])('a number that is too small for a double: is kept in %j', (json, expected) => {
  expect(JSON.stringify(parseJson(json)?.value)).toBe(expected);
});

test('any number keeps all its digits', () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,40}$/);
  const fraction = fc.stringMatching(/^\.\d{0,30}[1-9]$/);
  fc.assert(
    fc.property(fc.constantFrom('', '-'), digits, fc.option(fraction, { nil: '' }), (sign, integer, part) => {
      const value = parseJson(`${sign}${integer}${part}`)?.value;
      const formatted = JSON.stringify(value);
      // A shorter notation of the same number is allowed.
      if (typeof value === 'object') expect(formatted).toBe(`${sign}${integer}${part}`);
      else expect(Number(formatted)).toBe(Number(`${sign}${integer}${part}`));
      if (typeof value === 'number' && part === '') expect(BigInt(value)).toBe(BigInt(`${sign}${integer}`));
    }),
  );
});
