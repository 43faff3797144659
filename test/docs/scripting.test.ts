/** Runs every command of docs/reference/scripting.md, and checks that the page of failures names every exit code. */
import { describe, expect, it } from 'vitest';
import { exitCodes, Failure, failureRecord } from '../../src/base/errors.ts';
import { readPage, testCommandsOf } from './page-commands.ts';

const page = readPage('reference/scripting.md');

describe('the commands of docs/reference/scripting.md', () => testCommandsOf(page));

it('docs/reference/errors.md: names every exit code and category, and every other key of a failure', () => {
  const errors = readPage('reference/errors.md');
  for (const [category, code] of Object.entries(exitCodes)) {
    expect(errors).toMatch(new RegExp(`^\\| ${code} \\| \`${category}\` \\|`, 'm'));
  }
  const full = new Failure('usage', '', { outcome: 'done', retryAfterSeconds: 1, failures: [] });
  for (const key of Object.keys(failureRecord(full))) expect(errors).toContain(key);
});
