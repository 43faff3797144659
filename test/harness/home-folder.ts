/** The home folder of a test file, with all files that runs store there. Test files share a process, but not a home. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The folder for settings, sandboxes and other files of runs; a new one for each test file. */
export let home = '';

/** The value for `BOH_CONFIG_DIR`, inside that home. The folder is created when it is first used. */
export let configFolder = '';

export function createHome(): void {
  home = mkdtempSync(join(tmpdir(), 'boh-home-'));
  configFolder = join(home, 'boh');
  shareCompileCache(join(home, '.cache'));
}

export function removeHome(): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

/** Shares the compile cache of V8 between all tests. Other tests test the cache itself. */
export function shareCompileCache(cacheFolder: string): void {
  const shared = join(tmpdir(), 'compiled');
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  const link = join(cacheFolder, 'boh', 'compiled');
  mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
  symlinkSync(shared, link);
}
