/** Completes command lines as fish does. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { home } from '../../harness/home-folder.ts';
import { runBoh } from '../../harness/run-boh.ts';

/** Creates a folder in the home folder of the test file that is running. */
const newFolder = () => mkdtempSync(join(home, 'completing-'));

/** Returns the candidates for the last word of a line, without descriptions. Expects an empty stderr. */
export async function complete(line: string, env: Record<string, string> = {}): Promise<string[]> {
  return (await completeWithDescriptions(line, env)).map((text) => text.split('\t')[0] ?? '');
}

/** Returns the candidates with their descriptions, separated by a tab. */
export async function completeWithDescriptions(
  line: string,
  env: Record<string, string> = {},
): Promise<string[]> {
  const words = line.split(' ');
  const current = words.pop() ?? '';
  const result = await runBoh(['__complete', 'fish', `=${current}`, ...words], {
    // Other tests can keep the machine busy. A separate test checks the time limit.
    env: { BOH_CONFIG_DIR: newFolder(), BOH_COMPLETION_PATIENCE: '600000', ...env },
  });
  expect([result.exitCode, result.stderr]).toEqual([0, '']);
  return result.stdout.split('\n').filter(Boolean);
}
