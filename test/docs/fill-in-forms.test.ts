/** Checks that every command line in docs/guides/fill-in-forms.md opens a question on a terminal. */
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';
import { readPage } from './page-commands.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const lines = [...readPage('guides/fill-in-forms.md').matchAll(/^boh .*$/gm)].map(([line]) => line);

describe('the commands of docs/guides/fill-in-forms.md', () => {
  test('are found on the page', () => {
    expect(lines.length).toBeGreaterThan(8);
  });

  test.each(lines)('%s', async (line) => {
    const terminal = demo.terminal(line.replace('boh ', 'boh --sandbox '));
    await terminal.waitFor('? ');
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Canceled. Nothing was sent.');
  });
});
