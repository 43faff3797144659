/** Checks and installs the programs of Debian that build and test a release. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Programs that the build needs, with the names of their packages. */
export const buildPrograms = {
  strip: 'binutils',
  'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
  zip: 'zip',
  'dpkg-deb': 'dpkg',
};

/** Programs that only the rehearsal needs. Without them, it reports the tests as skipped. */
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

/** The folder of Debian's libraries for arm64, and the name of their package. */
export const armLibraries = '/usr/aarch64-linux-gnu';
const armPackage = 'libstdc++6-arm64-cross';

/** Returns whether a program is installed. */
export function isInstalled(program: string): boolean {
  const paths = `${process.env.PATH}:/usr/sbin:/sbin:/usr/lib/wine`;
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: paths } }).status === 0;
}

/** Installs missing programs if the user is root and apt-get exists. Returns the packages that are still missing. */
export function ensurePrograms(programs: Readonly<Record<string, string>>): string[] {
  const packages = missingPackages(programs);
  if (packages.length > 0 && process.getuid?.() === 0 && isInstalled('apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const install = ['install', '-qq', '-y', '--no-install-recommends'];
    spawnSync('apt-get', ['update', '-qq'], { env });
    // Installs them one by one, because a package may be missing in the repository.
    if (spawnSync('apt-get', [...install, ...packages], { env }).status !== 0)
      for (const name of packages) spawnSync('apt-get', [...install, name], { env });
  }
  return missingPackages(programs);
}

function missingPackages(programs: Readonly<Record<string, string>>): string[] {
  const packages = Object.entries(programs).flatMap(([program, name]) =>
    isInstalled(program) ? [] : [name],
  );
  const needsLibraries = 'qemu-aarch64-static' in programs;
  return needsLibraries && !existsSync(`${armLibraries}/lib/libstdc++.so.6`)
    ? [...packages, armPackage]
    : packages;
}
