/** Writes the bill of materials in CycloneDX format: every package with a module in the bundle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../root.ts';
import { type Manifest, packagesOf } from './licenses.ts';

/** Returns the rolldown plugin that writes dist/bill-of-materials.json. */
export function billOfMaterials(): Plugin {
  return {
    name: 'bill-of-materials',
    generateBundle(_options, bundle) {
      const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const bill = {
        bomFormat: 'CycloneDX',
        specVersion: '1.6',
        version: 1,
        metadata: { component: { type: 'application', ...componentOf(manifest) } },
        components: libraries(packagesOf(bundle).map(({ manifest: library }) => library)),
      };
      const source = `${JSON.stringify(bill, null, 2)}\n`;
      this.emitFile({ type: 'asset', fileName: 'bill-of-materials.json', source });
    },
  };
}

/** Returns each library once, because several packages can contain the same version. */
function libraries(manifests: readonly Manifest[]) {
  const unique = new Map(manifests.map((manifest) => [`${manifest.name}@${manifest.version}`, manifest]));
  return [...unique.values()].map((manifest) => ({ type: 'library', ...componentOf(manifest) }));
}

function componentOf({ name, version, license }: Manifest) {
  return {
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  };
}
