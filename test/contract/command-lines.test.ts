/** Checks one table of command lines with everything that parses them: the program, completion, and the error report. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BohResult } from '../harness/run-boh.ts';
import { useRecorder } from '../harness/use-recorder.ts';

const { boh, bodies, folder, requests, targets } = useRecorder();

type Format = 'json' | 'ndjson' | 'id' | 'csv';

interface ExpectedResult {
  /** The request that the command sends. */
  request: string;
  body?: object;
  format: Format;
  /** The long names of the flags, without words that are values of other flags. */
  flags: string[];
  /** Whether `--` ends the flags, so that completion offers none. */
  hasDoubleDash?: true;
}

const get = 'GET /customers/5';
const put = 'PUT /customers/5';

const commandLines: [line: string, expected: ExpectedResult][] = [
  ['customers get 5', { request: get, format: 'json', flags: [] }],
  ['customers get 5 -o id', { request: get, format: 'id', flags: ['--output'] }],
  ['-o id customers get 5', { request: get, format: 'id', flags: ['--output'] }],
  ['customers -o id get 5', { request: get, format: 'id', flags: ['--output'] }],
  ['-oid customers get 5', { request: get, format: 'id', flags: ['--output'] }],
  ['customers get -o=id 5', { request: get, format: 'id', flags: ['--output'] }],
  ['--output=id customers get 5', { request: get, format: 'id', flags: ['--output'] }],
  ['-qo id customers get 5', { request: get, format: 'id', flags: ['--quiet', '--output'] }],
  ['-qoid customers get 5', { request: get, format: 'id', flags: ['--quiet', '--output'] }],
  ['customers get 5 -yqo=csv', { request: get, format: 'csv', flags: ['--yes', '--quiet', '--output'] }],
  ['customers -yq get 5 -o csv', { request: get, format: 'csv', flags: ['--yes', '--quiet', '--output'] }],
  ['-o csv customers get 5 -o ndjson', { request: get, format: 'ndjson', flags: ['--output'] }],
  ['--json customers get 5 -q', { request: get, format: 'json', flags: ['--json', '--quiet'] }],
  ['-o id customers get -- 5', { request: get, format: 'id', flags: ['--output'], hasDoubleDash: true }],
  ['customers get 5 --', { request: get, format: 'json', flags: [], hasDoubleDash: true }],
  [
    'customers get -- -oid',
    { request: 'GET /customers/-oid', format: 'json', flags: [], hasDoubleDash: true },
  ],
  [
    'customers get -- --quiet',
    { request: 'GET /customers/--quiet', format: 'json', flags: [], hasDoubleDash: true },
  ],
  ['customers get -- --', { request: 'GET /customers/--', format: 'json', flags: [], hasDoubleDash: true }],
  ['customers get -5', { request: 'GET /customers/-5', format: 'json', flags: [] }],
  ['customers get -5.5 -q', { request: 'GET /customers/-5.5', format: 'json', flags: ['--quiet'] }],
  [
    'customers update --is-blacklisted 5 -o id',
    { request: put, body: { is_blacklisted: true }, format: 'id', flags: ['--is-blacklisted', '--output'] },
  ],
  [
    'customers update --is-blacklisted true 5',
    { request: put, body: { is_blacklisted: true }, format: 'json', flags: ['--is-blacklisted'] },
  ],
  [
    'customers update --is-blacklisted false 5',
    { request: put, body: { is_blacklisted: false }, format: 'json', flags: ['--is-blacklisted'] },
  ],
  [
    'customers update --is-blacklisted=false 5',
    { request: put, body: { is_blacklisted: false }, format: 'json', flags: ['--is-blacklisted'] },
  ],
  [
    'customers update --no-is-blacklisted 5',
    { request: put, body: { is_blacklisted: false }, format: 'json', flags: ['--is-blacklisted'] },
  ],
  [
    'customers update 5 --name --no-is-blacklisted --is-blacklisted -oid',
    {
      request: put,
      body: { name: '--no-is-blacklisted', is_blacklisted: true },
      format: 'id',
      flags: ['--name', '--is-blacklisted', '--output'],
    },
  ],
  [
    'customers update 5 --name -o --email id',
    { request: put, body: { name: '-o', email: 'id' }, format: 'json', flags: ['--name', '--email'] },
  ],
  [
    'customers update 5 --name=-oid -o csv',
    { request: put, body: { name: '-oid' }, format: 'csv', flags: ['--name', '--output'] },
  ],
  [
    'customers update 5 --name -- -o id',
    { request: put, body: { name: '--' }, format: 'id', flags: ['--name', '--output'] },
  ],
  [
    'customers update 5 --name --json -o id',
    { request: put, body: { name: '--json' }, format: 'id', flags: ['--name', '--output'] },
  ],
  [
    'customers update 5 --house-account-balance -2.5 -q',
    {
      request: put,
      body: { house_account_balance: -2.5 },
      format: 'json',
      flags: ['--house-account-balance', '--quiet'],
    },
  ],
  [
    'customers list --limit 1 --name a=b -qo ndjson',
    {
      request: 'GET /customers?filter[name]=a%3Db',
      format: 'ndjson',
      flags: ['--limit', '--name', '--quiet', '--output'],
    },
  ],
];

