import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { parseExactJson } from '../../src/base/number-text.ts';
import { compileQuery } from '../../src/cli/output/view.ts';

/** Returns the result as JSON, or the category of the failure. */
async function query(json: string, expression: string): Promise<string> {
  try {
    const select = await compileQuery(expression);
    return JSON.stringify(select(parseExactJson(json)));
  } catch (error) {
    if (error instanceof Failure) return `${error.category}: ${error.message}`;
    throw error;
  }
}

const long = '12345678901234567891';
const rows = `[{"n": ${long}, "code": "a"}, {"n": 12345678901234567892, "code": "b"}, {"n": 7, "code": "c"}]`;
const refused = expect.stringMatching(/^usage: --query can't compute exactly with /);

describe('numbers with more digits than a double', () => {
  test.each([
    ['[*].n', `[${long},12345678901234567892,7]`],
    ['[0].{n: n, copies: [n, n]}', `{"n":${long},"copies":[${long},${long}]}`],
    ['[?n > `5`].code', '["a","b","c"]'],
    ['[?n > `1e10`].n', `[${long},12345678901234567892]`],
    ['[?n < `9`].n', '[7]'],
    ['[?n == `12345678901234567000`].code', '[]'],
    ['[?n == $[0].n].code', '["a"]'],
    ['[?n != $[0].n].code', '["b","c"]'],
    ['sort_by(@, &code)[0].n', long],
    ['min_by(@, &n).code', '"c"'],
    ['[2].n', '7'],
    ['length(@)', '3'],
    ['[*].type(n) | [0]', '"number"'],
    ['contains([*].n, `7`)', 'true'],
  ])('%s: keeps all digits', async (expression, result) => {
    expect(await query(rows, expression)).toBe(result);
  });

  test.each([
    'sum([*].n)',
    'avg([*].n)',
    '[0].n + `1`',
    '-[0].n',
    'to_string([0].n)',
    'max([*].n)',
    'sort_by(@, &n)[*].code',
    '[?n > $[0].n].code',
    '[?n >= `12345678901234567000`].code',
    `[?n == \`${long}\`].code`,
    `\`[1, {"a": ${long}}]\``,
  ])('%s: is refused, because the result would be rounded', async (expression) => {
    expect(await query(rows, expression)).toEqual(refused);
  });

  test('that the query ignores: change nothing', async () => {
    expect(await query(rows, 'sum([2:].n)')).toBe('7');
    expect(await query('{"big": 1e999, "tiny": 1e-999, "n": 2}', 'n * `3`')).toBe('6');
    expect(await query('{"big": 1e999, "tiny": 1e-999, "n": 2}', '[big, tiny]')).toBe('[1e999,1e-999]');
    expect(await query('[1e999, 1e998]', 'max(@)')).toEqual(refused);
  });

  test('in fractions: are selected and compared, and not added', async () => {
    const prices = '[19.999999999999999999, 20, 0.1]';
    expect(await query(prices, 'length(@)')).toBe('3');
    expect(await query(prices, '[?@ < `20.5`]')).toBe('[19.999999999999999999,20,0.1]');
    expect(await query(prices, '[?@ == `20`]')).toBe('[20]');
    expect(await query(prices, '[?@ < `20`]')).toEqual(refused);
    expect(await query(prices, 'sum(@)')).toEqual(refused);
    expect(await query('[0.1, 0.25]', 'max(@)')).toBe('0.25');
  });
});

describe('results that a double would round', () => {
  test.each([
    ['[9007199254740991, 2]', 'sum(@)'],
    ['{"n": 9007199254740991}', 'n + `2`'],
    ['["12345678901234567890"]', 'to_number(@[0])'],
    ['["0.12345678901234567890"]', '[?to_number(@) > `0`]'],
  ])('of %s with %s: are refused', async (json, expression) => {
    expect(await query(json, expression)).toEqual(refused);
  });

  test('to_number: converts text that is exact, and returns null for other text', async () => {
    expect(await query('["12.500", "x", "", 3, null, "1e3"]', '[*].to_number(@)')).toBe('[12.5,0,3,1000]');
    expect(await query('["x"]', 'to_number(@[0])')).toBe('null');
  });

  test('large numbers that are exact: are selected', async () => {
    expect(await query('[1e20, 9007199254740992]', '[*]')).toBe('[100000000000000000000,9007199254740992]');
  });
});
