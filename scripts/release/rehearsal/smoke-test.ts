/** Runs the smoke suite (smoke.ts) on an installed program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../root.ts';

/**
 * Runs the suite and returns the number of passed steps. Throws with the failed steps. `command` starts the program, and
 * `work` is a folder to which it can write.
 */
export function smokeTest(command: readonly string[], work: string): string {
  mkdirSync(work, { recursive: true });
  // Programs that npm installs start the first Node in PATH, which must be a supported version.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const script = join(root, 'scripts/release/smoke.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [script, '--work', work, '--', ...command], {
    env,
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').filter((line) => /^(ok|FAILED) /.test(line));
  const failedLines = lines.filter((line) => line.startsWith('FAILED'));
  if (lines.length === 0 || failedLines.length > 0) throw new Error(failedLines.join('\n') || stderr);
  return `${lines.length} steps`;
}
