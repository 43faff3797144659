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
import { launcherFile, type ProcessResult, type SpawnOptions, spawnBoh } from '../harness/spawn-boh.ts';

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'boh-launcher-'));
  cpSync(dirname(launcherFile), join(checkout, 'bin'), { recursive: true });
  write('package.json', '{"type": "module"}');
});

afterEach(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 10 }));

const supportedVersions = ['22.22.2', '22.30.0', '24.15.0', '24.21.0', '25.0.0', '30.1.2'];
const unsupportedVersions = ['12.22.12', '20.20.2', '22.22.1', '22.9.9', '23.11.0', '24.14.9'];

test('supported versions: are those in package.json', () => {
  expect(manifest.engines.node).toBe('^22.22.2 || >=24.15.0');
});

test.each(supportedVersions)(
  'Node %s: starts the program with its arguments, and exits with its exit code',
  async (version) => {
    write('dist/main.cjs', 'exports.main = async (argv) => (console.log(...argv), 5);');
    expect(await launch(version, ['customers', 'list'])).toMatchObject({
      stdout: 'customers list\n',
      exitCode: 5,
    });
  },
);

test('--version: prints the version without loading the program', async () => {
  write('package.json', '{"type": "module", "version": "9.8.7"}');
  expect(await launch('24.15.0', ['--version'])).toMatchObject({ stdout: 'boh 9.8.7\n', exitCode: 0 });
});

test.each(unsupportedVersions)('Node %s: starts the runtime of the checkout', async (version) => {
  writeRuntime('echo "runtime $*"; exit 7');
  const { stdout, exitCode } = await launch(version, ['customers', 'list']);
  expect(stdout).toMatch(/^runtime \S+boh\.js customers list\n$/);
  expect(exitCode).toBe(7);
});

test.each(Object.keys(runtime.optionalDependencies))('runtime %s: is found on its platform', async (name) => {
  const [system = '', arch = ''] = name.split('-').slice(-2);
  const processProperties = { platform: system === 'win' ? 'win32' : system, arch };
  const path = `node_modules/${name}/bin/node${system === 'win' ? '.exe' : ''}`;
  write(path, '#!/bin/sh\necho runtime\n');
  chmodSync(join(checkout, path), 0o755);
  expect(await launch('20.20.2', [], { pretended: processProperties })).toMatchObject({
    stdout: 'runtime\n',
    exitCode: 0,
  });
});

const unsupportedMessage = 'boh needs Node.js 22.22.2 or later in 22, or 24.15 or later; this is 20.20.2.';

test('an unsupported Node: prints one line with the required version, and does not call it a bug', async () => {
  const { stdout, stderr, exitCode } = await launch('20.20.2', ['--version']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: exitCodes.usage });
  expect(stderr).toBe(`${unsupportedMessage} Install a newer version: https://nodejs.org/en/download\n`);
});

test('a checkout without its runtime: prints the command that installs it', async () => {
  write('runtime/package.json', '{}');
  const { stderr, exitCode } = await launch('20.20.2', ['customers', 'list']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toBe(
    `${unsupportedMessage} Run npm ci --include=optional to install one, or use a newer Node.\n`,
  );
});

test('standard input: is passed to the runtime', async () => {
  writeRuntime('cat');
  expect(await launch('20.20.2', [], { stdin: '{"name": "Ann"}' })).toMatchObject({
    stdout: '{"name": "Ann"}',
    exitCode: 0,
  });
});

test('a runtime that is killed by a signal: the launcher ends with the same signal', async () => {
  writeRuntime('kill -TERM $$');
  expect(await launch('20.20.2', [])).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s: is passed to the runtime, and the launcher waits for it',
  async (signal) => {
    writeRuntime(
      `process.on('${signal}', () => (console.log('signaled'), process.exit(3)));
      setInterval(() => {}, 1000);
      console.log('ready');`,
      { interpreter: process.execPath },
    );
    expect(await launch('20.20.2', [], { killOnOutput: 'ready', signal })).toMatchObject({
      stdout: 'ready\nsignaled\n',
      exitCode: 3,
    });
  },
);

test('a runtime that cannot start: prints one line and no stack', async () => {
  writeRuntime('', { mode: 0o644 });
  const { stderr, exitCode } = await launch('20.20.2', []);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toMatch(/^boh can't start its own runtime, .+\n$/);
});

test('a checkout that is not built: prints the command that builds it', async () => {
  expect(await launch('24.21.0', [])).toMatchObject({
    exitCode: exitCodes.usage,
    stderr: 'boh is not built yet. Run: npm run build\n',
  });
});

test('a checkout installed without scripts, on an unsupported Node: prints the command that installs the runtime', async () => {
  writeRuntime('exec "$0-own" "$@"');
  const runtime = join(checkout, `node_modules/node-${process.platform}-${process.arch}/bin/node-own`);
  symlinkSync(process.execPath, runtime);
  expect(await launch('20.20.2', ['customers', 'list'])).toMatchObject({
    exitCode: exitCodes.usage,
    stderr: 'boh is not built yet. Run: npm run build\n',
  });
});

test('no writable cache: starts anyway', async () => {
  write('dist/main.cjs', 'exports.main = async () => 0;');
  const result = await launch('24.21.0', [], { env: { HOME: '/dev/null', XDG_CACHE_HOME: '/dev/null' } });
  expect(result).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

test('warnings of Node: hides the one about SQLite and no other', async () => {
  const warn = (text: string) => `process.emitWarning('${text}', 'ExperimentalWarning');`;
  write(
    'dist/main.cjs',
    `exports.main = async () => { ${warn('SQLite is experimental')} ${warn('So is that')} };`,
  );
  const { stderr } = await launch('24.21.0', []);
  expect(stderr).not.toContain('SQLite');
  expect(stderr).toContain('So is that');
});

test('the launcher: is JavaScript that Node 12 can parse', () => {
  const source = readFileSync(launcherFile, 'utf8');
  const compileFor = (target: string) => transformSync('boh.js', source, { target }).code;
  expect(compileFor('es2019')).toBe(compileFor('esnext'));
});

/** Runs the launcher of a test checkout on this Node, with another version pretended. */
function launch(
  version: string,
  argv: string[],
  {
    pretended: processProperties = {},
    ...options
  }: SpawnOptions & { pretended?: { platform?: string; arch?: string } } = {},
): Promise<ProcessResult> {
  const overrides = Object.entries(processProperties).map(
    ([name, value]) => `Object.defineProperty(process, '${name}', { value: '${value}' });`,
  );
  const node = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  write('claim.cjs', [node, ...overrides].join('\n'));
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
