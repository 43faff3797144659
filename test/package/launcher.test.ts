import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { afterEach, beforeEach, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import runtime from '../../runtime/package.json' with { type: 'json' };
import { exitCodes } from '../../src/base/errors.ts';
import { type Ended, launcherFile, type SpawnOptions, spawnBoh } from '../harness/spawn-boh.ts';

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'boh-launcher-'));
  cpSync(dirname(launcherFile), join(checkout, 'bin'), { recursive: true });
  write('package.json', '{"type": "module"}');
});

afterEach(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 10 }));

const newEnough = ['22.22.2', '22.30.0', '24.15.0', '24.21.0', '25.0.0', '30.1.2'];
const tooOld = ['12.22.12', '20.20.2', '22.22.1', '22.9.9', '23.11.0', '24.14.9'];

test('knows the versions that package.json names', () => {
  expect(manifest.engines.node).toBe('^22.22.2 || >=24.15.0');
});

test.each(newEnough)('Node %s starts the program, with its arguments and its exit code', async (version) => {
  write('dist/main.cjs', 'exports.main = async (argv) => (console.log(...argv), 5);');
  expect(await launch(version, ['customers', 'list'])).toMatchObject({
    stdout: 'customers list\n',
    exitCode: 5,
  });
});

test('--version is answered without the program', async () => {
  write('package.json', '{"type": "module", "version": "9.8.7"}');
  expect(await launch('24.15.0', ['--version'])).toMatchObject({ stdout: 'boh 9.8.7\n', exitCode: 0 });
});

test.each(tooOld)('Node %s hands over to the runtime of the checkout', async (version) => {
  writeRuntime('echo "runtime $*"; exit 7');
  const { stdout, exitCode } = await launch(version, ['customers', 'list']);
  expect(stdout).toMatch(/^runtime \S+boh\.js customers list\n$/);
  expect(exitCode).toBe(7);
});

test.each(Object.keys(runtime.optionalDependencies))('finds %s on its platform', async (name) => {
  const [system = '', arch = ''] = name.split('-').slice(-2);
  const claims = { platform: system === 'win' ? 'win32' : system, arch };
  const path = `node_modules/${name}/bin/node${system === 'win' ? '.exe' : ''}`;
  write(path, '#!/bin/sh\necho runtime\n');
  chmodSync(join(checkout, path), 0o755);
  expect(await launch('20.20.2', [], { claims })).toMatchObject({ stdout: 'runtime\n', exitCode: 0 });
});

const tooOldWords = 'boh needs Node.js 22.22.2 or later in 22, or 24.15 and up; this is 20.20.2.';

test('too old a Node says in one line what is needed, and that it is no bug', async () => {
  const { stdout, stderr, exitCode } = await launch('20.20.2', ['--version']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: exitCodes.usage });
  expect(stderr).toBe(`${tooOldWords} Use a newer one: https://nodejs.org/en/download\n`);
});

test('in a checkout without its runtime it says what brings one along', async () => {
  write('runtime/package.json', '{}');
  const { stderr, exitCode } = await launch('20.20.2', ['customers', 'list']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toBe(
    `${tooOldWords} Run npm ci --include=optional, which brings one along, or use a newer Node.\n`,
  );
});

test('standard input reaches the runtime', async () => {
  writeRuntime('cat');
  expect(await launch('20.20.2', [], { stdin: '{"name": "Ann"}' })).toMatchObject({
    stdout: '{"name": "Ann"}',
    exitCode: 0,
  });
});

test('ends by the signal that ended the runtime', async () => {
  writeRuntime('kill -TERM $$');
  expect(await launch('20.20.2', [])).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'passes %s on, and waits for the runtime to end',
  async (signal) => {
    writeRuntime(
      `process.on('${signal}', () => (console.log('told'), process.exit(3)));
      setInterval(() => {}, 1000);
      console.log('ready');`,
      { interpreter: process.execPath },
    );
    expect(await launch('20.20.2', [], { killAt: 'ready', signal })).toMatchObject({
      stdout: 'ready\ntold\n',
      exitCode: 3,
    });
  },
);

test('a runtime that can’t start is one line, not a stack', async () => {
  writeRuntime('', { mode: 0o644 });
  const { stderr, exitCode } = await launch('20.20.2', []);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toMatch(/^boh can’t start its own runtime, .+\n$/);
});

test('a checkout that is not built says how to build it', async () => {
  expect(await launch('24.21.0', [])).toMatchObject({
    exitCode: exitCodes.usage,
    stderr: 'boh is not built yet. Run: npm run build\n',
  });
});

test('so does one that was installed without scripts, on a Node that is too old', async () => {
  writeRuntime('exec "$0-own" "$@"');
  const runtime = join(checkout, `node_modules/node-${process.platform}-${process.arch}/bin/node-own`);
  symlinkSync(process.execPath, runtime);
  expect(await launch('20.20.2', ['customers', 'list'])).toMatchObject({
    exitCode: exitCodes.usage,
    stderr: 'boh is not built yet. Run: npm run build\n',
  });
});

test('starts where no cache can be kept', async () => {
  write('dist/main.cjs', 'exports.main = async () => 0;');
  const ended = await launch('24.21.0', [], { env: { HOME: '/dev/null', XDG_CACHE_HOME: '/dev/null' } });
  expect(ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

test('is silent about Node’s opinion of its SQLite, and about nothing else', async () => {
  const warn = (text: string) => `process.emitWarning('${text}', 'ExperimentalWarning');`;
  write(
    'dist/main.cjs',
    `exports.main = async () => { ${warn('SQLite is experimental')} ${warn('So is that')} };`,
  );
  const { stderr } = await launch('24.21.0', []);
  expect(stderr).not.toContain('SQLite');
  expect(stderr).toContain('So is that');
});

test('is written in JavaScript that Node 12 can parse', () => {
  const source = readFileSync(launcherFile, 'utf8');
  const as = (target: string) => transformSync('boh.js', source, { target }).code;
  expect(as('es2019')).toBe(as('esnext'));
});

/** Runs the launcher of the made-up checkout on this Node, which claims to be another version. */
function launch(
  version: string,
  argv: string[],
  { claims = {}, ...options }: SpawnOptions & { claims?: { platform?: string; arch?: string } } = {},
): Promise<Ended> {
  const others = Object.entries(claims).map(
    ([name, value]) => `Object.defineProperty(process, '${name}', { value: '${value}' });`,
  );
  const node = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  write('claim.cjs', [node, ...others].join('\n'));
  const launcher = join(checkout, 'bin/boh.js');
  return spawnBoh(argv, { launcher, nodeArgs: ['--require', join(checkout, 'claim.cjs')], ...options });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(checkout, path)), { recursive: true });
  writeFileSync(join(checkout, path), text);
}

function writeRuntime(script: string, { interpreter = '/bin/sh', mode = 0o755 } = {}): void {
  const path = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
  write(path, `#!${interpreter}\n${script}\n`);
  chmodSync(join(checkout, path), mode);
}
