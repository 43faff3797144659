/** The programs of Debian that a release is built and tested with. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Programs by name, each with the package that has it. */
export const buildPrograms = {
  strip: 'binutils',
  'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
  zip: 'zip',
  'dpkg-deb': 'dpkg',
};

/** Programs that only the rehearsal needs; what depends on a missing one is reported as not tested. */
export const testPrograms = {
  lintian: 'lintian',
  mmdebstrap: 'mmdebstrap',
  bwrap: 'bubblewrap',
  umoci: 'umoci',
  skopeo: 'skopeo',
  diffoscope: 'diffoscope-minimal',
  unzip: 'unzip',
  'qemu-aarch64-static': 'qemu-user-static',
  wine64: 'wine64',
};

/** Where Debian's package has the libraries of arm64, and its name. */
export const armLibraries = '/usr/aarch64-linux-gnu';
const armPackage = 'libstdc++6-arm64-cross';

/** Returns whether a program is installed. */
export function has(program: string): boolean {
  const paths = `${process.env.PATH}:/usr/sbin:/sbin:/usr/lib/wine`;
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: paths } }).status === 0;
}

/** Installs missing programs where root and apt-get allow it. Returns the packages that are still missing. */
export function ensurePrograms(programs: Readonly<Record<string, string>>): string[] {
  const packages = missingOf(programs);
  if (packages.length > 0 && process.getuid?.() === 0 && has('apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = ['install', '-qq', '-y', '--no-install-recommends'];
    spawnSync('apt-get', ['update', '-qq'], { env });
    // One by one where a mirror lacks one of them.
    if (spawnSync('apt-get', [...install, ...packages], { env }).status !== 0)
      for (const name of packages) spawnSync('apt-get', [...install, name], { env });
  }
  return missingOf(programs);
}

function missingOf(programs: Readonly<Record<string, string>>): string[] {
  const missing = Object.entries(programs).flatMap(([program, name]) => (has(program) ? [] : [name]));
  const needsLibraries = 'qemu-aarch64-static' in programs;
  return needsLibraries && !existsSync(`${armLibraries}/lib/libstdc++.so.6`)
    ? [...missing, armPackage]
    : missing;
}
