/** Runs a command line in the process of the test, which saves the start of a process, for tests of its output and files. */
import { type RunOptions, runBoh } from './run-boh.ts';
import { isExecutable, type ProcessResult, spawnBoh } from './spawn-boh.ts';

interface LineOptions extends RunOptions {
  env: Record<string, string> & { BOH_CONFIG_DIR: string };
}

/**
 * Runs a command line with the settings of a new process; test/cli/in-process-runs.test.ts compares the two. If a single executable is tested,
 * runs that instead. Use `spawnBoh` and `startBoh` for runs that end, block, or use a terminal or signals.
 */
export async function runLine(
  argv: readonly string[],
  { env, stdin = '' }: LineOptions,
): Promise<Omit<ProcessResult, 'signal'>> {
  if (isExecutable) return spawnBoh(argv, { env, stdin });
  return runBoh(argv, { env: { BOH_HISTORY_BEFORE: 'on', ...env }, stdin });
}
