/** `npm run check`: runs all static checks at the same time and prints the output of those that fail. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { missingLibraries } from './missing-libraries.ts';
import { root } from './root.ts';

/** Commands are found in node_modules/.bin, because npm puts it first in PATH. */
const steps = [
  { name: 'types', command: 'tsc --noEmit --project .' },
  { name: 'lint and format', command: 'biome ci --colors=off .' },
  { name: 'import rules', command: 'node scripts/check-imports.ts' },
  { name: 'project rules', command: 'node scripts/check-sources.ts' },
  { name: 'lock file', command: 'npm ci --dry-run --ignore-scripts --offline' },
  { name: 'reference is up to date', command: 'node scripts/reference.ts --check' },
].filter(({ command }) => !command.startsWith('node ') || existsSync(command.split(' ')[1] ?? ''));

const missingNames = missingLibraries();
if (missingNames.length > 0) {
  process.stdout.write(
    `These libraries are not installed in the version of package-lock.json: ${missingNames.join(', ')}.\n`,
  );
  process.stdout.write('The checks need them. Run: npm ci\n');
  process.exit(1);
}

const results = await Promise.all(steps.map(run));
const failedSteps = results.filter(({ isOk }) => !isOk);
for (const { name, output } of failedSteps) process.stdout.write(`\n--- ${name}\n${output.trim()}\n`);
process.exitCode = failedSteps.length === 0 ? 0 : 1;

async function run({ name, command }: { name: string; command: string }) {
  const startMs = performance.now();
  const child = spawn(`${command} 2>&1`, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const output = await text(child.stdout);
  const isOk = (await exit) === 0;
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  process.stdout.write(`${isOk ? 'ok    ' : 'FAILED'} ${name.padEnd(26)} ${seconds} s\n`);
  return { name, isOk, output };
}
