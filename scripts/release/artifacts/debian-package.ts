/** Builds the Debian package: the executable, man pages, completions, and the documents that Debian requires. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';
import { dist } from '../chunks.ts';
import { releaseSetting, releaseVersion } from '../release-settings.ts';
import { gzip, maxCompressionLevel, normalize } from './archive.ts';
import { run } from './run.ts';

/** The shared libraries of Node, with the oldest versions that have the symbols it uses. */
const dependencies = 'libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 6)';

/** The paths at which shells look for completions, by the names of the scripts. */
const completions = {
  boh: 'usr/share/bash-completion/completions/boh',
  _boh: 'usr/share/zsh/vendor-completions/_boh',
  'boh.fish': 'usr/share/fish/vendor_completions.d/boh.fish',
};

/** The content of a package. */
export interface DebianPackageInput {
  /** Debian's name of the architecture. */
  architecture: string;
  executable: string;
  /** The folder with the license and the bill of materials of the executable. */
  documents: string;
  epoch: number;
}

/** Writes the package into a folder. Returns the name of the file. */
export function createDebianPackage(out: string, input: DebianPackageInput): string {
  const { architecture, executable, documents, epoch } = input;
  const name = `boh_${releaseVersion()}_${architecture}.deb`;
  const tree = mkdtempSync(join(out, 'deb-'));
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    writeFileSync(join(tree, path), content);
  };
  try {
    mkdirSync(join(tree, 'usr/bin'), { recursive: true });
    cpSync(executable, join(tree, 'usr/bin/boh'));
    for (const page of readdirSync(join(root, 'man')))
      write(
        `usr/share/man/man1/${page}.gz`,
        gzip(readFileSync(join(root, 'man', page)), maxCompressionLevel),
      );
    for (const [script, path] of Object.entries(completions))
      write(path, readFileSync(join(dist, 'completions', script)));
    const doc = 'usr/share/doc/boh';
    write(`${doc}/changelog.gz`, gzip(changelog(epoch), maxCompressionLevel));
    write(`${doc}/CHANGELOG.md.gz`, gzip(readFileSync(join(root, 'CHANGELOG.md')), maxCompressionLevel));
    write(`${doc}/copyright`, copyright(documents));
    for (const document of ['THIRD-PARTY-LICENSES', 'bill-of-materials.json'])
      write(`${doc}/${document}.gz`, gzip(readFileSync(join(documents, document)), maxCompressionLevel));
    write('usr/share/lintian/overrides/boh', overrides);
    write('DEBIAN/control', control(architecture, sizeOf(tree)));
    write('DEBIAN/md5sums', checksums(tree));
    normalize(tree, epoch);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
    // The output of xz depends on the number of threads. Higher levels take minutes and save 3 %.
    const options = ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1'];
    run('dpkg-deb', [...options, '--build', tree, join(out, name)], { env });
  } finally {
    rmSync(tree, { recursive: true });
  }
  return name;
}

function control(architecture: string, bytes: number): string {
  const homepage = releaseSetting('homepage');
  return [
    'Package: boh',
    `Version: ${releaseVersion()}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer()}`,
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${dependencies}`,
    'Section: utils',
    'Priority: optional',
    ...(homepage === undefined ? [] : [`Homepage: ${homepage}`]),
    'Description: command line for the back office of a restaurant or shop',
    ' boh ("back of house") reads and writes the menu, customers, users, inventory,',
    ' suppliers and loyalty of a business over an HTTP API. It imports files,',
    ' resumes interrupted runs, undoes writes, and has an embedded sandbox.',
    '',
  ].join('\n');
}

/** Findings of lintian that are expected, in its format. */
const overrides = `# The executable is the official Node.js, with its libraries and the program inside.
boh: hardening-no-pie
boh: embedded-library zlib [usr/bin/boh]
`;

/** Returns the changelog that Debian requires. It refers to the project's changelog. */
function changelog(epoch: number): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  const version = releaseVersion();
  return `boh (${version}) unstable; urgency=medium\n\n  * Version ${version}: see CHANGELOG.md.gz.\n\n -- ${maintainer()}  ${date}\n`;
}

function maintainer(): string {
  return releaseSetting('maintainer') ?? 'unset <unset@example.com>';
}

function copyright(documents: string): string {
  const license = readFileSync(join(documents, 'LICENSE'), 'utf8');
  return `boh is distributed under this license:\n\n${license}\nIt contains libraries and Node.js: see THIRD-PARTY-LICENSES.gz in this folder.\n`;
}

function filesIn(folder: string, subfolder = ''): string[] {
  return readdirSync(join(folder, subfolder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = subfolder === '' ? entry.name : `${subfolder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(folder, path) : [path];
    })
    .sort();
}

function sizeOf(tree: string): number {
  return filesIn(tree).reduce((sum, file) => sum + statSync(join(tree, file)).size, 0);
}

function checksums(tree: string): string {
  const files = filesIn(tree).filter((file) => !file.startsWith('DEBIAN/'));
  return run('md5sum', files, { cwd: tree });
}
