/**
 * `npm run release:manifests -- FOLDER`: writes the manifests for Homebrew, Scoop and winget to the folder of the
 * artifacts.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageManifests } from './package-manifests.ts';
import { releaseSetting, releaseVersion } from './release-settings.ts';

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
const requiredSetting = (name: 'downloads' | 'homepage' | 'publisher') => {
  const value = releaseSetting(name);
  if (value === undefined) throw new Error(`Set ${name} in release.json first.`);
  return value;
};
const input = {
  version: releaseVersion(),
  downloads: requiredSetting('downloads'),
  homepage: requiredSetting('homepage'),
  publisher: requiredSetting('publisher'),
};
for (const [name, text] of Object.entries(packageManifests(input, hashes))) {
  writeFileSync(join(folder, name), text);
  process.stdout.write(`${name}\n`);
}
