/** Hostile command lines, and command lines of random known words: each is carried out or refused with a message, in time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handWritten } from '../../../src/commands/index.ts';
import { type Effect, operations } from '../../../src/contract/operation.ts';
import { flagName } from '../../../src/contract/text.ts';
import { api } from '../../../src/resources/index.ts';
import { fc } from '../../harness/fast-check.ts';
import { type Recorder, startRecorder } from '../../harness/recorder.ts';
import { runBoh } from '../../harness/run-boh.ts';

/** What every object has without anybody having put it there. */
const inherited = ['constructor', '__proto__', 'hasOwnProperty', 'toString', 'valueOf', 'prototype'];

/** They go on until they are stopped, open a browser, or start programs: their own tests try them. */
const unending = ['serve', 'run', 'login', '--follow', '--watch'];

const pieces = [
  ...[
    '',
    '-',
    '--',
    '=',
    '-=',
    '@',
    '@:',
    '@name:',
    '@name:x',
    ',',
    ',,',
    '"',
    '\\',
    '{',
    '[]',
    '{}',
    'null',
    '.',
    '..',
  ],
  ...[
    '1e999',
    '-1',
    '0',
    '1.5',
    '0x10',
    '12345678901234567890',
    'true',
    'false',
    'ID=1',
    'a=',
    '=b',
    'a=b=c',
  ],
  ...[
    '{"__proto__":{"name":1}}',
    '{"a":1,"a":2}',
    '[[[[',
    '{"name":1}',
    '[{"id":[]}]',
    '@/nowhere',
    '@/',
    '?',
  ],
  ...['7d', '2026-02-30', '2026-11-20', 'json', 'csv', 'id', 'name', 'tags.name', 'a.b.c', '[].name', '*.*'],
  ...['\u0000', '\u001b[2J', '\u202e', '\ud800', 'é', '%2f', '../x', 'x'.repeat(10_000)],
];
const outside = fc.oneof(
  fc.constantFrom(...inherited),
  { weight: 3, arbitrary: fc.constantFrom(...pieces) },
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const switches = ['--json', '-q', '--dry-run', '--offline', '--unchecked', '--raw', '--wide', '--local-time'];
const effectSwitches: Partial<Record<Effect, string[]>> = { list: ['--all'], update: ['--full', '--edit'] };
const anyFlags = ['-o', '-qo', '--timeout', '--profile', '--columns', '--query', '--include', '--encoding'];
const effectFlags: Partial<Record<Effect, string[]>> = {
  list: ['--filter', '--sort', '--limit', '--page'],
  create: ['--data', '--clear'],
  update: ['--data', '--clear', '--ask'],
};

/** A verb with its ids and flags that it has, whose values may fit them or not. */
const meant = fc.constantFrom(...api.collections.flatMap(operations)).chain((operation) => {
  const { resource, verb, effect, body, params } = operation;
  const fields = effect === 'list' ? resource.filters : body;
  const named = fields.map(({ name }) => flagName(name));
  const own = named.flatMap((name) =>
    effect === 'update' ? [`--${name}`, `--add-${name}`, `--remove-${name}`] : [`--${name}`],
  );
  const flag = fc.constantFrom(...own, ...own, ...own, ...anyFlags, ...(effectFlags[effect] ?? []));
  const given = fc.oneof(
    fc.tuple(flag, outside),
    fc.tuple(flag, outside).map((words) => [words.join('=')]),
    fc.tuple(fc.constantFrom(...switches, ...(effectSwitches[effect] ?? []))),
  );
  const ids = fc.array(outside, { minLength: params.length, maxLength: params.length });
  return fc
    .tuple(ids, fc.array(given, { maxLength: 3 }))
    .map(([words, flags]) => [resource.command, verb, ...flags.flat(), ...words]);
});

const commands = api.collections.flatMap(({ command, one }) => [command, one]);
const subcommands = [
  ...['list', 'set', 'get', 'unset', 'show', 'use', 'add', 'rename', 'remove', 'status', 'can', 'scopes'],
  ...['logout', 'token', 'clock', 'faults', 'events', 'settings', 'snapshot', 'save', 'order', 'stock'],
  ...['bash', 'fish', 'GET', 'POST', '/customers', 'suppliers.tags', 'unlink-item', ...commands],
];
const own = fc
  .tuple(
    fc.constantFrom(...handWritten.map(({ name }) => name)),
    fc.constantFrom(...subcommands),
    fc.array(outside, { maxLength: 1 }),
  )
  .map((words) => words.flat());

const flag = fc.tuple(fc.constantFrom('--', '--no-', '-'), outside).map((parts) => parts.join(''));
const meaningless = fc.array(fc.oneof(outside, flag, fc.constantFrom(...commands, ...anyFlags)), {
  maxLength: 6,
});

const line = fc
  .tuple(
    fc.constantFrom(
      [],
      ['--sandbox'],
      ['--sandbox', '-y'],
      ['--dry-run'],
      ['--dry-run', '--offline'],
      ['--unchecked'],
      ['-qy'],
    ),
    fc.oneof({ weight: 4, arbitrary: meant }, own, meaningless),
  )
  .map((parts) => parts.flat())
  .filter((words) => !words.some((word) => unending.some((it) => word === it || word.startsWith(`${it}=`))));

/** Lines that once ended with a word of a bug, or were taken for something else. */
const kept: [string[]][] = [
  ['--constructor'],
  ['customers', 'list', '--hasOwnProperty'],
  ['customers', 'list', '--filter', '__proto__=1'],
  ['--sandbox', 'customers', 'list', '--sort', '-constructor', '--unchecked'],
  ['customers', 'update', 'x', '--clear', '__proto__', '--unchecked'],
  ['customers', 'update', 'x', '--full', '--dry-run', '--offline'],
  ['customers', 'get', 'x', '--offline'],
].map((words) => [words]);

let service: Recorder;
let folder: string;
const home = process.cwd();
beforeAll(async () => {
  service = await startRecorder();
  folder = mkdtempSync(join(tmpdir(), 'boh-lines-'));
  // Some commands make the file or folder that a word names.
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

it('any line: ends in time, and never reports a bug', async () => {
  const env = {
    BOH_TOKEN: 'a-token',
    BOH_BASE_URL: service.baseUrl,
    BOH_CONFIG_DIR: folder,
    // Completion that gives up ends the process, which here is the test.
    BOH_COMPLETION_PATIENCE: '600000',
  };
  await fc.assert(
    fc.asyncProperty(line, async (words) => {
      // What a line has set must not decide how the next one ends.
      rmSync(join(folder, 'config.json'), { force: true });
      const ran = await runBoh(words, { env });
      expect([2, 3, 4, 5, 6, 8, 9, 0]).toContain(ran.exitCode);
      expect(ran.stderr).not.toMatch(/has a bug|\n\s+at .*:\d+:\d+/);
    }),
    { numRuns: 300, examples: kept },
  );
});

it('a key from outside is handled like any other', async () => {
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder };
  await runBoh(['customers', 'list', '--filter', '__proto__=1', '--filter', 'constructor=2'], { env });
  expect(service.take().at(-1)?.target).toBe('/customers?filter[__proto__]=1&filter[constructor]=2');
  const data = '{"__proto__":{"name":"x"},"constructor":1}';
  await runBoh(['tags', 'update', '1', '--unchecked', '--data', data], { env });
  expect(service.take().at(-1)?.body).toBe(data);
  const refused = await runBoh(['tags', 'update', '1', '--data', data], { env });
  expect(refused.stderr).toContain('__proto__: is not a field of tags');
  const cleared = await runBoh(['tags', 'update', '1', '--clear', '__proto__', '--unchecked'], { env });
  expect(cleared.stderr).toContain("__proto__: can't be cleared");
  expect(service.take()).toEqual([]);
});