const outputPatterns: Record<Format, RegExp> = {
  json: /^(\{\n {2}"id": "[^"]+"\n\}|\[\])\n$/,
  ndjson: /^(\{"id":"[^"]+"\}\n)?$/,
  id: /^\S+\n$/,
  csv: /^id,name,/,
};

function hasJsonError({ stderr }: BohResult): boolean {
  return stderr.trimEnd().split('\n').at(-1)?.startsWith('{"error":') === true;
}

describe.each(commandLines)('boh %s', (line, { request, body, format, flags, hasDoubleDash }) => {
  const words = line.split(' ');

  it('sends the request, and prints the result in the requested format', async () => {
    const result = await boh(words);
    // A write with --quiet prints only failures.
    const pattern = words.includes('-q') && words.includes('update') ? /^$/ : outputPatterns[format];
    expect([result.exitCode, result.stdout]).toEqual([0, expect.stringMatching(pattern)]);
    const [first, ...otherRequests] = requests();
    expect([`${first?.method} ${first?.target}`, otherRequests]).toEqual([request, []]);
    if (body) expect(JSON.parse(first?.body ?? '')).toEqual(body);
  });

  it.each([
    ['after the flags were parsed', words, 3, { BOH_TOKEN: '' }],
    ['for an unknown flag', ['--no-such-flag', ...words], 2, {}],
  ])('error %s: is reported in the requested format', async (_, failingWords, exitCode, env) => {
    const result = await boh(failingWords, { env });
    expect(result.exitCode).toBe(exitCode);
    expect(hasJsonError(result)).toBe(format === 'json' || format === 'ndjson');
  });

  it('completion: offers the flags that are not used yet', async () => {
    const completionsAfter = async (words: readonly string[]) => {
      // Waits for the service's response even on a busy machine: a later request would belong to another test.
      const env = { BOH_COMPLETION_PATIENCE: '600000' };
      const { stdout } = await boh(['__complete', 'fish', '=--', ...words], { env });
      return stdout.split('\n').map((text) => text.split('\t')[0] ?? '');
    };
    const isUsed = (flag: string) =>
      flags.some((usedFlag) => flag === usedFlag || flag === usedFlag.replace('--', '--no-'));
    const verb = ['list', 'get', 'update'].find((word) => words.includes(word)) ?? '';
    const allFlags = await completionsAfter(['customers', verb]);
    expect(allFlags).toEqual(expect.arrayContaining(flags));
    expect(await completionsAfter(words)).toEqual(
      hasDoubleDash ? [''] : allFlags.filter((flag) => !isUsed(flag)),
    );
    // Completion of an ID sends a request to the service.
    requests();
  });
});

describe('unknown command', () => {
  it.each([
    ['-o id nonsense', false],
    ['-qoid nonsense', false],
    ['nonsense --output=csv', false],
    ['nonsense -- -o csv', true],
    ['nonsense -qojson', true],
    ['-o csv --json nonsense', true],
    ['customers nonsense -qo id', false],
  ])('boh %s: prints the error as JSON: %s', async (line, isJson) => {
    const result = await boh(line);
    expect(result.exitCode).toBe(2);
    expect(hasJsonError(result)).toBe(isJson);
  });
});

describe('invalid command line', () => {
  it.each([
    ['customers list --nme x --wyde', ['--nme', '"--name"', '--wyde', '"--wide"']],
    ['-qx customers list', ['-x']],
    ['customers list --quiet=yes', ['--quiet takes no value']],
    ['customers list -q=yes', ['-q takes no value']],
    ['customers list --name', ['--name needs a value']],
    ['customers list -qo', ['--output needs a value']],
    ['customers list --no-name', ['--no-name']],
    ['customers --name x list', ['--name']],
    ['customers lst', ['"customers lst"', '"list"']],
    ['customers -- list', ['"customers list"']],
    ['-- customers list', ['before --']],
    ['loyalty-rewards redeem 1 2', ['takes 1 argument, but got 2: 1, 2.']],
    ['api', ['api needs <method> and <path>.']],
    [
      'sandbox stock purchasing --item @SKU-001',
      ['sandbox stock needs --branch <id> and --quantity <number>.'],
    ],
    ['openapi --version=3.0', ['--version']],
    ['sandbox reset --branches 0', ['for --branches. Expected a whole number from 1 to 10000.']],
    ['sandbox serve --memory --name x', ["--memory can't be combined with --name."]],
  ])('boh %s: reports %j', async (line, messages) => {
    const result = await boh(line);
    expect(result.exitCode).toBe(2);
    for (const text of messages) expect(result.stderr).toContain(text);
    expect(targets()).toEqual([]);
  });
});

it('sandbox run: passes the words after -- to the program', async () => {
  const home = folder();
  const argumentsFile = join(home, 'arguments.json');
  // The script writes a file, because its standard output would appear in the output of the tests.
  const script = `process.exitCode = 7; fs.writeFileSync(${JSON.stringify(argumentsFile)}, JSON.stringify(process.argv.slice(1)))`;
  const words = ['-o', 'id', '-q', '--json', '--version', '--help', '--sandbox'];
  const childArguments = ['-e', script, '--', ...words];
  const result = await boh(['sandbox', 'run', '--', process.execPath, ...childArguments], {
    env: { PATH: process.env.PATH ?? '', HOME: home, BOH_CONFIG_DIR: home },
  });
  expect(result).toMatchObject({ exitCode: 7 });
  expect(JSON.parse(readFileSync(argumentsFile, 'utf8'))).toEqual(words);
  expect(bodies()).toEqual([]);
  const missingResult = await boh('sandbox run -- no-such-program-here -o id -q');
  expect(missingResult.exitCode).not.toBe(0);
  expect(hasJsonError(missingResult)).toBe(true);
});
