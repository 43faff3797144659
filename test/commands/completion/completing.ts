/** What Tab is offered for a line, as fish asks for it. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { home } from '../../harness/own-home.ts';
import { runBoh } from '../../harness/run-boh.ts';

/** Several files of tests use this module: what it makes is the one's that runs. */
const newFolder = () => mkdtempSync(join(home, 'completing-'));

/** The candidates for a line whose last word is at the cursor; nothing may ever come on stderr. */
export async function complete(line: string, env: Record<string, string> = {}): Promise<string[]> {
  return (await completeWithMeanings(line, env)).map((text) => text.split('\t')[0] ?? '');
}

export async function completeWithMeanings(
  line: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  const words = line.split(' ');
  const current = words.pop() ?? '';
  const ran = await runBoh(['__complete', 'fish', `=${current}`, ...words], {
    // Other tests may keep the machine busy: how quick it has to be is tested by itself.
    env: { BOH_CONFIG_DIR: newFolder(), BOH_COMPLETION_PATIENCE: '600000', ...env },
  });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  return ran.stdout.split('\n').filter(Boolean);
}
