import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter, ctrlC } = keys;

interface Tag {
  id: string;
  name_localized: string;
}

describe('a command without the write, run or record that it needs', () => {
  test('undo and redo: undo offers the newest commands and runs, redo asks for confirmation', async () => {
    const [tag] = await demo.json<Tag[]>('tags list --filter name=VIP');
    const readLocalizedName = async () => (await demo.json<Tag>(`tags get ${tag?.id}`)).name_localized;
    const before = await readLocalizedName();
    await demo.boh('tags update @VIP --name-localized first');
    await demo.boh('inventory-items update @SKU-001 --cost 9');
    const undo = demo.terminal('boh --sandbox undo');
    await answerPrompts(undo, ['Which writes to undo?', 'vip'], [`tags update ${tag?.id}`, enter]);
    await answerPrompts(undo, ['Undo the writes to 1 record?', 'y', enter]);
    expect(await undo.ended()).toBe(0);
    expect(await readLocalizedName()).toBe(before);
    const redo = demo.terminal('boh --sandbox redo');
    await answerPrompts(redo, ['Redo the writes to 1 record?', 'y', enter]);
    expect(await redo.ended()).toBe(0);
    expect(redo.text()).not.toMatch(/Undo the writes|[Nn]othing to undo/);
    expect(await readLocalizedName()).toBe('first');
  });

  test('history show: offers the newest writes', async () => {
    await demo.boh('inventory-items update @SKU-002 --cost 9.5');
    const terminal = demo.terminal('boh --sandbox history show');
    await answerPrompts(terminal, ['Which write to show?', 'sku-002'], ['cost', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/cost +\S+ +9\.5 +9\.5/);
  });

  test('blame RESOURCE: offers the records', async () => {
    await demo.boh('inventory-items update @SKU-003 --cost 9.25');
    const terminal = demo.terminal('boh --sandbox blame inventory-items');
    await answerPrompts(terminal, ['Which inventory item?', 'SKU-003'], ['1 of', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/^cost +\d+/m);
  });

  test('runs resume and runs show: offer the stopped runs, and use the selected run', async () => {
    const firstTerminal = demo.terminal('boh --sandbox runs resume');
    expect(await firstTerminal.ended()).toBe(5);
    expect(firstTerminal.text()).toContain('No run to resume.');
    writeFileSync(
      join(demo.folder, 'rows.csv'),
      `name,phone\n${Array.from({ length: 6 }, (_, index) => `Stage ${index},99${index}`).join('\n')}\n`,
    );
    const stopped = demo.terminal(
      `boh --sandbox customers import ${join(demo.folder, 'rows.csv')} --mode create --yes --rate 2/min --concurrency 1`,
    );
    await stopped.waitFor('1 of 6');
    stopped.types(ctrlC);
    await stopped.ended();
    // Without --dry-run it would wait for the same limit of requests.
    const terminal = demo.terminal('boh --sandbox runs resume --dry-run');
    await answerPrompts(terminal, ['Which run to resume?'], ['5 remaining, 1 done', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('5 rows remain.');
    const shown = demo.terminal('boh --sandbox runs show');
    await answerPrompts(shown, ['Which run to show?'], ['5 remaining, 1 done', enter]);
    expect(await shown.ended()).toBe(0);
    expect(shown.text()).toContain('line 2: create 990: done');
  });

  test('without a terminal: exits with 2 and prints the command that lists the writes or runs', async () => {
    for (const [line, hint] of [
      ['undo', 'boh --sandbox history'],
      ['history show', 'boh --sandbox history'],
      ['blame tags', 'boh --sandbox history tags'],
      ['runs resume', 'boh runs list'],
      ['runs show', 'boh runs list'],
    ] as const) {
      const result = await demo.boh(line);
      expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(hint)]);
    }
  });
});

describe('inventory-items link-ingredient', () => {
  test('asks for the item and the ingredient, and converts a quantity to the unit of the ingredient', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-items link-ingredient');
    await answerPrompts(
      terminal,
      ['Which item is made?', 'SKU-002'],
      ['1 of', enter],
      ['Which ingredient?', 'SKU-001'],
      ['1 of', enter],
      ['in g', '250 l', enter],
      ['must be in g', '\x15', '0.25 kg', enter],
      ['Yes, send this', enter],
    );
    expect(await terminal.ended()).toBe(0);
    const item = await demo.json<{ ingredients: { id: string; pivot: { quantity: number } }[] }>(
      'inventory-items get @SKU-002 --include ingredients',
    );
    expect(item.ingredients.map(({ pivot }) => pivot.quantity)).toContain(250);
  });
});

describe('a form whose answer has a problem that boh lint finds', () => {
  test('a minimum above the maximum: warns once, and sends it after the confirmation', async () => {
    const levels = '--minimum-level 9 --maximum-level 3';
    const terminal = demo.terminal(`boh --sandbox inventory-items link-branch @SKU-002 ${levels}`, {
      columns: 120,
    });
    await answerPrompts(terminal, ['Which branch', enter], ['Par level', enter]);
    await terminal.waitFor(
      'warning: In the branch branch-airport, the minimum level 9 is above the maximum level 3.',
    );
    await answerPrompts(terminal, ['Yes, send this', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text().match(/is above the maximum/g)).toHaveLength(1);
  });

  test('an end date in the past: warns right after the answer', async () => {
    const terminal = demo.terminal('boh --sandbox timed-events update "@Happy Hour"', {
      lines: 40,
      columns: 120,
    });
    await answerPrompts(
      terminal,
      ['What do you want to change', 'to date', enter],
      ['? To date', '\x15', '2020-01-01', enter],
      ['warning: Ended on 2020-01-01 and is still active.'],
      ['Send this change', ctrlC],
    );
    expect(await terminal.ended()).toBe(130);
  });

  test('a customer without a name, and letters in a phone number: both are warned about', async () => {
    const terminal = demo.terminal('boh --sandbox customers create', { columns: 120 });
    await answerPrompts(terminal, ['? Name', enter], ['? Phone', '12ab34', enter], ['? Email', enter]);
    await terminal.waitFor('warning: The name is missing. (person-without-name)');
    await terminal.waitFor('warning: The phone number has letters: 12ab34. (phone-has-letters)');
    await answerPrompts(terminal, ['Yes, create this customer', ctrlC]);
    expect(await terminal.ended()).toBe(130);
  });

  test('on a protected profile: nothing is sent, and the form stays open with the finding', async () => {
    await demo.terminal('boh profiles add main --sandbox --protected').ended();
    const terminal = demo.terminal('boh --profile main inventory-items update @SKU-001', {
      lines: 40,
      columns: 120,
    });
    await answerPrompts(
      terminal,
      ['What do you want to change', 'minimum', enter],
      ['? Minimum level', '\x15', '40', enter],
      ['warning: The minimum level 40 is above the par level 6.'],
      ['Send this change', enter],
      ['Nothing was sent: boh lint finds new mistakes in these values.', ctrlC],
    );
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toMatch(/allow\s+them\s+with\s+--allow\s+item-levels-disordered/);
  });
});
