import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

describe.concurrent('list --watch', () => {
  test('redraws the table with changed rows highlighted, and restores the terminal at Ctrl-C', async () => {
    const terminal = demo.terminal('exec boh --sandbox suppliers list --watch 2 --columns name,phone');
    await terminal.waitFor('Every 2 s, q or Ctrl-C to stop. 9 suppliers.');
    expect((await demo.boh('suppliers update @SUP-02 --phone 0777')).exitCode).toBe(0);
    await terminal.waitFor('0777');
    expect(terminal.raw()).toContain('\x1b[7mGreen Valley       0777');
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.raw()).toContain('\x1b[?1049h');
    expect(terminal.raw().lastIndexOf('\x1b[?25h\x1b[?1049l')).toBeGreaterThan(
      terminal.raw().lastIndexOf('0777'),
    );
    expect(terminal.text()).toMatch(/boh: Interrupted\.\n$/);
  });

  test('with a condition and an order: shows the rows of the whole list', async () => {
    const terminal = demo.terminal(
      'exec boh --sandbox customers list --watch 2 --columns name --where-local "name ~ huda" --sort -name',
    );
    await terminal.waitFor('Every 2 s, q or Ctrl-C to stop.');
    terminal.types('q');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('Huda Al-Amin');
    expect(terminal.text()).not.toContain('Ahmad');
  });

  test('q: exits with 0 and restores the keyboard', async () => {
    const terminal = demo.terminal(
      'boh --sandbox taxes list --watch 2; stty -a | tr " " "\\n" | grep icanon; echo "ended with $?"',
    );
    await terminal.waitFor('q or Ctrl-C to stop.');
    terminal.types('x', 'q');
    expect(await terminal.waitFor('ended with 0')).toMatch(/[^-]icanon/);
    await terminal.ended();
    expect(terminal.text()).not.toContain('Interrupted');
  });

  test('shows as many rows as fit the window, and the total', async () => {
    const terminal = demo.terminal('exec boh --sandbox customers list --watch 2 --columns name,phone', {
      lines: 12,
    });
    await terminal.waitFor('9 of 50 rows shown. Every 2 s');
    terminal.types('q');
    expect(await terminal.ended()).toBe(0);
    const screen = terminal.raw().slice(terminal.raw().indexOf('\x1b[H'));
    expect(screen.split('\x1b[J')[0]?.split('\r\n').length).toBeLessThanOrEqual(12);
  });

  test('NDJSON: prints a line for each record that changes', async () => {
    const terminal = demo.terminal(
      'boh --sandbox taxes list --watch 2 -o ndjson --columns name,rate --limit 1 --verbose | cat',
    );
    await terminal.waitFor('GET /taxes?filter[updated_after]=');
    expect((await demo.boh('taxes update @VAT --rate 17')).exitCode).toBe(0);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text().split('\n')).toContain('{"name":"VAT","rate":17}');
    expect(terminal.text().match(/"name"/g)).toHaveLength(1);
  });

  test.each(['-o json', '--raw', '--query [].name', '--watch 1', '--watch soon'])(
    '%s: is refused',
    async (flags) => {
      const result = await demo.boh(`taxes list --watch ${flags}`);
      expect(result.exitCode).toBe(2);
      expect(result.stderr).toContain('--watch');
    },
  );
});
