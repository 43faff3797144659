/**
 * `npm run release:manifests -- FOLDER`: writes the manifests for Homebrew, Scoop and winget to the folder of the
 * artifacts.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerFact, releaseVersion } from './facts.ts';
import { packageManifests } from './package-manifests.ts';

const folder = process.argv[2] ?? 'release';
const hashes = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => /\.(tar\.gz|zip)$/.test(name))
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
);
const required = (name: 'downloads' | 'homepage' | 'publisher') => {
  const value = ownerFact(name);
  if (value === undefined) throw new Error(`Set ${name} in release.json first.`);
  return value;
};
const facts = {
  version: releaseVersion(),
  downloads: required('downloads'),
  homepage: required('homepage'),
  publisher: required('publisher'),
};
for (const [name, text] of Object.entries(packageManifests(facts, hashes))) {
  writeFileSync(join(folder, name), text);
  process.stdout.write(`${name}\n`);
}
