/** Makes every writing command fail before it sends anything: the last line of stderr must have the outcome `not_sent`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verbsOf } from '../../src/api/contract/composite.ts';
import { isWrite, type Operation, operations } from '../../src/api/contract/operation.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { useRecorder } from '../harness/use-recorder.ts';

const { boh, requests } = useRecorder();

let files: string;
beforeAll(() => {
  files = mkdtempSync(join(tmpdir(), 'boh-not-sent-'));
  mkdirSync(join(files, 'folder'));
  writeFileSync(join(files, 'rows.csv'), 'name\nx\n');
  writeFileSync(join(files, 'bad.csv'), 'no_such_column\nx\n');
  writeFileSync(join(files, 'tags.yaml'), 'tags:\n  - name: Local\n    type: customer\n');
});
afterAll(() => rmSync(files, { recursive: true, force: true }));

/** The only scope of this token allows no operation. */
const narrowToken = ['e30', Buffer.from('{"scopes":["nothing.at.all"]}').toString('base64url'), 'x'].join(
  '.',
);

async function expectNotSent(
  line: readonly string[],
  category: string | undefined,
  env: Record<string, string> = {},
): Promise<void> {
  requests();
  const result = await boh(line, { env });
  const { error } = JSON.parse(result.stderr.trimEnd().split('\n').at(-1) ?? '');
  expect({ line, category: error.category, outcome: error.outcome }).toEqual({
    line,
    category: category ?? expect.any(String),
    outcome: 'not_sent',
  });
  expect(requests().filter(({ method, target }) => method !== 'GET' || target.includes('order_id'))).toEqual(
    [],
  );
}

const writes = api.collections.flatMap(verbsOf).filter(isWrite);

/** Returns the example of the operation, with IDs instead of names. */
function lineOf(operation: Operation): string[] {
  return exampleArguments(operation)
    .filter((word) => word !== '--sandbox' && word !== '--yes')
    .map((word) => (word.startsWith('@') ? word.slice(1).replaceAll(' ', '-') : word));
}

const unreachable = { BOH_BASE_URL: 'http://127.0.0.1:1' };

/** Functions that return a failing command line of an operation, the expected category, and the environment. */
const failingLines: Record<
  string,
  (
    operation: Operation,
  ) => [line: string[], category?: string | undefined, env?: Record<string, string>] | undefined
> = {
  'an unknown flag': (operation) => [[...lineOf(operation), '--no-such-flag'], 'usage'],
  'a flag without its value': (operation) => [[...lineOf(operation), '--timeout'], 'usage'],
  'a bad value': (operation) => [[...lineOf(operation), '--timeout', 'soon', '--yes'], 'usage'],
  'an unknown format': (operation) => [
    [...lineOf(operation), '-o', 'no-such-format', '--yes'],
    'usage',
    { BOH_ERRORS: 'json' },
  ],
  'an unknown profile': (operation) => [
    [...lineOf(operation), '--profile', 'nobody', '--yes'],
    'usage',
    { BOH_TOKEN: '', BOH_BASE_URL: '' },
  ],
  'no token': (operation) => [[...lineOf(operation), '--yes'], 'not_signed_in', { BOH_TOKEN: '' }],
  'no base URL': (operation) => [[...lineOf(operation), '--yes'], undefined, { BOH_BASE_URL: '' }],
  'a missing scope': (operation) =>
    operation.scopes.length > 0
      ? [[...lineOf(operation), '--yes'], 'not_allowed', { BOH_TOKEN: narrowToken }]
      : undefined,
  'no service listening': (operation) => [
    [...lineOf(operation), '--yes', '--deadline', '0.05'],
    'unavailable',
    unreachable,
  ],
  'invalid input': (operation) =>
    operation.body.length > 0
      ? [[...lineOf(operation), '--data', '{"no_such_field":1}', '--yes'], 'usage']
      : undefined,
  'unreadable input': (operation) =>
    operation.body.length > 0 ? [[...lineOf(operation), '--data', `@${files}/folder`, '--yes']] : undefined,
  'missing input file': (operation) =>
    operation.body.length > 0 ? [[...lineOf(operation), '--data', `@${files}/nothing`, '--yes']] : undefined,
  // Addresses have no natural key, so the name is refused before the lookup.
  'an unknown name': (operation) => {
    const line = lineOf(operation);
    const names = operation.params.map(() => '@Nobody');
    return names.length > 0
      ? [[...line.slice(0, 2), ...names, ...line.slice(2 + names.length), '--yes']]
      : undefined;
  },
  'several records without --yes': ({ command, params, body, effect }) =>
    params.length === 1 && effect !== 'act'
      ? [[...command.split(' '), '1', '2', ...(body.length > 0 ? ['--data', '{}'] : [])], 'usage']
      : undefined,
  'a delete without --yes': (operation) =>
    operation.effect === 'delete' ? [lineOf(operation), 'usage'] : undefined,
};

