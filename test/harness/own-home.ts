/** What a file of tests has for itself though it shares its process with others: a home, with all that a run keeps in it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Settings, sandboxes and whatever else a run keeps; another one for each file of tests. */
export let home = '';

/** For `BOH_CONFIG_DIR`, in that home: what a run in the test's own process keeps stays there. Not made before it is used. */
export let configFolder = '';

export function makeHome(): void {
  home = mkdtempSync(join(tmpdir(), 'boh-home-'));
  configFolder = join(home, 'boh');
  shareCompiled(join(home, '.cache'));
}

export function removeHome(): void {
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

/** Below a folder for caches: what V8 compiles of the program is kept once for all tests. It is tested by itself. */
export function shareCompiled(caches: string): void {
  const shared = join(tmpdir(), 'compiled');
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  const own = join(caches, 'boh', 'compiled');
  mkdirSync(dirname(own), { recursive: true, mode: 0o700 });
  symlinkSync(shared, own);
}
