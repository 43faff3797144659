import { describe, expect, it } from 'vitest';
import { joinList, lastItem, quoteProblem, splitList } from '../../src/api/contract/comma-list.ts';
import { fc } from '../harness/fast-check.ts';

describe('splitList', () => {
  it.each([
    [' a, b ,,c ', ['a', 'b', 'c']],
    [' , ', []],
    ['', []],
    ['a,', ['a']],
    ['"Last, First",VIP', ['Last, First', 'VIP']],
    [' "Last, First" , VIP', ['Last, First', 'VIP']],
    ['@"Last, First",@VIP', ['@Last, First', '@VIP']],
    ['"@Last, First",@VIP', ['@Last, First', '@VIP']],
    ['@"Flour, white"=2.5,b=1', ['@Flour, white=2.5', 'b=1']],
    ['@name:"Flour, white"=2.5', ['@name:Flour, white=2.5']],
    ['"12"" pizza, large"', ['12" pizza, large']],
    ['12" pizza,x', ['12" pizza', 'x']],
    ['a "b, c"', ['a "b', 'c"']],
    ['"", " a "', ['', ' a ']],
    ['"a\nb, c"', ['a\nb, c']],
  ])('%j: returns %j', (text, values) => {
    expect(splitList(text)).toEqual(values);
    expect(quoteProblem(text)).toBeUndefined();
  });

  it.each(['"a', '@"a,b', 'x,"a" b', '"a"b"', '"""', '"a"=2=3"'])(
    '%j: quoteProblem reports an unclosed quote',
    (text) => {
      expect(quoteProblem(text)).toContain('unclosed quote');
    },
  );

  it('any values that joinList joined: are returned unchanged', () => {
    const specialCharacter = fc.constantFrom('"', ',', '@', '=', ' ', '\\', '\n', "'", 'a');
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(specialCharacter).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(value), (values) => {
        expect(splitList(joinList(values))).toEqual(values);
        expect(quoteProblem(joinList(values))).toBeUndefined();
      }),
      { examples: [[['@"']], [['@name:"a"']], [['']], [[' ']], [['"x", y']], [['\u00a0']]] },
    );
  });

  // An algorithm with quadratic time would exceed the time limit.
  it.each([
    ['quotes', '"'.repeat(1_000_001), 1],
    ['blanks', ' '.repeat(1_000_000), 0],
    ['pairs of quotes', `${'""'.repeat(500_000)} x`, 1],
    ['commas', ','.repeat(1_000_000), 0],
  ])('a million %s: are split in time', (_, text, count) => {
    expect(splitList(text)).toHaveLength(count);
  });
});

describe('lastItem', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['a,', ''],
    ['a,b', 'b'],
    ['a,"b, c', '"b, c'],
    ['@"b, c', '@"b, c'],
    ['"b, c",d', 'd'],
  ])('of %j: is %j', (text, expected) => expect(lastItem(text)).toBe(expected));
});
