/** The Node of the checkout is pinned by its hash, and installing the checkout runs no scripts of packages. */

import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import runtime from '../../runtime/package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../', import.meta.url));
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, { version?: string; integrity?: string; link?: true; hasInstallScript?: true }>;
};
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);

describe('the lock file', () => {
  test('contains the hash of every package', () => {
    const unhashed = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unhashed).toEqual([]);
    expect(installed.length).toBeGreaterThan(100);
  });

  test('contains no package with an install script', () => {
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });

  test.each(Object.entries(runtime.optionalDependencies))('pins %s to %s', (name, version) => {
    expect(packages[`node_modules/${name}`]).toMatchObject({ version, integrity: expect.any(String) });
    // Same versions as in `engines`.
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
    const isNewEnough = major === 22 ? minor * 100 + patch >= 2202 : major * 100 + minor >= 2415;
    expect(isNewEnough).toBe(true);
  });
});

const platformPackage = Object.keys(runtime.optionalDependencies).find((name) =>
  name.endsWith(`-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`),
);

test.skipIf(platformPackage === undefined)(
  'npm scripts: run on that Node (skipped if there is none for the platform)',
  () => {
    expect(realpathSync(`${root}node_modules/.bin/node`)).toContain(
      `node_modules/${platformPackage}/bin/node`,
    );
  },
);
