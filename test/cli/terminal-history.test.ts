import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

describe('history at several widths', () => {
  test.for([
    [30, ['number', 'write'], /update inventory/],
    [44, ['number', 'write', 'id'], /update invento.* {2}inventory-item-1$/],
    [60, ['number', 'write', 'id', 'outcome'], /update inventory.* {2}inventory-item-1 {2}done$/],
    [
      80,
      ['number', 'time', 'write', 'id', 'fields', 'outcome'],
      /update inventor.* {2}inventory-item-1 {2}cost/,
    ],
    [
      120,
      ['number', 'time', 'by', 'write', 'id', 'fields', 'outcome'],
      /update inventory-items {2}inventory-item-1 {2}cost/,
    ],
  ] as const)('%i columns: shows the action and the record', async ([columns, columnNames, rowPattern]) => {
    await demo.boh('--sandbox inventory-items update inventory-item-1 --cost 7 -q -o id');
    const terminal = demo.terminal('boh --sandbox history', { columns });
    expect(await terminal.ended()).toBe(0);
    const lines = terminal.text().split(/\r*\n/);
    const headerIndex = lines.findIndex((line) => line.startsWith('number'));
    expect(lines[headerIndex]?.trim().split(/ +/)).toEqual(columnNames);
    expect(lines[headerIndex + 1]).toMatch(rowPattern);
    // The history has neither --wide nor --columns.
    const widthNotes = columns < 120 ? ['To show them, use -o json, or a wider window.'] : [];
    const text = terminal.text().replaceAll(/\s+/g, ' ');
    expect(text.match(/To show them.*?window\./g) ?? []).toEqual(widthNotes);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  });

  test('an empty history: names the account, and explains how to see the history of other accounts', async () => {
    await demo.boh('--sandbox inventory-items update inventory-item-1 --cost 7 -q -o id');
    const terminal = demo.terminal('boh --sandbox history taxes', { columns: 80 });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text().replaceAll(/\s+/g, ' ')).toContain(
      'No matching writes in the history of the sandbox "default". For another account: --profile NAME, or --sandbox.',
    );
  });
});
