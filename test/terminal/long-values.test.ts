/** Values of 10,000 characters: messages on stderr show them shortened with their length; results have them complete. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shortenLongValues, shortenValue } from '../../src/base/short-value.ts';
import { startDemo } from '../harness/demo.ts';
import { runBoh } from '../harness/run-boh.ts';

const demo = startDemo();
afterAll(() => demo.remove());
const longWord = 'x'.repeat(10_000);
const textWithSpaces = 'ab '.repeat(3_334).slice(0, 10_000);

beforeAll(() => {
  mkdirSync(join(demo.folder, 'input'));
  const files = {
    'bad.csv': `name,type\nA,${longWord}\nB,customer\n`,
    'header.csv': `${longWord},type\nA,customer\n`,
    'long.csv': `name,type\n${longWord},customer\nB,customer\n`,
    'ids.csv': `id,name\n${longWord},x\ny,z\n`,
    'bad.yaml': `tags:\n  - name: A\n    type: ${longWord}\n`,
    'key.yaml': `${longWord}:\n  - name: x\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(demo.folder, 'input', name), text);
});

const linesWith = (value: string): string[][] => [
  [value],
  ['tags', value],
  ['tags', 'list', `--${value}`],
  ['tags', 'list', '-o', value],
  ['tags', 'get', value],
  ['tags', 'get', `@${value}`],
  ['tags', 'delete', value, '2', '--yes'],
  ['tags', 'list', '--filter', value],
  ['tags', 'list', '--sort', value],
  ['tags', 'list', '--include', value],
  ['tags', 'list', '--columns', value],
  ['tags', 'list', '--profile', value],
  ['tags', 'create', '--data', value],
  ['tags', 'create', '--data', `@${value}`],
  ['tags', 'create', '--data', `{"${value}":1}`],
  ['tags', 'create', '--name', value, '--type', value],
  ['tags', 'create', '--name', value, '--type', 'customer'],
  ['tags', 'update', '--where', `name=${value}`, '--name', 'y', '--yes'],
  ['tags', 'import', value],
  ['tags', 'import', 'input/bad.csv', '--key', 'name'],
  ['tags', 'import', 'input/bad.csv', '--key', 'name', '--skip-invalid', '--dry-run'],
  ['tags', 'import', 'input/header.csv', '--key', 'name'],
  ['tags', 'import', 'input/long.csv', '--key', 'name'],
  ['tags', 'import', 'input/ids.csv', '--key', 'id'],
  ['tags', 'import', 'input/long.csv', '--key', value],
  ['tags', 'import', 'input/long.csv', '--failed', value],
  ['tags', 'import', 'input/long.csv', '--ledger', value],
  ['apply', 'input/bad.yaml'],
  ['apply', 'input/key.yaml'],
  ['apply', value],
  ['runs', 'resume', value],
  ['undo', value],
  ['explain', value],
  ['copy', value, '--from', value, '--to', value],
  ['backup', 'restore', value, '--yes'],
  ['tags', 'upsert', '--key', value, '--name', 'x', '--type', 'customer'],
  ['suppliers', 'link-item', '1', '2', '--order-unit', 'box', '--order-to-storage-factor', value],
];

describe.each([
  ['without spaces', longWord],
  ['with spaces', textWithSpaces],
])('value of 10,000 characters %s', (_, value) => {
  it.each(linesWith(value).map((line) => [line.join(' ').replaceAll(value, 'VALUE'), line] as const))(
    'boh %s: is shortened on stderr, and causes no internal error',
    async (_, line) => {
      const words = line.map((word) => (word.startsWith('input/') ? join(demo.folder, word) : word));
      const { stderr, exitCode } = await runBoh(['--sandbox', ...words], {
        env: { BOH_CONFIG_DIR: join(demo.folder, 'config') },
      });
      expect(exitCode).not.toBe(1);
      // Only programs read the path of a request.
      const messages = stderr.replaceAll(/"path":"[^"]*"/g, '');
      expect(messages.length).toBeLessThan(4_000);
    },
  );
});

it('long value: is complete in results and in the plan of a dry run', async () => {
  const createResult = await demo.boh(`tags create --name ${'y'.repeat(10_000)} --type customer --json`);
  expect(JSON.parse(createResult.stdout).name).toBe('y'.repeat(10_000));
  expect(createResult.stderr).toContain('(10,000 characters)');
  const dryRunResult = await demo.boh(
    `tags import ${join(demo.folder, 'input/long.csv')} --key name --dry-run`,
  );
  expect(dryRunResult.stdout).toContain(longWord);
});

it('long value in a message: is shown by its start, end and length, and the message continues after it', () => {
  expect(shortenLongValues(`There is no tag "${longWord}". See: boh tags list`)).toBe(
    `There is no tag "${'x'.repeat(60)}…${'x'.repeat(20)}" (10,000 characters). See: boh tags list`,
  );
  expect(shortenLongValues(`${`/folder/`.repeat(500)}rows.csv can't be read.`)).toMatch(
    /^\/folder.*…\S*rows\.csv \(4,008 characters\) can't be read\.$/,
  );
  expect(shortenLongValues('A sentence.')).toBe('A sentence.');
  expect(shortenValue('abcdef', 3)).toBe('abc… (6 characters)');
  // A surrogate pair is never split.
  expect(shortenValue(`ab${'😀'.repeat(9)}`, 3)).toBe('ab… (20 characters)');
});
