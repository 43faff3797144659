/** Runs the smoke suite (smoke.ts) on an installed program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../root.ts';

/** Runs the suite and returns how many steps passed. Throws with the failed steps. `work` is where the program may write. */
export function smokeTest(words: readonly string[], work: string): string {
  mkdirSync(work, { recursive: true });
  // Programs that npm links start the first Node on the path: it must be a supported one.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const script = join(root, 'scripts/release/smoke.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [script, '--work', work, '--', ...words], {
    env,
    encoding: 'utf8',
  });
  const lines = stdout.split('\n').filter((line) => /^(ok|FAILED) /.test(line));
  const failed = lines.filter((line) => line.startsWith('FAILED'));
  if (lines.length === 0 || failed.length > 0) throw new Error(failed.join('\n') || stderr);
  return `${lines.length} steps`;
}
