/** Terminals that report 0 columns and 0 rows, such as serial consoles: everything looks like on 80 columns and 24 rows. */
import { afterAll, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, type TerminalOptions, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

async function outputOf(line: string, options: TerminalOptions, question?: string): Promise<string> {
  const terminal = demo.terminal(line, options);
  if (question) {
    await terminal.waitFor(question);
    terminal.types(keys.ctrlC);
  }
  await terminal.ended();
  return terminal.raw();
}

test.concurrent.each<[string, question?: string]>([
  ['boh customers list --help'],
  ['boh --sandbox customers list'],
  ['boh --sandbox suppliers get @SUP-01'],
  ['boh --sandbox delivery-zones map'],
  ['boh a-command-that-does-not-exist-with-a-name-that-fills-most-of-the-line'],
  ['PAGER="sed s/^/paged:/" boh --sandbox customers list'],
  ['boh --sandbox tags create --name A', 'Arrow keys to move'],
  ['boh --sandbox suppliers create', '? Name'],
])('%s: is as wide as 80 columns', async (line, question) => {
  const expected = await outputOf(line, { columns: 80, lines: 24 }, question);
  expect(await outputOf(line, { columns: 0, lines: 0 }, question)).toBe(expected);
});

test('COLUMNS is used if the terminal does not report its size', async () => {
  const line = 'boh --sandbox customers list';
  const expected = await outputOf(line, { columns: 50, lines: 24 });
  expect(await outputOf(line, { columns: 0, lines: 0, env: { COLUMNS: '50' } })).toBe(expected);
});
