/**
 * `npm run release:build -- FOLDER`: builds the artifacts of a release from a built checkout. On Linux, builds everything
 * except the executables for macOS, which only macOS can sign; --unsigned adds them without a signature, in a separate
 * folder. On macOS, builds the executable for that machine.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { normalize, tarGz, zip } from './artifacts/archive.ts';
import { createImage } from './artifacts/container-image.ts';
import { createDebianPackage } from './artifacts/debian-package.ts';
import { writeDocuments } from './artifacts/documents.ts';
import { createBlob, createExecutable, executableName } from './artifacts/executable.ts';
import { currentPlatform, findNode, type Platform, platforms } from './artifacts/nodes.ts';
import { createNpmPackage } from './artifacts/npm-package.ts';
import { releaseVersion, sourceDateEpoch } from './release-settings.ts';

const { values, positionals } = parseArgs({
  options: { unsigned: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const isMac = (platform: Platform) => platform.startsWith('darwin');
// The modes of files must not depend on the user's umask.
process.umask(0o022);
const out = resolve(positionals[0] ?? 'release');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(out, 'work-'));
const epoch = sourceDateEpoch();

const artifacts: string[] = [];
try {
  const machine = currentPlatform();
  if (machine === undefined || machine === 'win-x64')
    throw new Error('A release can only be built on Linux or macOS.');
  const compiledBlob = await createBlob(work, { isCompiled: true });
  if (isMac(machine)) await buildPlatform(machine, compiledBlob);
  else {
    addArtifact(createNpmPackage(out));
    const uncompiledBlob = await createBlob(work, { isCompiled: false });
    for (const platform of Object.keys(platforms) as Platform[]) {
      // Code that V8 compiled is only valid for the current platform.
      const blob = platform === machine ? compiledBlob : uncompiledBlob;
      if (!isMac(platform)) await buildPlatform(platform, blob);
      else if (values.unsigned) await buildUnsigned(platform, blob);
    }
  }
  writeFileSync(join(out, 'SHA256SUMS'), artifacts.map((name) => `${hashOf(name)}  ${name}\n`).join(''));
} finally {
  rmSync(work, { recursive: true });
}

async function buildUnsigned(platform: Platform, blob: string): Promise<void> {
  mkdirSync(join(out, 'unsigned'), { recursive: true });
  const file = join(out, 'unsigned', `boh-${platform}`);
  await createExecutable(platform, { node: findNode(platform), blob, file, isStripped: false });
}

async function buildPlatform(platform: Platform, blob: string): Promise<void> {
  const folder = join(work, `boh-${releaseVersion()}-${platform}`);
  const documents = join(work, `${platform}-documents`);
  for (const path of [folder, documents]) mkdirSync(path);
  const node = findNode(platform);
  const file = join(folder, executableName(platform));
  await createExecutable(platform, { node, blob, file, isStripped: true });
  writeDocuments(documents, node);
  for (const name of readdirSync(documents)) cpSync(join(documents, name), join(folder, name));
  const name = `boh-${releaseVersion()}-${platform}.${platform.startsWith('win') ? 'zip' : 'tar.gz'}`;
  normalize(folder, epoch);
  if (name.endsWith('.zip')) zip(folder, join(out, name), epoch);
  else tarGz(folder, join(out, name), epoch);
  addArtifact(name);
  const properties = platforms[platform];
  if ('debian' in properties)
    addArtifact(
      createDebianPackage(out, { architecture: properties.debian, executable: file, documents, epoch }),
    );
  if (platform === 'linux-x64') {
    addArtifact(createImage(out, { executable: file, documents, epoch }));
    const bill = `boh-${releaseVersion()}.cdx.json`;
    cpSync(join(documents, 'bill-of-materials.json'), join(out, bill));
    addArtifact(bill);
  }
}

function hashOf(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
}

function addArtifact(name: string): void {
  artifacts.push(name);
  process.stdout.write(`${name}\n`);
}
