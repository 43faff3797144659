/**
 * Runs common commands with the chunks of dist/, and writes beside each chunk what V8 has compiled of it by then:
 * `compile-chunks.ts FOLDER`. What was never run is compiled when it is.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { main as runMain } from '../../src/main.ts';
import { chunks, dist } from './chunks.ts';
import { chunkLoader, scriptOf } from './executable-entry.cjs';

const target = process.argv[2] ?? '';
const read = (name: string) => ({ source: readFileSync(join(dist, name), 'latin1') });
const { load, scripts } = chunkLoader(read);

const commands = [
  ['--help'],
  ['customers', '--help'],
  ['customers', 'list', '--help'],
  ['__complete', 'bash', '2', 'boh', 'customers', 'li'],
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

const run = new Map(scripts().map(({ name, script }) => [name, script]));
for (const name of chunks()) {
  const file = join(target, `${name}.compiled`);
  mkdirSync(dirname(file), { recursive: true });
  const script = run.get(name) ?? scriptOf(name, read(name));
  writeFileSync(file, script.createCachedData());
}
