/** `npm run soak`: runs every randomized or repeated test for longer than usual, and lists how many cases each has tried. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tried } from '../test/harness/rounds.ts';
import { root } from './root.ts';

/** By default all files; words select files, as in vitest. `--shard=1/3` runs a third of them, for several machines. */
const args = process.argv.slice(2);
const shards = args.filter((word) => word.startsWith('--shard='));
const words = args.filter((word) => !shards.includes(word));

const folder = mkdtempSync(join(tmpdir(), 'boh-soak-'));
const report = join(folder, 'tried');
const seed = process.env.SOAK_SEED ?? String(Date.now() % 2 ** 31);
const started = performance.now();

/** Tests that try more cases in a soak import these modules; those in test/soak/ only run in a soak. */
const files = globSync('test/**/*.test.ts', { cwd: root }).filter(
  (file) =>
    file.startsWith('test/soak/') ||
    /harness\/(rounds|fast-check)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
);
const selected = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));

process.stdout.write(
  `${selected.length} test files, ${shards.join(' ')}${shards.length > 0 ? ', ' : ''}seed ${seed}.\n`,
);
process.exitCode = await runTests();
const seconds = Math.round((performance.now() - started) / 1000);
process.stdout.write(`\nTried:\n${listText(casesTried())}\n\n`);
process.stdout.write(
  process.exitCode === 0
    ? `All tests passed, in ${seconds} s.\n`
    : `Some tests failed: see above. To repeat: SOAK_SEED=${seed} npm run soak -- FILE\n`,
);
rmSync(folder, { recursive: true });

function runTests(): Promise<number> {
  const env = { ...process.env, SOAK: '1', SOAK_SEED: seed, SOAK_REPORT: report };
  const child = spawn('vitest', ['run', '--testTimeout=900000', ...shards, ...selected], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

function casesTried(): Tried[] {
  if (!existsSync(report)) return [];
  const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Tried).sort((a, b) => a.file.localeCompare(b.file));
}

function listText(all: readonly Tried[]): string {
  let file = '';
  const lines = all.flatMap((it) => {
    const head = it.file === file ? [] : [it.file];
    file = it.file;
    return [...head, `  ${it.tried.padStart(14)}  ${it.title}`];
  });
  return lines.join('\n');
}
