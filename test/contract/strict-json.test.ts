import { describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../src/api/contract/strict-json.ts';
import { fc } from '../harness/fast-check.ts';

describe('parseStrictJson', () => {
  it('valid JSON: returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(parseStrictJson(text)).toEqual({ value: JSON.parse(text) });
      }),
      { examples: [['{"__proto__":{"a":1},"constructor":2}'], ['["a","a",{"a":"a:b"}]'], ['" \\" : {"']] },
    );
  });

  it('__proto__: is an own key', () => {
    const { value } = parseStrictJson('{"__proto__":{"name":"x"}}');
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"name":"x"}}');
  });

  it.each([
    ['{"a":1,"b":2,"a":3}', [{ description: 'the key "a" occurs twice', position: 13 }]],
    ['{"a":1,"\\u0061":2}', [{ description: 'the key "a" occurs twice', position: 7 }]],
    ['{"x":[{"a":1,"a":2}]}', [{ description: 'the key "a" occurs twice', position: 13 }]],
    ['{"__proto__":1,"__proto__":2}', [{ description: 'the key "__proto__" occurs twice', position: 15 }]],
    ['[1.5, 1e999]', [{ description: '1e999 is too large to be sent', position: 6 }]],
    [
      '{"a":19.999999999999999,"a":12345678901234567890}',
      [
        { description: "19.999999999999999 can't be sent exactly: it would become 20", position: 5 },
        { description: 'the key "a" occurs twice', position: 24 },
        {
          description: "12345678901234567890 can't be sent exactly: it would become 12345678901234567000",
          position: 28,
        },
      ],
    ],
  ])('%s: returns its problems', (text, problems) => expect(parseStrictJson(text)).toEqual({ problems }));

  it('1,000,000 nested levels: return one problem', () => {
    const text = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
    expect(parseStrictJson(text)).toEqual({
      problems: [{ description: 'it is nested deeper than 100 levels', position: 100 }],
    });
  });

  it.each(['', '{', '{"a":}', "{'a':1}", '01', '[1,]', 'NaN'])(
    'invalid JSON %j: returns no problems',
    (text) => {
      expect(parseStrictJson(text)).toEqual({ problems: [] });
    },
  );
});
