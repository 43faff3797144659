import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatNames } from '../../../src/account/settings/format-names.ts';
import { findFormat } from '../../../src/cli/terminal/formats/index.ts';
import { runBoh } from '../../harness/run-boh.ts';

const folder = new URL('../../../src/cli/terminal/formats/', import.meta.url);
const files = readdirSync(folder).filter((file) => !['index.ts', 'format.ts'].includes(file));

test('formats: every file of the folder is in the list under its own name', () => {
  expect([...formatNames].sort()).toEqual(files.map((file) => file.replace('.ts', '')).sort());
  for (const name of formatNames) expect(findFormat(name)?.name).toBe(name);
});

test('formats: help, errors, settings and completion have the same list', async () => {
  const env = { BOH_COMPLETION_PATIENCE: '600000' };
  const boh = async (...argv: string[]) => runBoh(argv, { env });
  const words = new RegExp(formatNames.join(', '));
  expect((await boh('--help')).stdout).toMatch(words);
  expect((await boh('suppliers', 'list', '-o', 'xml')).stderr).toContain(
    `Formats: ${formatNames.join(', ')}.`,
  );
  expect((await boh('config', 'set', 'output', 'xml')).stderr).toContain(formatNames.join(', '));
  const { stdout } = await boh('__complete', 'fish', '=', 'suppliers', 'list', '-o');
  expect(formatNames.filter((name) => stdout.includes(name))).toEqual(formatNames);
});
