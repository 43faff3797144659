/**
 * `npm run release:prepare 0.2.0`: sets the version in package.json and the lock file, moves the unreleased changes of
 * CHANGELOG.md to its section, and generates the pages with the version. Fails if values in release.json aren't set.
 * `npm run release:prepare -- --check v0.2.0`: exits with 1 unless the checkout is ready for this tag. Changes no files.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.ts';
import { releaseChanges, sectionOf } from './changelog.ts';
import { placeholders, releaseVersion } from './release-settings.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [version = ''] = positionals;

try {
  const unset = placeholders();
  if (unset.length > 0) throw new Error(`Set these values in release.json first:\n  ${unset.join('\n  ')}`);
  if (values.check) check(version.replace(/^v/, ''));
  else prepare(version);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function check(tagVersion: string): void {
  if (tagVersion !== '' && tagVersion !== releaseVersion())
    throw new Error(`The tag is ${tagVersion}, but package.json has ${releaseVersion()}.`);
  if (!sectionOf(read('CHANGELOG.md'), releaseVersion()))
    throw new Error(`CHANGELOG.md has no changes for ${releaseVersion()}.`);
}

function prepare(newVersion: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(newVersion))
    throw new Error(`"${newVersion}" is not a version. For example: npm run release:prepare 0.2.0`);
  const date = new Date().toISOString().slice(0, 10);
  const changelog = releaseChanges(read('CHANGELOG.md'), newVersion, date);
  setVersion('package.json', newVersion);
  setVersion('package-lock.json', newVersion);
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  execFileSync('npm', ['run', '--silent', 'reference'], { cwd: root, stdio: 'inherit' });
  process.stdout.write(
    `Version ${newVersion} is prepared. Run npm run release:rehearse, commit the changes, and push the tag v${newVersion}.\n`,
  );
}

function setVersion(file: string, newVersion: string): void {
  const content = JSON.parse(read(file));
  content.version = newVersion;
  if (content.packages?.['']) content.packages[''].version = newVersion;
  writeFileSync(join(root, file), `${JSON.stringify(content, undefined, 2)}\n`);
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
