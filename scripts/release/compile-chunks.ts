/**
 * `compile-chunks.ts FOLDER`: runs common commands with the chunks of dist/, and writes the code that V8 compiled of each
 * chunk. Functions that no command ran are compiled at their first use. With --hash-seed and --single-threaded, the
 * result is reproducible.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chunkLoader, scriptOf, wrap } from '../../bin/chunk-loader.js';
import type { main as runMain } from '../../src/cli/main.ts';
import { root } from '../root.ts';
import { chunks, dist } from './chunks.ts';

const target = process.argv[2] ?? '';
const read = (name: string) => {
  const code = readFileSync(join(dist, name));
  return { source: wrap(code.length, (bytes, offset) => code.copy(bytes, offset)), file: `boh/${name}` };
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

// Timers never fire and the clock stands still, because delayed functions would only be compiled on a busy machine.
const inactiveTimer = setTimeout(() => {}).unref();
globalThis.setTimeout = Object.assign(() => inactiveTimer, { __promisify__: setTimeout.__promisify__ });
process.hrtime.bigint = () => 0n;

const home = mkdtempSync(join(tmpdir(), 'boh-compile-'));
try {
  const { main } = load('main.cjs') as { main: typeof runMain };
  for (const line of commands) await main(line, { BOH_CONFIG_DIR: home, HOME: home });
} finally {
  rmSync(home, { recursive: true, force: true });
}

/**
 * V8 rejects compiled code if the hash of the flags in its header differs from the hash of the process. The flags here
 * don't change the code, so the hash is replaced by that of a process without flags.
 */
const flagHashOffset = 12;
const flagHashSize = 4;
const hashScript = `process.stdout.write(new vm.Script('').createCachedData().toString('hex'))`;
const compiledWithoutFlags = Buffer.from(
  execFileSync(process.execPath, ['-e', hashScript], { encoding: 'utf8' }),
  'hex',
);
const flagHash = compiledWithoutFlags.subarray(flagHashOffset, flagHashOffset + flagHashSize);

for (const name of chunks()) {
  const file = join(target, `${name}.compiled`);
  mkdirSync(dirname(file), { recursive: true });
  const script = scripts.get(name) ?? scriptOf(read(name));
  const compiled = script.createCachedData();
  compiled.set(flagHash, flagHashOffset);
  writeFileSync(file, compiled);
}

// Checks that a Node without flags accepts all compiled code: rejected code would only cost time.
const checkScript = `
  const { readFileSync } = require('node:fs');
  const { scriptOf, wrap } = require(${JSON.stringify(join(root, 'bin/chunk-loader.js'))});
  for (const name of ${JSON.stringify(chunks())}) {
    const code = readFileSync(${JSON.stringify(`${dist}/`)} + name);
    const compiled = readFileSync(${JSON.stringify(`${target}/`)} + name + '.compiled');
    const source = wrap(code.length, (bytes, offset) => code.copy(bytes, offset));
    if (scriptOf({ source, file: name, compiled }).cachedDataRejected) throw new Error('V8 rejects the compiled code of ' + name);
  }`;
execFileSync(process.execPath, ['-e', checkScript]);
