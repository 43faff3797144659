/** Makes src/sha256/module.ts of the text beside it: `npx node scripts/assemble.ts`. A test holds the two together. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import wabt from 'wabt';
import { root } from './root.ts';

const folder = join(root, 'src/sha256');

export async function assembled(): Promise<string> {
  const { parseWat } = await wabt();
  const { buffer } = parseWat('sha256.wat', readFileSync(join(folder, 'sha256.wat'), 'utf8')).toBinary({});
  return `/** Made of sha256.wat by scripts/assemble.ts. */\nexport const wasm =\n  '${Buffer.from(buffer).toString('base64')}';\n`;
}

if (import.meta.main) writeFileSync(join(folder, 'module.ts'), await assembled());
