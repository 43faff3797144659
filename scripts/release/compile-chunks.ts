/**
 * Runs common commands with the chunks of dist/, and writes beside each chunk what V8 has compiled of it by then:
 * `compile-chunks.ts FOLDER`. What was never run is compiled when it is. With --hash-seed and --single-threaded the result
 * is the same each time.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chunkLoader, scriptOf, wrapped } from '../../bin/chunk-loader.js';
import type { main as runMain } from '../../src/main.ts';
import { root } from '../root.ts';
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

// Time stands still: what runs after a delay would be compiled on a busy machine only.
const idle = setTimeout(() => {}).unref();
globalThis.setTimeout = Object.assign(() => idle, { __promisify__: setTimeout.__promisify__ });
process.hrtime.bigint = () => 0n;

const home = mkdtempSync(join(tmpdir(), 'boh-compile-'));
try {
  const { main } = load('main.cjs') as { main: typeof runMain };
  for (const line of commands) await main(line, { BOH_CONFIG_DIR: home, HOME: home });
} finally {
  rmSync(home, { recursive: true, force: true });
}

/**
 * V8 refuses compiled code of a process with other flags than its own, by a hash of them in the header. Seed and threads
 * don't change the code, so the hash becomes that of a process without flags.
 */
const flagHashOffset = 12;
const flagHashSize = 4;
const probe = `process.stdout.write(new vm.Script('').createCachedData().toString('hex'))`;
const withoutFlags = Buffer.from(execFileSync(process.execPath, ['-e', probe], { encoding: 'utf8' }), 'hex');
const flagHash = withoutFlags.subarray(flagHashOffset, flagHashOffset + flagHashSize);

for (const name of chunks()) {
  const file = join(target, `${name}.compiled`);
  mkdirSync(dirname(file), { recursive: true });
  const script = scripts.get(name) ?? scriptOf(read(name));
  const compiled = script.createCachedData();
  compiled.set(flagHash, flagHashOffset);
  writeFileSync(file, compiled);
}

// A Node without flags must accept all of it: code that V8 refuses would only cost time.
const check = `
  const { readFileSync } = require('node:fs');
  const { scriptOf, wrapped } = require(${JSON.stringify(join(root, 'bin/chunk-loader.js'))});
  for (const name of ${JSON.stringify(chunks())}) {
    const code = readFileSync(${JSON.stringify(`${dist}/`)} + name);
    const compiled = readFileSync(${JSON.stringify(`${target}/`)} + name + '.compiled');
    const source = wrapped(code.length, (bytes, at) => code.copy(bytes, at));
    if (scriptOf({ source, file: name, compiled }).cachedDataRejected) throw new Error('V8 refuses ' + name);
  }`;
execFileSync(process.execPath, ['-e', check]);
