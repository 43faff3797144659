/** Hostile and random command lines run or are refused with a message, within the time limit. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Effect, operations } from '../../../src/api/contract/operation.ts';
import { flagName } from '../../../src/api/contract/value-text.ts';
import { api } from '../../../src/api/resources/index.ts';
import { handWritten } from '../../../src/cli/commands/index.ts';
import { fc } from '../../harness/fast-check.ts';
import { type Recorder, startRecorder } from '../../harness/recorder.ts';
import { runBoh } from '../../harness/run-boh.ts';

/** Properties that every object inherits. */
const inheritedNames = ['constructor', '__proto__', 'hasOwnProperty', 'toString', 'valueOf', 'prototype'];

/** Commands and flags that don't end, open a browser, or start programs. Other tests cover them. */
const excludedWords = ['serve', 'run', 'login', '--follow', '--watch'];

const hostileWords = [
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
const anyWord = fc.oneof(
  fc.constantFrom(...inheritedNames),
  { weight: 3, arbitrary: fc.constantFrom(...hostileWords) },
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

/** Command lines of an operation, with IDs and flags that it accepts, and valid or invalid values. */
const operationLine = fc.constantFrom(...api.collections.flatMap(operations)).chain((operation) => {
  const { resource, verb, effect, body, params } = operation;
  const fields = effect === 'list' ? resource.filters : body;
  const flagNames = fields.map(({ name }) => flagName(name));
  const fieldFlags = flagNames.flatMap((name) =>
    effect === 'update' ? [`--${name}`, `--add-${name}`, `--remove-${name}`] : [`--${name}`],
  );
  const flag = fc.constantFrom(
    ...fieldFlags,
    ...fieldFlags,
    ...fieldFlags,
    ...anyFlags,
    ...(effectFlags[effect] ?? []),
  );
  const flagWords = fc.oneof(
    fc.tuple(flag, anyWord),
    fc.tuple(flag, anyWord).map((words) => [words.join('=')]),
    fc.tuple(fc.constantFrom(...switches, ...(effectSwitches[effect] ?? []))),
  );
  const ids = fc.array(anyWord, { minLength: params.length, maxLength: params.length });
  return fc
    .tuple(ids, fc.array(flagWords, { maxLength: 3 }))
    .map(([words, flags]) => [resource.command, verb, ...flags.flat(), ...words]);
});

const commands = api.collections.flatMap(({ command, one }) => [command, one]);
const subcommands = [
  ...['list', 'set', 'get', 'unset', 'show', 'use', 'add', 'rename', 'remove', 'status', 'can', 'scopes'],
  ...['logout', 'token', 'clock', 'faults', 'events', 'settings', 'snapshot', 'save', 'order', 'stock'],
  ...['bash', 'fish', 'GET', 'POST', '/customers', 'suppliers.tags', 'unlink-item', ...commands],
];
const handWrittenLine = fc
  .tuple(
    fc.constantFrom(...handWritten.map(({ name }) => name)),
    fc.constantFrom(...subcommands),
    fc.array(anyWord, { maxLength: 1 }),
  )
  .map((words) => words.flat());

const flag = fc.tuple(fc.constantFrom('--', '--no-', '-'), anyWord).map((parts) => parts.join(''));
const randomLine = fc.array(fc.oneof(anyWord, flag, fc.constantFrom(...commands, ...anyFlags)), {
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
    fc.oneof({ weight: 4, arbitrary: operationLine }, handWrittenLine, randomLine),
  )
  .map((parts) => parts.flat())
  .filter(
    (words) =>
      !words.some((word) =>
        excludedWords.some((excluded) => word === excluded || word.startsWith(`${excluded}=`)),
      ),
  );

/** Command lines that reported a bug or were misread in earlier versions. */
const regressions: [string[]][] = [
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
  // Some commands create the file or folder that a word names.
  process.chdir(folder);
});
afterAll(async () => {
  process.chdir(home);
  await service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

it('any command line: ends within the time limit, and never reports a bug', async () => {
  const env = {
    BOH_TOKEN: 'a-token',
    BOH_BASE_URL: service.baseUrl,
    BOH_CONFIG_DIR: folder,
    // A completion that exceeds its time limit exits the process, which is the test.
    BOH_COMPLETION_PATIENCE: '600000',
  };
  await fc.assert(
    fc.asyncProperty(line, async (words) => {
      // Settings that one command line stores must not affect the next.
      rmSync(join(folder, 'config.json'), { force: true });
      const result = await runBoh(words, { env });
      expect([2, 3, 4, 5, 6, 8, 9, 0]).toContain(result.exitCode);
      expect(result.stderr).not.toMatch(/has a bug|\n\s+at .*:\d+:\d+/);
    }),
    { numRuns: 300, examples: regressions },
  );
});

it('names of built-in object properties in a command line: are handled like any other name', async () => {
  const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder };
  await runBoh(['customers', 'list', '--filter', '__proto__=1', '--filter', 'constructor=2'], { env });
  expect(service.takeRequests().at(-1)?.target).toBe('/customers?filter[__proto__]=1&filter[constructor]=2');
  const data = '{"__proto__":{"name":"x"},"constructor":1}';
  await runBoh(['tags', 'update', '1', '--unchecked', '--data', data], { env });
  expect(service.takeRequests().at(-1)?.body).toBe(data);
  const refusedResult = await runBoh(['tags', 'update', '1', '--data', data], { env });
  expect(refusedResult.stderr).toContain('__proto__: is not a field of tags');
  const clearedResult = await runBoh(['tags', 'update', '1', '--clear', '__proto__', '--unchecked'], { env });
  expect(clearedResult.stderr).toContain("__proto__: can't be cleared");
  expect(service.takeRequests()).toEqual([]);
});
