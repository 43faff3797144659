/**
 * `npm run release:rehearse`: builds every artifact of a release twice from the last commit, compares them, installs and
 * tests them if this machine can, and prints a table. Exits with 1 if a check failed. Requires Debian or Ubuntu; as root,
 * installs missing programs.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.ts';
import { fetchTools } from '../tools.ts';
import { findNode, type Platform, platforms } from './artifacts/nodes.ts';
import { run } from './artifacts/run.ts';
import { buildPrograms, ensurePrograms, testPrograms } from './programs.ts';
import { checkBill } from './rehearsal/bill.ts';
import { testImage } from './rehearsal/container-image.ts';
import { testDebianPackage } from './rehearsal/debian-package.ts';
import { type TestOutcomes, testArchive, testUnsigned } from './rehearsal/executables.ts';
import { testNpmPackage } from './rehearsal/npm-package.ts';
import { type ArtifactResult, formatReport, outcomeOf, skipped } from './rehearsal/report.ts';
import { artifactsIn, buildTwice, compare, hashOf } from './rehearsal/two-builds.ts';
import { placeholders } from './release-settings.ts';

const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
const log = (line: string) => process.stderr.write(`${line}\n`);
const startMs = performance.now();

for (const line of placeholders()) log(`release.json is not filled in. ${line}`);
if (run('git', ['status', '--porcelain'], { cwd: root }).trim() !== '')
  log('The checkout has uncommitted changes. The rehearsal builds the last commit.');
const missingForBuild = ensurePrograms(buildPrograms);
if (missingForBuild.length > 0)
  throw new Error(`Install these Debian packages first: ${missingForBuild.join(', ')}`);
const missingForTests = ensurePrograms(testPrograms);
if (missingForTests.length > 0)
  log(`Some tests are skipped. Packages that are not installed: ${missingForTests.join(', ')}`);

// Installs all of them in one call, because npm removes the tools of other calls.
fetchTools('pnpm', 'bun', '@cyclonedx/cyclonedx-library');

const work = mkdtempSync(join(tmpdir(), 'boh-rehearsal-'));
try {
  // Downloads missing packages before two builds need them at the same time.
  for (const platform of Object.keys(platforms) as Platform[]) findNode(platform);
  log('Building all artifacts twice');
  const builds = await buildTwice(work);
  const rows: ArtifactResult[] = [];
  for (const artifact of artifactsIn(builds.first)) {
    log(`Testing ${artifact}`);
    const file = join(builds.first, artifact);
    const outcomes = await testArtifact(file, builds.first);
    rows.push({
      artifact: basename(artifact),
      bytes: statSync(file).size,
      sha256: await hashOf(file),
      reproducible: await compare(artifact, builds),
      ...outcomes,
    });
  }
  process.stdout.write(`${formatReport(rows)}\n`);
  const allOutcomes = rows.flatMap(({ reproducible, installed, smoke }) => [reproducible, installed, smoke]);
  if (allOutcomes.some(({ state }) => state === 'failed')) process.exitCode = 1;
  log(`${Math.round((performance.now() - startMs) / 1000)} s`);
} finally {
  if (values.keep) log(`The artifacts are in ${work}`);
  else rmSync(work, { recursive: true, force: true, maxRetries: 10 });
}

async function testArtifact(file: string, folder: string): Promise<TestOutcomes> {
  const testFolder = mkdtempSync(join(work, 'test-'));
  if (file.includes('/unsigned/')) return testUnsigned(file);
  if (file.endsWith('.tgz')) return testNpmPackage(file, testFolder);
  if (file.endsWith('.deb')) return testDebianPackage(file, testFolder);
  if (file.endsWith('.oci.tar')) return testImage(file, testFolder);
  if (file.endsWith('.cdx.json')) return checkDocument(() => checkBill(file, licensesOf(folder, testFolder)));
  if (file.endsWith('SHA256SUMS')) return checkDocument(() => checkSums(folder));
  return testArchive(file, testFolder);
}

async function checkDocument(check: () => string): Promise<TestOutcomes> {
  return { installed: await outcomeOf(check), smoke: skipped('not a program') };
}

function licensesOf(folder: string, testFolder: string): string {
  const [archive = ''] = artifactsIn(folder).filter((name) => name.endsWith('-linux-x64.tar.gz'));
  run('tar', ['-xzf', join(folder, archive), '-C', testFolder, 'THIRD-PARTY-LICENSES']);
  return join(testFolder, 'THIRD-PARTY-LICENSES');
}

function checkSums(folder: string): string {
  run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder });
  const count = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n').length;
  return `sha256sum: ${count} files OK`;
}
