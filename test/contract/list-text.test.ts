import { describe, expect, it } from 'vitest';
import { joinList, lastItem, quoteProblem, splitList } from '../../src/contract/comma-list.ts';
import { fc } from '../harness/fast-check.ts';

describe('list of values in one text', () => {
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
  ])('%j', (text, values) => {
    expect(splitList(text)).toEqual(values);
    expect(quoteProblem(text)).toBeUndefined();
  });

  it.each(['"a', '@"a,b', 'x,"a" b', '"a"b"', '"""', '"a"=2=3"'])('%j has an unclosed quote', (text) => {
    expect(quoteProblem(text)).toContain('unclosed quote');
  });

  it('any values: are parsed back unchanged', () => {
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

  // Comparing each character with all others would never end here.
  it.each([
    ['quotes', '"'.repeat(1_000_001), 1],
    ['blanks', ' '.repeat(1_000_000), 0],
    ['pairs of quotes', `${'""'.repeat(500_000)} x`, 1],
    ['commas', ','.repeat(1_000_000), 0],
  ])('text of a million %s: is split in time', (_, text, count) => {
    expect(splitList(text)).toHaveLength(count);
  });
});

describe('value that is being typed', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['a,', ''],
    ['a,b', 'b'],
    ['a,"b, c', '"b, c'],
    ['@"b, c', '@"b, c'],
    ['"b, c",d', 'd'],
  ])('in %j is %j', (text, expected) => expect(lastItem(text)).toBe(expected));
});
