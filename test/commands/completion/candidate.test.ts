import { describe, expect, it } from 'vitest';
import { listSource, wordsSource } from '../../../src/cli/commands/completion/candidate.ts';

const source = listSource(wordsSource(['@VIP', '@Last, First', '@Flour, white=', '@12" pizza']));
const completionsOf = async (text: string) => {
  const candidates = await source(text);
  return candidates.map(({ value }) => value).filter((value) => value.startsWith(text));
};

describe('completion of a value in a list', () => {
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
  ])('%j: suggests %j', async (text, values) => expect(await completionsOf(text)).toEqual(values));
});
