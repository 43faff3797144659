import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

/** Returns the text that the terminal was asked to copy. */
function clipboardOf(raw: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: OSC 52
  const [, base64] = /\x1b\]52;c;([A-Za-z0-9+/=]*)\x07/.exec(raw) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString();
}

describe.concurrent('--copy', () => {
  test('asks the terminal to copy the output, and prints a message', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers list -o id --limit 3 --copy');
    expect(await terminal.ended()).toBe(0);
    const { stdout } = await demo.boh('suppliers list -o id --limit 3');
    expect(clipboardOf(terminal.raw())).toBe(stdout);
    expect(terminal.text()).toContain('Copied to the clipboard');
  });

  test('copies a table as text, without color or cursor movements', async () => {
    const terminal = demo.terminal('boh --sandbox customers list --columns name,phone --limit 4 --copy');
    expect(await terminal.ended()).toBe(0);
    expect(clipboardOf(terminal.raw())).toMatch(/^name +phone\nHuda Al-Amin +510000000\n/);
    expect(clipboardOf(terminal.raw())).toMatch(/^نبيل النجار {3}532962963$/m);
  });

  test('copies the whole output that is sent to a pager', async () => {
    const terminal = demo.terminal('boh --sandbox customers list --copy', { env: { BOH_PAGER: 'head -2' } });
    expect(await terminal.ended()).toBe(0);
    expect(clipboardOf(terminal.raw())?.trimEnd().split('\n').length).toBeGreaterThan(50);
  });

  test('output that is too long: prints a message and copies nothing', async () => {
    const terminal = demo.terminal('boh --sandbox customers list --all -o json --copy');
    expect(await terminal.ended()).toBe(0);
    expect(clipboardOf(terminal.raw())).toBeUndefined();
    expect(terminal.text()).toContain('Not copied');
  });

  test.for([
    ['in a pipe', 'boh --sandbox suppliers create --name Copied --copy | cat', {}],
    ['on a dumb terminal', 'boh --sandbox suppliers create --name Copied --copy', { TERM: 'dumb' }],
  ] as const)('%s: is refused before anything is done', async ([, line, env]) => {
    const terminal = demo.terminal(line, { env });
    await terminal.ended();
    expect(terminal.text()).toContain('--copy needs a terminal');
    expect((await demo.boh('suppliers list --name Copied')).stdout.trim()).toBe('[]');
  });
});
