import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { stockOf } from '../harness/stock.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter } = keys;
const { getNewest, linesOf } = stockOf(demo);
const createCount = 'boh --sandbox inventory-counts create --sheet --branch-id branch-riverside';

/** Returns an environment whose editor runs these shell commands on the file "$1". */
function editor(...commands: string[]): Record<string, string> {
  const file = join(demo.folder, 'editor');
  writeFileSync(file, `#!/bin/sh\n${commands.join('\n')}\n`);
  chmodSync(file, 0o755);
  return { VISUAL: file };
}

describe('--sheet --edit', () => {
  const line = `${createCount} --status draft --edit`;
  const editedFile = join(demo.folder, 'edited');
  const fillIn = (item: string, text: string) => `sed -i '/(${item})/s/^[^|]*/${text} /' "$1"`;

  test('opens the same table in the editor, and sends the values of its first column', async () => {
    const env = editor(
      `cp "$1" ${editedFile}`,
      fillIn('SKU-001', '4 kg'),
      fillIn('SKU-003', '1,250'),
      `echo '3 | SKU-009' >> "$1"`,
    );
    const terminal = demo.terminal(line, { env });
    await answerPrompts(terminal, ['Create this', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(readFileSync(editedFile, 'utf8')).toMatch(
      /\n# quantity +\| item +\| unit +\| par level +\| cost +\| last count +\| id\n +\| Tomatoes \(SKU-001\) +\| kg +\| \d+ +\| [\d.]+ +\| \d* +\| inventory-item-1\n/,
    );
    expect(await linesOf(await getNewest('inventory-counts'))).toEqual([
      ['SKU-001', 4],
      ['SKU-003', 1250],
      ['SKU-009', 3],
    ]);
    expect(readdirSync(demo.folder).filter((name) => name.startsWith('boh-edit-'))).toEqual([]);
  });

  test('invalid values: are reported by line, and the editor opens again with the same text', async () => {
    const markerFile = join(demo.folder, 'twice');
    rmSync(markerFile, { force: true });
    const env = editor(
      `if [ -e ${markerFile} ]; then cp "$1" ${editedFile}; sed -i 's/^many /6    /; /nowhere/d' "$1"; else touch ${markerFile}`,
      fillIn('SKU-001', '4'),
      fillIn('SKU-003', 'many'),
      `echo '3 | nowhere' >> "$1"; fi`,
    );
    const terminal = demo.terminal(line, { env });
    const output = await terminal.waitFor('Open the editor again?');
    const [, lineNumber = ''] =
      /line (\d+): Onions \(SKU-003\): Quantity must be a number/.exec(output) ?? [];
    expect(output).toMatch(/line \d+: No item or several items match "nowhere"/);
    terminal.types(enter);
    await answerPrompts(terminal, ['Create this', enter]);
    expect(await terminal.ended()).toBe(0);
    const lines = readFileSync(editedFile, 'utf8').split('\n');
    expect(lines[Number(lineNumber) - 1]).toMatch(/^many +\| Onions/);
    expect(lines[Number(lineNumber) - 2]).toMatch(/^#! Quantity must be a number/);
    const { items } = await getNewest('inventory-counts');
    expect(items.map(({ pivot }) => pivot.quantity)).toEqual([4, 6]);
  });

  test('saves the text if the user declines to edit again', async () => {
    const terminal = demo.terminal(line, { env: editor(fillIn('SKU-001', 'many')), columns: 160 });
    await answerPrompts(terminal, ['Open the editor again?', 'n', enter]);
    expect(await terminal.ended()).toBe(2);
    const savedFile = /Your text was saved to (.*)\n/.exec(terminal.text())?.[1] ?? '';
    expect(existsSync(savedFile)).toBe(true);
    expect(readFileSync(savedFile, 'utf8')).toMatch(/^many +\| Tomatoes/m);
  });

  test('sends nothing if nothing was filled in', async () => {
    const terminal = demo.terminal(line, { env: editor('true') });
    await answerPrompts(terminal, ['has nothing filled in'], ['Open the editor again?', 'n', enter]);
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).toContain('Nothing was sent.');
  });
});
