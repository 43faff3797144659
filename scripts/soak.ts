/** `npm run soak`: runs every randomized or repeated test with more cases, and prints the number of cases of each. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SoakReportLine } from '../test/harness/repetitions.ts';
import { root } from './root.ts';

/** Arguments select files, as in vitest; the default is all files. `--shard=1/3` runs a third of them. */
const args = process.argv.slice(2);
const shards = args.filter((arg) => arg.startsWith('--shard='));
const filters = args.filter((arg) => !shards.includes(arg));

const folder = mkdtempSync(join(tmpdir(), 'boh-soak-'));
const reportFile = join(folder, 'report.ndjson');
const seed = process.env.SOAK_SEED ?? String(Date.now() % 2 ** 31);
const startMs = performance.now();

/** Tests with more cases in a soak import these modules. Tests in test/soak/ only run in a soak. */
const files = globSync('test/**/*.test.ts', { cwd: root }).filter(
  (file) =>
    file.startsWith('test/soak/') ||
    /harness\/(repetitions|fast-check)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
);
const selectedFiles = files.filter(
  (file) => filters.length === 0 || filters.some((arg) => file.includes(arg)),
);

process.stdout.write(
  `${selectedFiles.length} test files, ${shards.join(' ')}${shards.length > 0 ? ', ' : ''}seed ${seed}.\n`,
);
process.exitCode = await runTests();
const seconds = Math.round((performance.now() - startMs) / 1000);
process.stdout.write(`\nTried:\n${formatReport(readReport())}\n\n`);
process.stdout.write(
  process.exitCode === 0
    ? `All tests passed, in ${seconds} s.\n`
    : `Some tests failed: see above. To repeat: SOAK_SEED=${seed} npm run soak -- FILE\n`,
);
rmSync(folder, { recursive: true });

function runTests(): Promise<number> {
  const env = { ...process.env, SOAK: '1', SOAK_SEED: seed, SOAK_REPORT: reportFile };
  const child = spawn('vitest', ['run', '--testTimeout=900000', ...shards, ...selectedFiles], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

function readReport(): SoakReportLine[] {
  if (!existsSync(reportFile)) return [];
  const lines = readFileSync(reportFile, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as SoakReportLine).sort((a, b) => a.file.localeCompare(b.file));
}

function formatReport(tests: readonly SoakReportLine[]): string {
  let lastFile = '';
  const lines = tests.flatMap(({ file, tried, title }) => {
    const heading = file === lastFile ? [] : [file];
    lastFile = file;
    return [...heading, `  ${tried.padStart(14)}  ${title}`];
  });
  return lines.join('\n');
}
