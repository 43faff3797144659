/** Runs a line of which a test looks at the answer, or at what it leaves behind: in the test's own process, which starts at once. */
import { type RunOptions, runBoh } from './run-boh.ts';
import { type Ended, isExecutable, spawnBoh } from './spawn-boh.ts';

interface LineOptions extends RunOptions {
  env: Record<string, string> & { BOH_CONFIG_DIR: string };
}

/**
 * As a process does it, with the settings of a process; test/cli/both-ways.test.ts holds the two together. Where a single
 * executable is tested, it runs the line. What ends, blocks or takes a terminal or signals is for `spawnBoh` and `startBoh`.
 */
export async function runLine(
  argv: readonly string[],
  { env, stdin = '' }: LineOptions,
): Promise<Omit<Ended, 'signal'>> {
  if (isExecutable) return spawnBoh(argv, { env, stdin });
  return runBoh(argv, { env: { BOH_HISTORY_BEFORE: 'on', ...env }, stdin });
}
