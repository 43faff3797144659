/** Makes executable/boh of the program and the runtime of the checkout: one file that needs nothing beside it. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { executableName, makeBlob, makeExecutable } from './release/artifacts/executable.ts';
import { nodeFor, ownPlatform } from './release/artifacts/nodes.ts';
import { writePapers } from './release/artifacts/papers.ts';
import { root } from './root.ts';

const platform = ownPlatform();
if (platform === undefined)
  throw new Error(`There is no executable for ${process.platform} ${process.arch}.`);

const folder = join(root, 'executable');
const work = join(folder, 'work');
rmSync(folder, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const node = nodeFor(platform);
const name = executableName(platform);
const file = join(folder, name);
const blob = await makeBlob(work, { isCompiled: true });
await makeExecutable(platform, { node, blob, file, isStripped: false });
rmSync(work, { recursive: true });

const papers = writePapers(folder, node);
const sums = [name, ...papers].map((each) => {
  const hash = createHash('sha256').update(readFileSync(join(folder, each)));
  return `${hash.digest('hex')}  ${each}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`executable/${name}: ${Math.round(statSync(file).size / 2 ** 20)} MB\n`);
