import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { serve } from '../harness/serve.ts';
import { stockOf } from '../harness/stock.ts';
import { answerPrompts, keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const { enter, down, ctrlC } = keys;
const ctrlS = '\x13';

const { getNewest, linesOf } = stockOf(demo);

const createCount = 'boh --sandbox inventory-counts create --sheet --branch-id branch-riverside';
const sheetOf = (screen: string) => screen.split('? Items').at(-1) ?? '';

describe('--sheet', () => {
  test('shows all items with their details, and skips empty lines', async () => {
    const terminal = demo.terminal(createCount, { lines: 40 });
    expect(await terminal.waitFor('0 of 60 filled in')).toMatch(
      /quantity +unit +par level +cost +last count\n❯ Tomatoes \(SKU-001\) +_ +kg +\d+ +[\d.]+\n/,
    );
    await answerPrompts(
      terminal,
      ['Ctrl-S to finish', '3', enter],
      ['1 of 60 filled in', down, '1,000 kg'],
      ['2 of 60 filled in', ctrlS],
      ['? Status', enter],
      ['Create this inventory count?', enter],
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(/--items inventory-item-1=3,\w+=1000 /);
  });

  test('finds a line by parts of its name, in any order', async () => {
    const terminal = demo.terminal(`${createCount} --status draft`);
    await answerPrompts(
      terminal,
      ['0 of 60', 'lamb min'],
      ['1 of 60', enter],
      ['Minced Lamb (SKU-014):', '2.5'],
    );
    await answerPrompts(terminal, ['1 of 60 filled in', down, 'nothing-like-it'], ['0 of 60', keys.escape]);
    await answerPrompts(terminal, ['1 of 60 filled in', ctrlS], ['Create this', enter]);
    expect(await terminal.ended()).toBe(0);
    expect(await linesOf(await getNewest('inventory-counts'))).toEqual([['SKU-014', 2.5]]);
  });

  test('accepts 40 lines, one after the other', async () => {
    const terminal = demo.terminal(`${createCount} --status draft`, { columns: 40 });
    // Details that a narrow window cannot show appear for the current line.
    expect(await terminal.waitFor('0 of 60')).toMatch(/\n {2}par level 6 · cost [\d.]+/);
    terminal.types(...Array.from({ length: 40 }, (_, index) => `${index + 1}${enter}`), ctrlS);
    await answerPrompts(terminal, ['Create this', enter]);
    expect(await terminal.ended()).toBe(0);
    const { items } = await getNewest('inventory-counts');
    expect(items.map(({ pivot }) => pivot.quantity)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
  });

  test('going back and forward: keeps all quantities', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-counts create --sheet');
    await answerPrompts(
      terminal,
      ['? Branch', 'river', enter],
      ['0 of 60', '5', enter, '6'],
      ['2 of 60 filled in', keys.escape],
      ['? Branch', enter],
    );
    const reopened = await terminal.waitFor('2 of 60 filled in');
    expect(reopened).toMatch(/Tomatoes \(SKU-001\) +5 /);
    expect(reopened).toMatch(/Cucumbers \(SKU-002\) +6 /);
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('an invalid value: is reported in its line, and the sheet stays open until it is fixed', async () => {
    const terminal = demo.terminal(createCount);
    await answerPrompts(terminal, ['0 of 60', '2,5', down, down, '7'], ['2 of 60', ctrlS]);
    const invalid = await terminal.waitFor('Quantity must be a number');
    expect(sheetOf(invalid)).toContain('Tomatoes (SKU-001): 2,5');
    terminal.types('\x15', '2.5', ctrlS);
    await answerPrompts(terminal, ['? Status', ctrlC]);
    expect(await terminal.ended()).toBe(130);
  });

  test('a window that shrinks: is drawn again, and no line is wider than it', async () => {
    const terminal = demo.terminal(createCount, { columns: 120, lines: 40 });
    await terminal.waitFor('type a name to find its row');
    terminal.resize(40, 12);
    await terminal.waitFor('? Items');
    const lines = (await terminal.waitFor('0 of 60 filled in')).split('\n');
    expect(lines.length).toBeLessThanOrEqual(12);
    for (const line of lines) expect(line.length).toBeLessThan(40);
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('of an update: begins with the lines of the record, and marks changed ones', async () => {
    await demo.boh(
      'inventory-counts create --branch-id branch-riverside --status draft --items @SKU-001=4,@SKU-003=6',
    );
    const { reference } = await getNewest('inventory-counts');
    const terminal = demo.terminal(`boh --sandbox inventory-counts update @${reference} --sheet`);
    await answerPrompts(terminal, ['2 of 60 filled in', '\x15', '5', ctrlS]);
    await terminal.waitFor('Send this change');
    expect(await terminal.waitFor('Cancel')).toContain('Tomatoes (SKU-001): 4 → Tomatoes (SKU-001): 5');
    terminal.types(enter);
    expect(await terminal.ended()).toBe(0);
    const { items } = await getNewest('inventory-counts');
    expect(items.map(({ pivot }) => pivot.quantity).toSorted()).toEqual([5, 6]);
  });

  test.each([
    [
      'transfer-orders create --sheet --branch-id branch-riverside --warehouse-id @Central --status draft',
      'quantity',
      'unit',
    ],
    [
      'cost-adjustments create --sheet --branch-id branch-riverside --status draft',
      'cost per unit',
      'storage unit',
    ],
  ])('%s: has the columns "%s" and "%s"', async (line, header, nextHeader) => {
    const warehouse = 'warehouse-central';
    const terminal = demo.terminal(`boh --sandbox ${line.replace('@Central', warehouse)}`, { columns: 100 });
    const needsReference = line.startsWith('transfer');
    if (needsReference) await answerPrompts(terminal, ['? Reference', enter]);
    expect(await terminal.waitFor('0 of 60 filled in')).toMatch(
      new RegExp(`${header} +${nextHeader} .*cost`),
    );
    terminal.types('9', ctrlS);
    await answerPrompts(terminal, ['Create this', enter]);
    expect(await terminal.ended()).toBe(0);
    const { items } = await getNewest(line.split(' ')[0] ?? '');
    expect(Object.values(items[0]?.pivot ?? {})).toContain(9);
  });

  test('needs a terminal and a single record', async () => {
    const pipedResult = await demo.boh('inventory-counts create --sheet');
    expect([pipedResult.exitCode, pipedResult.stderr]).toEqual([
      2,
      expect.stringContaining('needs a terminal'),
    ]);
    const several = demo.terminal('boh --sandbox inventory-counts update @IC-0001 @IC-0002 --sheet');
    expect(await several.ended()).toBe(2);
    expect(several.text()).toContain('takes exactly one record');
  });
});

describe('last count of the branch', () => {
  test('is shown in the sheet, and differences are shown before the count is sent', async () => {
    const lines = '@SKU-001=24,@SKU-003=6,@SKU-005=2,@SKU-007=1';
    await demo.boh(
      `inventory-counts create --branch-id branch-riverside --status closed --items ${lines} --yes`,
    );
    const { reference } = await getNewest('inventory-counts');
    const [{ cost = 0 } = {}] = await demo.json<{ cost?: number }[]>('inventory-items list --sku SKU-001');
    const terminal = demo.terminal(createCount, { columns: 100, lines: 40 });
    expect(await terminal.waitFor('0 of 60 filled in')).toMatch(/cost +last count\n❯ Tomatoes .* 24\n/);
    terminal.types('20', enter, '7', enter, '6', ctrlS);
    await answerPrompts(terminal, ['? Status', 'clo', enter]);
    const output = await terminal.waitFor('Create this inventory count?');
    expect(output).toContain(`Compared with the last count, ${reference} of `);
    expect(output).toContain(': 1 unchanged, 1 new, 2 missing.');
    expect(output).toMatch(new RegExp(`Tomatoes \\(SKU-001\\) +24 +20 +-4 +${-4 * cost}\n`));
    expect(output.replaceAll('\n', ' ')).toContain('when a count is closed');
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('closing a draft: shows the differences with the names of the items', async () => {
    await demo.boh(
      'inventory-counts create --branch-id branch-riverside --items @SKU-001=20,@SKU-003=6 --status draft',
    );
    const { reference } = await getNewest('inventory-counts');
    const terminal = demo.terminal(`boh --sandbox inventory-counts update @${reference}`, { columns: 100 });
    await answerPrompts(terminal, ['What do you want to change', 'stat', enter], ['? Status', 'clo', enter]);
    expect(await terminal.waitFor('Send this change')).toMatch(/Tomatoes \(SKU-001\) +24 +20 +-4/);
    expect(await terminal.waitFor('Cancel')).toMatch(
      /Items +Tomatoes \(SKU-001\): 20, Onions \(SKU-003\): 6/,
    );
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('closing with flags only: shows the differences and asks for confirmation', async () => {
    const lines = '@SKU-001=21,@SKU-003=6';
    await demo.boh(`inventory-counts create --branch-id branch-riverside --items ${lines} --status draft`);
    const { reference } = await getNewest('inventory-counts');
    const line = `boh --sandbox inventory-counts update @${reference} --status closed`;
    const terminal = demo.terminal(line, { columns: 100 });
    expect(await terminal.waitFor('(y/N)')).toMatch(/Tomatoes \(SKU-001\) +24 +21 +-3/);
    terminal.types(enter);
    expect(await terminal.ended()).toBe(130);
    expect((await demo.json<{ status: number }>(`inventory-counts get @${reference}`)).status).toBe(1);
    const confirmed = demo.terminal(`${line} --yes`);
    expect(await confirmed.ended()).toBe(0);
    expect(confirmed.text()).not.toContain('(y/N)');
  });

  test('a branch without a count: shows no expected quantities', async () => {
    const terminal = demo.terminal(
      'boh --sandbox inventory-counts create --branch-id branch-old-town --items @SKU-001=20 --status draft --sheet',
      { lines: 40 },
    );
    expect(await terminal.waitFor('1 of 60 filled in')).not.toContain('last count');
    terminal.types(ctrlS);
    await terminal.waitFor('No last count to compare with.');
    await terminal.waitFor('Cancel');
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
  });
});

describe('a sheet whose request fails', () => {
  const items = ['Tomatoes', 'Onions', 'Mint'].map((name, index) => ({
    id: `i${index}`,
    name,
    storage_unit: 'kg',
  }));
  const line = 'boh inventory-counts create --sheet --branch-id b1 --status draft --creator-id u1';
  const listResponse = { 'GET /inventory_items': { data: items, meta: { last_page: 1, total: 3 } } };

  test('refused line: opens the sheet at it, with the message and all values', async () => {
    const errors = { 'items.1.quantity': ['The quantity is more than the shelf holds.'] };
    const service = await serve({
      ...listResponse,
      'POST /inventory_counts': [422, { message: 'The given data was invalid.', errors }],
    });
    const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl };
    const terminal = demo.terminal(line, { env, lines: 40 });
    await answerPrompts(
      terminal,
      ['0 of 3', '5', down, down, '7000'],
      ['2 of 3', ctrlS],
      ['Create this', enter],
    );
    await terminal.waitFor('To repeat this without prompts:');
    const reopened = await terminal.waitFor('2 of 3 filled in');
    expect(reopened).toContain('Mint: 7000\n');
    expect(reopened).toContain('The quantity is more than the shelf holds.');
    expect(reopened).toMatch(/Tomatoes +5 /);
    terminal.types('7', ctrlS);
    await terminal.waitFor('Create this');
    expect(await terminal.waitFor('Cancel')).toContain('Tomatoes: 5, Mint: 7');
    terminal.types(ctrlC);
    expect(await terminal.ended()).toBe(130);
    await service.close();
  });

  test('unavailable service: prints the command with all values', async () => {
    const service = await serve({ ...listResponse, 'POST /inventory_counts': [503, 'Down for maintenance'] });
    const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl };
    const terminal = demo.terminal(line, { env, lines: 40 });
    await answerPrompts(terminal, ['0 of 3', '5', down, '6'], ['2 of 3', ctrlS], ['Create this', enter]);
    expect(await terminal.ended()).toBe(8);
    expect(terminal.text()).toMatch(/without prompts:\n {2}boh inventory-counts create .*--items i0=5,i1=6/);
    await service.close();
  });
});

test('a canceled sheet: prints the command with the values that were filled in', async () => {
  const terminal = demo.terminal(`${createCount} --status draft`);
  await answerPrompts(terminal, ['0 of 60', '5', ctrlS], ['Create this', ctrlC]);
  expect(await terminal.ended()).toBe(130);
  expect(terminal.text()).toMatch(/To send what you filled in:\n {2}boh .*--items inventory-item-1=5 /);
});

describe('a sheet that is not sent', () => {
  const line = 'boh --sandbox inventory-counts create --sheet --branch-id branch-airport';
  const paste = (...lines: string[]) => `\x1b[200~${lines.join('\r')}\x1b[201~`;

  test('a pasted column: cells that are not numbers stay in their rows, and Ctrl-S goes to them', async () => {
    const terminal = demo.terminal(line, { columns: 100 });
    await terminal.waitFor('0 of 60 filled in');
    terminal.types(paste('1', '2', 'N/A', '4', '#REF!', '6', '7', '8'));
    const shown = await terminal.waitFor('8 of 60 filled in');
    expect(shown).toContain('2 of them to fix');
    for (const row of [
      'Onions \\(SKU-003\\) +N/A',
      'Lettuce \\(SKU-005\\) +#REF!',
      'Oranges \\(SKU-008\\) +8',
    ])
      expect(shown).toMatch(new RegExp(row));
    await answerPrompts(
      terminal,
      ['', ctrlS],
      ['Quantity must be a number', '3', ctrlS],
      ['Quantity must be a number', ctrlC],
    );
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Your answers are kept');
  });

  test('the same command continues with the texts; a search is not taken for a text', async () => {
    const terminal = demo.terminal(line, { columns: 100 });
    await answerPrompts(terminal, ['Continue with its answers?', enter]);
    expect(await terminal.waitFor('8 of 60 filled in')).toMatch(/Onions \(SKU-003\) +3 .*\n.*\n.*#REF!/);
    await answerPrompts(
      terminal,
      ['', down.repeat(4), '5', enter, 'tom', ctrlS],
      ['"tom" is a search', ctrlS],
      ['? Status', enter],
      ['Create this inventory count?', enter],
    );
    expect(await terminal.ended()).toBe(0);
    const { items } = await getNewest('inventory-counts');
    expect(items.map(({ pivot }) => pivot.quantity)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const next = demo.terminal(line, { columns: 100 });
    await answerPrompts(next, ['0 of 60 filled in', ctrlC]);
    expect(await next.ended()).toBe(130);
    expect(next.text()).not.toContain('Continue with');
  });
});
