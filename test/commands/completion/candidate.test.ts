import { describe, expect, it } from 'vitest';
import { listSource, wordsSource } from '../../../src/commands/completion/candidate.ts';

const source = listSource(wordsSource(['@VIP', '@Last, First', '@Flour, white=', '@12" pizza']));
const completionsOf = async (typed: string) => {
  const found = await source(typed);
  return found.map(({ value }) => value).filter((value) => value.startsWith(typed));
};

describe('a value in a list', () => {
  it.each([
    ['', ['@VIP', '"@Last, First"', '"@Flour, white"=', '@12" pizza']],
    ['@', ['@VIP', '@12" pizza']],
    ['@"L', ['@"Last, First"']],
    ['"@L', ['"@Last, First"']],
    ['@"Flour, w', ['@"Flour, white"=']],
    ['@"Last, First",@', ['@"Last, First",@VIP', '@"Last, First",@12" pizza']],
    ['@VIP,@"La', ['@VIP,@"Last, First"']],
    ['@"12"" p', ['@"12"" pizza"']],
    ['@VIP,@V', []],
  ])('%s', async (typed, values) => expect(await completionsOf(typed)).toEqual(values));
});
