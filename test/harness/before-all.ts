/** Runs once before all tests: builds the program where it is older than its sources, and clears the environment. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';

export default function beforeAll(): void {
  if (isStale())
    execFileSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] });
  // What the person at this machine has set is no part of the tests.
  for (const name of Object.keys(process.env)) {
    if (/^BOH_|^(NO|FORCE)_COLOR$|^https?_proxy$|^XDG_/i.test(name)) delete process.env[name];
  }
}

function isStale(): boolean {
  if (!existsSync('dist/main.js')) return true;
  const built = statSync('dist/main.js').mtimeMs;
  const sources = ['package.json', ...globSync(['src/**/*.ts', 'scripts/build.ts', 'scripts/release/*'])];
  return sources.some((file) => statSync(file).mtimeMs > built);
}
