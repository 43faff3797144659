/**
 * Runs common commands with the chunks of dist/, and writes beside each chunk what V8 has compiled of it by then:
 * `compile-chunks.ts FOLDER`. What was never run is compiled when it is.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chunkLoader, scriptOf, wrapped } from '../../bin/chunk-loader.js';
import type { main as runMain } from '../../src/main.ts';
import { chunks, dist } from './chunks.ts';

const target = process.argv[2] ?? '';
const read = (name: string) => {
  const code = readFileSync(join(dist, name));
  return { source: wrapped(code.length, (bytes, at) => code.copy(bytes, at)), file: `boh/${name}` };
};
const { load, scripts } = chunkLoader(read);

const commands = [
  ['--help'],
  ['customers', '--help'],
  ['customers', 'list', '--help'],
  ['__complete', 'zsh', '=li', 'customers'],
  ['--sandbox', 'customers', 'list', '-o', 'json'],
  ['--sandbox', 'suppliers', 'create', '--name', 'Farms'],
];

const home = mkdtempSync(join(tmpdir(), 'boh-compile-'));
try {
  const { main } = load('main.cjs') as { main: typeof runMain };
  for (const line of commands) await main(line, { BOH_CONFIG_DIR: home, HOME: home });
} finally {
  rmSync(home, { recursive: true, force: true });
}

for (const name of chunks()) {
  const file = join(target, `${name}.compiled`);
  mkdirSync(dirname(file), { recursive: true });
  const script = scripts.get(name) ?? scriptOf(read(name));
  writeFileSync(file, script.createCachedData());
}
