/** Makes the Debian package: the executable, man pages, completions, and the papers that Debian asks for. */
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
import { ownerFact, releaseVersion } from '../facts.ts';
import { gzip, highest, normalize } from './archive.ts';
import { run } from './run.ts';

/** What Node is linked with, with the oldest versions that have the symbols it uses. */
const dependencies = 'libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 6)';

/** Where the packages of shells look for completions, with the names of our scripts. */
const completions = {
  boh: 'usr/share/bash-completion/completions/boh',
  _boh: 'usr/share/zsh/vendor-completions/_boh',
  'boh.fish': 'usr/share/fish/vendor_completions.d/boh.fish',
};

export interface DebianPackage {
  /** Debian's name of the architecture. */
  architecture: string;
  executable: string;
  /** The folder with the license and the bill of materials of the executable. */
  papers: string;
  epoch: number;
}

/** Writes the package into a folder. Returns the name of the file. */
export function makeDebianPackage(out: string, wanted: DebianPackage): string {
  const { architecture, executable, papers, epoch } = wanted;
  const name = `boh_${releaseVersion()}_${architecture}.deb`;
  const tree = mkdtempSync(join(out, 'deb-'));
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    writeFileSync(join(tree, path), content);
  };
  try {
    mkdirSync(join(tree, 'usr/bin'), { recursive: true });
    cpSync(executable, join(tree, 'usr/bin/boh'));
    for (const page of readdirSync(join(root, 'man')))
      put(`usr/share/man/man1/${page}.gz`, gzip(readFileSync(join(root, 'man', page)), highest));
    for (const [script, path] of Object.entries(completions))
      put(path, readFileSync(join(dist, 'completions', script)));
    const doc = 'usr/share/doc/boh';
    put(`${doc}/changelog.gz`, gzip(changelog(epoch), highest));
    put(`${doc}/CHANGELOG.md.gz`, gzip(readFileSync(join(root, 'CHANGELOG.md')), highest));
    put(`${doc}/copyright`, copyright(papers));
    for (const paper of ['THIRD-PARTY-LICENSES', 'bill-of-materials.json'])
      put(`${doc}/${paper}.gz`, gzip(readFileSync(join(papers, paper)), highest));
    put('usr/share/lintian/overrides/boh', overrides);
    put('DEBIAN/control', control(architecture, sizeOf(tree)));
    put('DEBIAN/md5sums', sums(tree));
    normalize(tree, epoch);
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
    // One thread: xz writes other bytes with several. More than level 1 takes minutes for one MB in thirty.
    const how = ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1'];
    run('dpkg-deb', [...how, '--build', tree, join(out, name)], { env });
  } finally {
    rmSync(tree, { recursive: true });
  }
  return name;
}

function control(architecture: string, bytes: number): string {
  const homepage = ownerFact('homepage');
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

/** Reasons for what lintian finds, in the form that it reads. */
const overrides = `# The executable is Node.js as its project links it, with its libraries and the program inside.
boh: hardening-no-pie
boh: embedded-library zlib [usr/bin/boh]
`;

/** Returns the changelog that Debian asks for: changes are in the project's own one. */
function changelog(epoch: number): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  const version = releaseVersion();
  return `boh (${version}) unstable; urgency=medium\n\n  * Version ${version}: see CHANGELOG.md.gz.\n\n -- ${maintainer()}  ${date}\n`;
}

function maintainer(): string {
  return ownerFact('maintainer') ?? 'unset <unset@example.com>';
}

function copyright(papers: string): string {
  const own = readFileSync(join(papers, 'LICENSE'), 'utf8');
  return `boh is distributed under this license:\n\n${own}\nIt contains libraries and Node.js: see THIRD-PARTY-LICENSES.gz in this folder.\n`;
}

function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      return entry.isDirectory() ? filesIn(folder, path) : [path];
    })
    .sort();
}

function sizeOf(tree: string): number {
  return filesIn(tree).reduce((sum, file) => sum + statSync(join(tree, file)).size, 0);
}

function sums(tree: string): string {
  const files = filesIn(tree).filter((file) => !file.startsWith('DEBIAN/'));
  return run('md5sum', files, { cwd: tree });
}
