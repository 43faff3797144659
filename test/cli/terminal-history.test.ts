import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

describe('a history in a window', () => {
  test.for([
    [30, ['number', 'what'], 'update inventory'],
    [40, ['number', 'what', 'outcome'], 'update inventory-items'],
    [60, ['number', 'at', 'what', 'outcome'], 'update inventory'],
    [80, ['number', 'at', 'by', 'what', 'fields', 'outcome'], 'update inventory'],
    [120, ['number', 'at', 'by', 'what', 'fields', 'outcome'], 'update inventory-items inventory-item-1 '],
  ] as const)('of %i columns says what happened', async ([columns, names, said]) => {
    await demo.boh('--sandbox inventory-items update inventory-item-1 --cost 7 -q -o id');
    const terminal = demo.terminal('boh --sandbox history', { columns });
    expect(await terminal.ended()).toBe(0);
    const lines = terminal.text().split(/\r*\n/);
    const header = lines.findIndex((line) => line.startsWith('number'));
    expect(lines[header]?.trim().split(/ +/)).toEqual(names);
    expect(lines[header + 1]).toContain(said);
    // There is neither --wide nor --columns.
    const more = columns < 80 ? ['To see more, use -o json, or a wider window.'] : [];
    const words = terminal.text().replaceAll(/\s+/g, ' ');
    expect(words.match(/To see more.*?window\./g) ?? []).toEqual(more);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  });
});
