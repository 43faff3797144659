/** Builds executable/boh: one file that contains the program and the Node runtime of the checkout. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDocuments } from './release/artifacts/documents.ts';
import { createBlob, createExecutable, executableName } from './release/artifacts/executable.ts';
import { currentPlatform, findNode } from './release/artifacts/nodes.ts';
import { root } from './root.ts';

const platform = currentPlatform();
if (platform === undefined)
  throw new Error(`There is no executable for ${process.platform} ${process.arch}.`);

const folder = join(root, 'executable');
const workFolder = join(folder, 'work');
rmSync(folder, { recursive: true, force: true });
mkdirSync(workFolder, { recursive: true });

const node = findNode(platform);
const name = executableName(platform);
const file = join(folder, name);
const blob = await createBlob(workFolder, { isCompiled: true });
await createExecutable(platform, { node, blob, file, isStripped: false });
rmSync(workFolder, { recursive: true });

const documents = writeDocuments(folder, node);
const sums = [name, ...documents].map((fileName) => {
  const hash = createHash('sha256').update(readFileSync(join(folder, fileName)));
  return `${hash.digest('hex')}  ${fileName}\n`;
});
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
process.stdout.write(`executable/${name}: ${Math.round(statSync(file).size / 2 ** 20)} MB\n`);
