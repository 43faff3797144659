import { describe, expect, it } from 'vitest';
import { joinList, lastItem, quoteProblem, splitList } from '../../../src/contract/list-text.ts';
import { fc } from '../../harness/fast-check.ts';

describe('several values in one text', () => {
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

  it.each(['"a', '@"a,b', 'x,"a" b', '"a"b"', '"""', '"a"=2=3"'])(
    '%j has a quote that is not closed',
    (text) => {
      expect(quoteProblem(text)).toContain('quote that is not closed');
    },
  );

  it('can be any, and are the same when they are read back', () => {
    const awkward = fc.constantFrom('"', ',', '@', '=', ' ', '\\', '\n', "'", 'a');
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(awkward).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(value), (values) => {
        expect(splitList(joinList(values))).toEqual(values);
        expect(quoteProblem(joinList(values))).toBeUndefined();
      }),
      { examples: [[['@"']], [['@name:"a"']], [['']], [[' ']], [['"x", y']], [['\u00a0']]] },
    );
  });

  it('are found in time, whatever the text', () => {
    for (const text of [
      '"'.repeat(100_001),
      ' '.repeat(100_000),
      `${'""'.repeat(50_000)} x`,
      ','.repeat(100_000),
    ]) {
      const started = performance.now();
      splitList(text);
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });
});

describe('the value that is being typed', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['a,', ''],
    ['a,b', 'b'],
    ['a,"b, c', '"b, c'],
    ['@"b, c', '@"b, c'],
    ['"b, c",d', 'd'],
  ])('of %j is %j', (text, last) => expect(lastItem(text)).toBe(last));
});
