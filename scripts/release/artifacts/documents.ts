/** Writes the documents of an executable: the licenses and the bill of materials, both including Node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';
import { dist } from '../chunks.ts';
import { licenseOf, type NodeRuntime } from './nodes.ts';

/** The libraries that Node contains, by their names in `process.versions`, with the license of each. */
const nodeLibraries: Readonly<Record<string, string>> = {
  acorn: 'MIT',
  ada: 'MIT',
  amaro: 'MIT',
  ares: 'MIT',
  brotli: 'MIT',
  cjs_module_lexer: 'MIT',
  llhttp: 'MIT',
  nbytes: 'MIT',
  nghttp2: 'MIT',
  openssl: 'Apache-2.0',
  simdjson: 'Apache-2.0',
  simdutf: 'MIT',
  sqlite: 'blessing',
  undici: 'MIT',
  uv: 'MIT',
  v8: 'BSD-3-Clause',
  zlib: 'Zlib',
  zstd: 'BSD-3-Clause',
};

/** Writes LICENSE, THIRD-PARTY-LICENSES and bill-of-materials.json into a folder. Returns their names. */
export function writeDocuments(folder: string, node: NodeRuntime): string[] {
  const documents: Record<string, string> = {
    LICENSE: readFileSync(join(root, 'LICENSE'), 'utf8'),
    'THIRD-PARTY-LICENSES': licenses(node),
    'bill-of-materials.json': billOfMaterialsWith(node),
  };
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  return Object.keys(documents);
}

function licenses(node: NodeRuntime): string {
  const bundledLicenses = readFileSync(join(dist, 'THIRD-PARTY-LICENSES'), 'utf8');
  return `${bundledLicenses}\n${'-'.repeat(80)}\n\nNode.js ${node.version}\n\n${licenseOf(node)}`;
}

/**
 * Returns the bill of materials of the program, Node and Node's libraries. The libraries are only included if this process
 * runs on the same version of Node, because their versions are unknown otherwise.
 */
export function billOfMaterialsWith(node: NodeRuntime): string {
  const bill = JSON.parse(readFileSync(join(dist, 'bill-of-materials.json'), 'utf8'));
  const isSameVersion = node.version === process.versions.node;
  const libraries = Object.entries(nodeLibraries).flatMap(([name, license]) => {
    const version = process.versions[name];
    return isSameVersion && version !== undefined ? [component(name, version, license)] : [];
  });
  const hash = Buffer.from(node.integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  const nodeComponent = {
    ...component('node', node.version, 'MIT'),
    hashes: [{ alg: 'SHA-512', content: hash }],
    ...(libraries.length > 0 && { components: libraries }),
  };
  return `${JSON.stringify({ ...bill, components: [...bill.components, nodeComponent] }, null, 2)}\n`;
}

function component(name: string, version: string, license: string) {
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}
