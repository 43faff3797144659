/** Answers that are kept weigh what they come to as bytes, whatever letters they are written in. */
import { expect, test } from 'vitest';
import { Answers } from '../../../src/sandbox/answers.ts';

const asking = (target: string) => ({ method: 'GET', target, headers: {}, body: '' });

test.each([
  ['letters of one byte', 'a', true],
  ['letters of two bytes', 'م', false],
  ['letters of three bytes', '€', false],
])('of %s as many are kept as 16 MB hold', (_letters, letter, isKept) => {
  const answers = new Answers();
  const answer = { status: 200, headers: {}, body: letter.repeat(5_000_000) };
  answers.keep('1', asking('/a'), answer);
  answers.keep('1', asking('/b'), answer);
  expect(answers.find('1', asking('/b'))).toMatchObject({ status: 200 });
  expect(answers.find('1', asking('/a')) !== undefined).toBe(isKept);
});