describe('write of the API that fails before it is sent', () => {
  it.each(Object.entries(failingLines))('because of %s: is reported as not_sent', async (_, createLine) => {
    for (const operation of writes) {
      const [line, category, env] = createLine(operation) ?? [];
      if (line) await expectNotSent(line, category, env);
    }
  });

  it('with boh api: is reported as not_sent', async () => {
    for (const { method, path } of api.collections.flatMap(operations).filter(isWrite)) {
      const query = method === 'GET' ? '?order_id=1' : '';
      const line = ['api', method, path.replaceAll(/\{\w+\}/g, '1') + query];
      await expectNotSent([...line, '--yes', '--data', `@${files}/nothing`], undefined);
      await expectNotSent([...line, '--yes', '--no-such-flag'], 'usage');
      await expectNotSent([...line, '--yes'], 'not_signed_in', { BOH_TOKEN: '' });
    }
  });
});

/** Commands that write many records, with their arguments. */
const bulkCommands: readonly string[][] = [
  ...['rows.csv', 'bad.csv', 'nothing.csv', 'folder'].flatMap((name) => [
    ['tags', 'import', name],
    ['suppliers', 'import-links', 'items', name],
    ['backup', 'restore', name],
    ['apply', name],
  ]),
  ['tags', 'delete', '--where', 'no_such_filter=1'],
  ['tags', 'delete', '--where', 'name=x', '--rate', 'fast'],
  ['copy', 'tags', '--from', 'nobody', '--to', 'nobody'],
  ['apply', '--plan', 'nothing'],
  ['apply', 'tags.yaml', '--ledger', 'rows.csv'],
  ['seed', '--count', 'tags=many'],
  ['undo', '99'],
  ['redo', 'nothing'],
  ['runs', 'resume', 'nothing'],
];

describe('command for many records that fails before it sends anything', () => {
  it.each(bulkCommands.map((words) => [words.join(' '), words] as const))(
    'boh %s: is reported as not_sent',
    async (_, words) => {
      const line = words.map((word) =>
        /^(rows\.csv|bad\.csv|nothing(\.csv)?|folder|tags\.yaml)$/.test(word) ? join(files, word) : word,
      );
      await expectNotSent([...line, '--yes'], undefined, { BOH_TOKEN: '' });
      await expectNotSent([...line, '--yes', '--no-such-flag'], 'usage');
      await expectNotSent([...line, '--yes'], undefined, unreachable);
    },
    120_000,
  );
});

it('command that only reads: its error has no outcome', async () => {
  const result = await boh(['tags', 'list', '--no-such-flag']);
  expect(result.stderr).not.toContain('outcome');
  const unreachableResult = await boh(['tags', 'get', '1'], { env: { ...unreachable, BOH_TOKEN: '' } });
  expect(unreachableResult.stderr).not.toContain('outcome');
});
