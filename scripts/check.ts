/** `npm run check`: every check that needs no run of the program, side by side; all that fails is shown. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { missingLibraries } from './installed.ts';
import { root } from './root.ts';

/** Commands are looked up in node_modules/.bin, which npm puts first on the path. */
const steps = [
  { name: 'types', command: 'tsc --noEmit --project .' },
  { name: 'lint and format', command: 'biome ci --colors=off .' },
  { name: 'import rules', command: 'node scripts/check-imports.ts' },
  { name: 'house rules', command: 'node scripts/check-house.ts' },
  { name: 'lock file', command: 'npm ci --dry-run --ignore-scripts --offline' },
  { name: 'reference is up to date', command: 'node scripts/reference.ts --check' },
].filter(({ command }) => !command.startsWith('node ') || existsSync(command.split(' ')[1] ?? ''));

const lacking = missingLibraries();
if (lacking.length > 0) {
  process.stdout.write(
    `These libraries are not installed as package-lock.json has them: ${lacking.join(', ')}.\n`,
  );
  process.stdout.write('Every check rests on them. Run: npm ci\n');
  process.exit(1);
}

const results = await Promise.all(steps.map(run));
const failed = results.filter(({ ok }) => !ok);
for (const { name, output } of failed) process.stdout.write(`\n--- ${name}\n${output.trim()}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function run({ name, command }: { name: string; command: string }) {
  const started = performance.now();
  const child = spawn(`${command} 2>&1`, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const output = await text(child.stdout);
  const ok = (await ended) === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(26)} ${seconds} s\n`);
  return { name, ok, output };
}
