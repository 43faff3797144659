import { expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';

test.each([
  ['export', 'book.xlsx', 'boh --sandbox export --to book.xlsx'],
  ['tags export', 'tags.csv', 'boh --sandbox tags export --to tags.csv'],
])('boh %s FILE: exits with 2, and suggests --to', async (command, file, fixed) => {
  const result = await runBoh(['--sandbox', ...command.split(' '), file], {});
  expect(result.exitCode).toBe(2);
  expect(failureOf(result)).toMatchObject({
    message: `"${file}" needs --to: boh ${command} has no argument for a file.`,
    hint: `To write it: ${fixed}`,
  });
});
