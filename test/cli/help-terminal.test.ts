/** Shows help in windows of several widths: text is wrapped and never cut; commands are not wrapped. */
import { expect } from 'vitest';
import { quotedProgram } from '../harness/spawn-boh.ts';
import { openTerminal, terminalTest } from '../harness/terminal.ts';

const lines = ['', 'customers list', 'inventory-items update', 'customers import', 'suppliers link-item'];

terminalTest.each(lines.flatMap((line) => [60, 80].map((columns) => ({ line, columns }))))(
  'boh $line --help: fits into $columns columns',
  async ({ line, columns }) => {
    const terminal = openTerminal(`${quotedProgram} ${line} --help`, { columns });
    expect(await terminal.ended()).toBe(0);
    const displayedLines = terminal.text().trimEnd().split(/\r?\n/);
    expect(displayedLines.length).toBeGreaterThan(10);
    const longLines = displayedLines.filter((text) => text.length > columns);
    expect(longLines.filter((text) => !/^ *boh [a-z-]/.test(text))).toEqual([]);
  },
);
