/**
 * `npm run release:rehearse`: builds every artifact of a release twice from the last commit, compares them, installs and tests
 * them as far as this machine can, and prints a table. Exit code 1 if something failed. Needs Debian or Ubuntu; as root it
 * installs the programs that it needs.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.ts';
import { fetchTools } from '../tools.ts';
import { nodeFor, type Platform, platforms } from './artifacts/nodes.ts';
import { run } from './artifacts/run.ts';
import { placeholders } from './facts.ts';
import { buildPrograms, ensurePrograms, testPrograms } from './programs.ts';
import { checkBill } from './rehearsal/bill.ts';
import { testImage } from './rehearsal/container-image.ts';
import { testDebianPackage } from './rehearsal/debian-package.ts';
import { type Tested, testArchive, testUnsigned } from './rehearsal/executables.ts';
import { testNpmPackage } from './rehearsal/npm-package.ts';
import { notHere, outcomeOf, type Row, tableOf } from './rehearsal/row.ts';
import { artifactsIn, buildTwice, compare, hashOf } from './rehearsal/two-builds.ts';

const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
const say = (line: string) => process.stderr.write(`${line}\n`);
const started = performance.now();

for (const line of placeholders()) say(`release.json is not filled in. ${line}`);
if (run('git', ['status', '--porcelain'], { cwd: root }).trim() !== '')
  say('The checkout has changes: the rehearsal builds the last commit.');
const lacking = ensurePrograms(buildPrograms);
if (lacking.length > 0) throw new Error(`A release needs these packages of Debian: ${lacking.join(', ')}`);
const missing = ensurePrograms(testPrograms);
if (missing.length > 0) say(`Not installed, so some tests are left out: ${missing.join(', ')}`);

// At once: npm deletes what another call has fetched.
fetchTools('pnpm', 'bun', '@cyclonedx/cyclonedx-library');

const work = mkdtempSync(join(tmpdir(), 'boh-rehearsal-'));
try {
  // Once, before two builds look for them at the same time.
  for (const platform of Object.keys(platforms) as Platform[]) nodeFor(platform);
  say('Building all artifacts twice');
  const builds = await buildTwice(work);
  const rows: Row[] = [];
  for (const artifact of artifactsIn(builds.first)) {
    say(`Testing ${artifact}`);
    const file = join(builds.first, artifact);
    const tests = await tested(file, builds.first);
    rows.push({
      artifact: basename(artifact),
      bytes: statSync(file).size,
      sha256: await hashOf(file),
      reproducible: await compare(artifact, builds),
      ...tests,
    });
  }
  process.stdout.write(`${tableOf(rows)}\n`);
  const outcomes = rows.flatMap(({ reproducible, installed, smoke }) => [reproducible, installed, smoke]);
  if (outcomes.some(({ state }) => state === 'failed')) process.exitCode = 1;
  say(`${Math.round((performance.now() - started) / 1000)} s`);
} finally {
  if (values.keep) say(`The artifacts are in ${work}`);
  else rmSync(work, { recursive: true, force: true, maxRetries: 10 });
}

async function tested(file: string, folder: string): Promise<Tested> {
  const place = mkdtempSync(join(work, 'test-'));
  if (file.includes('/unsigned/')) return testUnsigned(file);
  if (file.endsWith('.tgz')) return testNpmPackage(file, place);
  if (file.endsWith('.deb')) return testDebianPackage(file, place);
  if (file.endsWith('.oci.tar')) return testImage(file, place);
  if (file.endsWith('.cdx.json')) return documented(() => checkBill(file, licensesOf(folder, place)));
  if (file.endsWith('SHA256SUMS')) return documented(() => checkSums(folder));
  return testArchive(file, place);
}

async function documented(check: () => string): Promise<Tested> {
  return { installed: await outcomeOf(check), smoke: notHere('not a program') };
}

function licensesOf(folder: string, place: string): string {
  const [archive = ''] = artifactsIn(folder).filter((name) => name.endsWith('-linux-x64.tar.gz'));
  run('tar', ['-xzf', join(folder, archive), '-C', place, 'THIRD-PARTY-LICENSES']);
  return join(place, 'THIRD-PARTY-LICENSES');
}

function checkSums(folder: string): string {
  run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  const count = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n').length;
  return `sha256sum finds ${count} files unchanged`;
}
