/** Writes the license of every bundled package to dist/THIRD-PARTY-LICENSES, which most licenses require. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OutputBundle, Plugin } from 'rolldown';

/** The package.json of a library. */
export interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** Returns the rolldown plugin that writes dist/THIRD-PARTY-LICENSES. Throws if a bundled package has no license. */
export function thirdPartyLicenses(): Plugin {
  return {
    name: 'third-party-licenses',
    generateBundle(_options, bundle) {
      const source = packagesOf(bundle)
        .map(formatNotice)
        .sort()
        .join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES', source });
    },
  };
}

/** Returns every package with a module in the bundle, sorted by name. */
export function packagesOf(bundle: OutputBundle): Package[] {
  const folders = new Set<string>();
  for (const file of Object.values(bundle)) {
    if (file.type !== 'chunk') continue;
    for (const id of file.moduleIds) if (id.includes('/node_modules/')) folders.add(packageFolder(id));
  }
  return [...folders]
    .map((folder) => ({ folder, manifest: manifestOf(folder) as Manifest }))
    .sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
}

interface Package {
  folder: string;
  manifest: Manifest;
}

/** Returns the nearest parent folder whose package.json has a name. The others only set a module type. */
function packageFolder(file: string): string {
  let folder = dirname(file);
  while (!manifestOf(folder)?.name) folder = dirname(folder);
  return folder;
}

function manifestOf(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function formatNotice({ folder, manifest: { name, version, license } }: Package): string {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined && license === undefined) throw new Error(`${name} is bundled without a license.`);
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license ?? 'license below'}\n${text}`;
}
