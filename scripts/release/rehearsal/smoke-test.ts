/** Runs the smoke suite (smoke.ts) on an installed program. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../root.ts';
import { run } from '../artifacts/run.ts';

/** Runs the suite and returns how many steps passed. Throws with the failed steps. `work` is where the program may write. */
export function smokeTest(words: readonly string[], work: string): string {
  mkdirSync(work, { recursive: true });
  // Programs that npm links start the first Node on the path: it must be a supported one.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const script = join(root, 'scripts/release/smoke.ts');
  const output = run(process.execPath, [script, '--work', work, '--', ...words], { env });
  return `${output.trim().split('\n').length} steps`;
}
