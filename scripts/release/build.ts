/**
 * Builds the artifacts of a release from a built checkout: `npm run release:build -- FOLDER`. On Linux all but the
 * executables for macOS, which only macOS can sign: with --unsigned they are made to look at, in a folder of their own. On
 * macOS the executable for that machine.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { normalize, tarGz, zip } from './artifacts/archive.ts';
import { makeImage } from './artifacts/container-image.ts';
import { makeDebianPackage } from './artifacts/debian-package.ts';
import { executableName, makeBlob, makeExecutable } from './artifacts/executable.ts';
import { nodeFor, ownPlatform, type Platform, platforms } from './artifacts/nodes.ts';
import { makeNpmPackage } from './artifacts/npm-package.ts';
import { writePapers } from './artifacts/papers.ts';
import { releaseVersion, sourceDateEpoch } from './facts.ts';

const { values, positionals } = parseArgs({
  options: { unsigned: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const isMac = (platform: Platform) => platform.startsWith('darwin');
// Modes of what is made here must not depend on the user.
process.umask(0o022);
const out = resolve(positionals[0] ?? 'release');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(out, 'work-'));
const epoch = sourceDateEpoch();

const made: string[] = [];
try {
  const own = ownPlatform();
  if (own === undefined || own === 'win-x64') throw new Error('A release is built on Linux or macOS.');
  const compiled = await makeBlob(work, { isCompiled: true });
  if (isMac(own)) await makeFor(own, compiled);
  else {
    done(makeNpmPackage(out));
    const plain = await makeBlob(work, { isCompiled: false });
    for (const platform of Object.keys(platforms) as Platform[]) {
      // Code that V8 compiled is for the platform that this runs on.
      const blob = platform === own ? compiled : plain;
      if (!isMac(platform)) await makeFor(platform, blob);
      else if (values.unsigned) await makeUnsigned(platform, blob);
    }
  }
  writeFileSync(join(out, 'SHA256SUMS'), made.map((name) => `${hashOf(name)}  ${name}\n`).join(''));
} finally {
  rmSync(work, { recursive: true });
}

async function makeUnsigned(platform: Platform, blob: string): Promise<void> {
  mkdirSync(join(out, 'unsigned'), { recursive: true });
  const file = join(out, 'unsigned', `boh-${platform}`);
  await makeExecutable(platform, { node: nodeFor(platform), blob, file, isStripped: false });
}

async function makeFor(platform: Platform, blob: string): Promise<void> {
  const folder = join(work, `boh-${releaseVersion()}-${platform}`);
  const papers = join(work, `${platform}-papers`);
  for (const each of [folder, papers]) mkdirSync(each);
  const node = nodeFor(platform);
  const file = join(folder, executableName(platform));
  await makeExecutable(platform, { node, blob, file, isStripped: true });
  writePapers(papers, node);
  for (const name of readdirSync(papers)) cpSync(join(papers, name), join(folder, name));
  const name = `boh-${releaseVersion()}-${platform}.${platform.startsWith('win') ? 'zip' : 'tar.gz'}`;
  normalize(folder, epoch);
  if (name.endsWith('.zip')) zip(folder, join(out, name), epoch);
  else tarGz(folder, join(out, name), epoch);
  done(name);
  const place = platforms[platform];
  if ('debian' in place)
    done(makeDebianPackage(out, { architecture: place.debian, executable: file, papers, epoch }));
  if (platform === 'linux-x64') {
    done(makeImage(out, { executable: file, papers, epoch }));
    const bill = `boh-${releaseVersion()}.cdx.json`;
    cpSync(join(papers, 'bill-of-materials.json'), join(out, bill));
    done(bill);
  }
}

function hashOf(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
}

function done(name: string): void {
  made.push(name);
  process.stdout.write(`${name}\n`);
}
