/**
 * `npm run release:prepare 0.2.0`: sets the version in package.json and the lock file, moves the unreleased changes of
 * CHANGELOG.md under it, and writes the pages that name it. Refuses while release.json has values that aren't set.
 * `npm run release:prepare -- --check v0.2.0` changes nothing: exit 1 unless the checkout is ready for this tag.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../root.ts';
import { released, sectionOf } from './changelog.ts';
import { placeholders, releaseVersion } from './facts.ts';

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [wanted = ''] = positionals;

try {
  const open = placeholders();
  if (open.length > 0) throw new Error(`Set these values in release.json first:\n  ${open.join('\n  ')}`);
  if (values.check) check(wanted.replace(/^v/, ''));
  else prepare(wanted);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function check(version: string): void {
  if (version !== '' && version !== releaseVersion())
    throw new Error(`The tag is ${version}, but package.json has ${releaseVersion()}.`);
  if (!sectionOf(read('CHANGELOG.md'), releaseVersion()))
    throw new Error(`CHANGELOG.md has no changes for ${releaseVersion()}.`);
}

function prepare(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`"${version}" is not a version. For example: npm run release:prepare 0.2.0`);
  const date = new Date().toISOString().slice(0, 10);
  const changelog = released(read('CHANGELOG.md'), version, date);
  setVersion('package.json', version);
  setVersion('package-lock.json', version);
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  execFileSync('npm', ['run', '--silent', 'reference'], { cwd: root, stdio: 'inherit' });
  process.stdout.write(
    `Version ${version} is prepared. Rehearse it, commit it, and push the tag v${version}.\n`,
  );
}

function setVersion(file: string, version: string): void {
  const content = JSON.parse(read(file));
  content.version = version;
  if (content.packages?.['']) content.packages[''].version = version;
  writeFileSync(join(root, file), `${JSON.stringify(content, undefined, 2)}\n`);
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
