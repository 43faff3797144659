/** Builds the npm package. */
import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';
import { releaseVersion } from '../release-settings.ts';
import { run } from './run.ts';

/** Packs the checkout, which must be built. Returns the name of the file. */
export function createNpmPackage(out: string): string {
  const name = `boh-${releaseVersion()}.tgz`;
  normalizeModes();
  const work = mkdtempSync(join(out, 'pack-'));
  try {
    const output = run('npm', ['pack', '--silent', '--offline', `--pack-destination=${work}`], { cwd: root });
    renameSync(join(work, output.trim().split('\n').at(-1) ?? ''), join(out, name));
  } finally {
    rmSync(work, { recursive: true });
  }
  return name;
}

/** Sets the file modes that git stores: npm packs the modes on disk, which depend on the umask of the checkout. */
function normalizeModes(): void {
  const entries = run('git', ['ls-files', '--stage', '-z'], { cwd: root }).split('\0').filter(Boolean);
  for (const line of entries) {
    const [mode, file = ''] = [line.slice(0, 6), line.split('\t')[1]];
    if (mode !== '120000') chmodSync(join(root, file), mode === '100755' ? 0o755 : 0o644);
  }
}
