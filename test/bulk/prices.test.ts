/** Price lists of suppliers: which item a row means, which price changes, and which rows are left out. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSameUnit, storageUnitsIn } from '../../src/engine/bulk/prices/plan-prices.ts';
import { failureOf } from '../harness/run-boh.ts';
import { createWorkspace, type Workspace } from '../history/sandbox-workspace.ts';

interface Line {
  line: number | null;
  item: string;
  state: string;
  old: number | null;
  new: number | null;
  change_percent: number | null;
  reason: string | null;
}

/** Creates a workspace with a supplier that sells tomatoes for 20 and cucumbers for 27.5, in units of 6 and 8 kg. */
async function openShop() {
  const workspace = createWorkspace();
  const file = join(workspace.config, 'list.csv');
  const run = (text: string, ...flags: string[]) => {
    writeFileSync(file, text);
    return workspace.boh('suppliers', 'prices', '@Fresh Farms', file, ...flags);
  };
  const preview = async (text: string, ...flags: string[]): Promise<Line[]> =>
    JSON.parse((await run(text, '--dry-run', ...flags, '--json')).stdout);
  /** Returns the lines about rows of the file. */
  const lines = async (text: string, ...flags: string[]) =>
    (await preview(text, ...flags)).filter(({ state }) => state !== 'not_in_list');
  return { workspace, file, run, preview, lines, costs: () => readLinks(workspace) };
}

async function readLinks({ json }: Workspace): Promise<Record<string, { cost: number; code: string }>> {
  const { items } = await json('suppliers', 'get', '@Fresh Farms');
  return Object.fromEntries(items.map(({ id, pivot }: { id: string; pivot: object }) => [id, pivot]));
}

const summaryOf = (lines: readonly Line[]) => lines.map(({ item, state }) => `${item} ${state}`);

describe('matching', () => {
  test.each([
    ["the supplier's code", 'code,price\nSUP-01-01,22\n'],
    ["the supplier's code in a column that names the item's", 'item code,price\nSUP-01-01,22\n'],
    ['the barcode', 'barcode,price\n6281000000001,22\n'],
    ['the SKU', 'sku,price\nSKU-001,22\n'],
    ['the exact name', 'name,price\nTomatoes,22\n'],
    ['the name in another case', 'name,price\nTOMATOES,22\n'],
  ])('%s: finds the item', async (_, text) => {
    const { lines } = await openShop();
    expect(await lines(text)).toMatchObject([{ item: 'Tomatoes', old: 20, new: 22, change_percent: 10 }]);
  });

  test('codes in another spelling: are reported with their items', async () => {
    const { run } = await openShop();
    const { stderr } = await run('sku,code,price\nsku 001,,22\n,sup.01.02,30\n', '--dry-run');
    expect(stderr).toMatch(/line 2: "sku 001" matched Tomatoes\n.*line 3: "sup.01.02" matched Cucumbers\n/);
  });

  test('a code of one item and the SKU of another: are left out, with both items', async () => {
    const { lines } = await openShop();
    const [line] = await lines('code,sku,price\nSUP-01-01,SKU-002,22\n');
    expect(line).toMatchObject({ state: 'left_out', reason: expect.stringContaining('different items') });
    expect(line?.reason).toContain('Cucumbers');
  });

  test('another name: is left out with a suggestion, and exits with 9', async () => {
    const { run } = await openShop();
    const result = await run('name,price\nFresh Tomatoes,22\nCucumbers,30\n', '--yes');
    expect([result.exitCode, result.stderr]).toEqual([9, expect.stringContaining('perhaps "Tomatoes"')]);
  });

  test('two rows for one item: with one price count once, with two prices are left out', async () => {
    const { lines } = await openShop();
    expect(summaryOf(await lines('name,price\nTomatoes,22\nTomatoes,22\n'))).toEqual(['Tomatoes up']);
    const twice = await lines('name,price\nTomatoes,22\nTomatoes,23\n');
    expect(twice.map(({ state, reason }) => [state, reason?.includes('lines 2, 3')])).toEqual([
      ['left_out', true],
      ['left_out', true],
    ]);
  });
});

describe('codes without their leading zeros', () => {
  const openShopWithZeros = async () => {
    const shop = await openShop();
    const fields = ['--order-unit', 'crate', '--order-to-storage-factor', '6', '--cost', '20'];
    const link = ['suppliers', 'link-item', '@Fresh Farms', '@SKU-001', '--code', '00101', ...fields];
    expect((await shop.workspace.boh(...link)).exitCode).toBe(0);
    return shop;
  };

  test('are left out with the item as a suggestion', async () => {
    const { run } = await openShopWithZeros();
    const { stdout } = await run('code,name,price\n101,Tomaten,24\n', '--dry-run', '-o', 'table');
    expect(stdout).toMatch(
      /line 2 \(101 Tomaten\): .*lost its leading zeros .*--accept-damage\); perhaps "Tomatoes"/,
    );
  });

  test('--accept-damage: find the item, and its stored code stays', async () => {
    const { run, costs } = await openShopWithZeros();
    const text = 'code,name,price\n101,Tomaten,24\n';
    expect((await run(text, '--accept-damage', '--yes')).exitCode).toBe(0);
    expect((await costs())['inventory-item-1']).toMatchObject({ cost: 24, code: '00101' });
  });
});

describe('units', () => {
  test.each([
    ['12 x 1 kg', 'kg', 12],
    ['6×500ml', 'l', 3],
    ['Bag 25 kg', 'kg', 25],
    ['2 x 6 x 1,5 L', 'l', 18],
    ['١٢ x ١ كجم', 'kg', 12],
    ['250 g', 'kg', 0.25],
    ['1 dozen', 'pcs', 12],
    ['12 x 1 kg', 'box', undefined],
    ['crate', 'kg', undefined],
  ])('%s of an item stored in %s: contains %s storage units', (pack, unit, expected) => {
    const units = storageUnitsIn(pack, unit);
    if (expected === undefined) expect(units).toBeUndefined();
    else expect(units).toBeCloseTo(expected, 9);
  });

  test.each([
    ['Crates', 'crate', true],
    ['pcs', 'piece', true],
    ['bag', 'box', false],
    ['kg', 'g', false],
  ])('%s and %s: are the same unit: %s', (a, b, expected) => {
    expect(isSameUnit(a, b)).toBe(expected);
  });

  test.each([
    ['the unit of the link', 'crate', 'up'],
    ['a pack of the size of the link', '6 x 1 kg', 'up'],
    ['a pack of another size', '10 x 1 kg', 'left_out'],
    ['another unit', 'bag', 'left_out'],
  ])('%s: %s is %s', async (_, unit, state) => {
    const { lines } = await openShop();
    expect(summaryOf(await lines(`name,unit,price\nTomatoes,${unit},22\n`))).toEqual([`Tomatoes ${state}`]);
  });

  test('an item that is not linked yet: is linked with a pack size, and left out without one', async () => {
    const { lines, run, costs } = await openShop();
    const withPack = 'name,unit,price\nZaatar,6 x 1 kg,210\n';
    expect(summaryOf(await lines(withPack))).toEqual(['Zaatar new']);
    const [line] = await lines('name,price\nZaatar,210\n');
    expect(line).toMatchObject({ state: 'left_out', reason: expect.stringContaining("isn't linked") });
    expect((await run(withPack, '--yes')).exitCode).toBe(0);
    expect(Object.values(await costs())).toContainEqual(
      expect.objectContaining({ cost: 210, order_unit: '6 x 1 kg', order_to_storage_factor: 6 }),
    );
  });
});

describe('the run', () => {
  test('sets the prices that changed, and undo restores them', async () => {
    const { workspace, run, costs } = await openShop();
    const before = await costs();
    const result = await run('code,price\nSUP-01-01,22\nSUP-01-02,27.5\n', '--yes');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('1 to link, 1 unchanged')]);
    expect(result.stderr).toContain('1 up, 1 equal');
    expect((await costs())['inventory-item-1']).toEqual({ ...before['inventory-item-1'], cost: 22 });
    expect((await workspace.boh('undo', '--last', '--yes')).exitCode).toBe(0);
    expect(await costs()).toEqual(before);
  });

  test('items of the supplier that the list lacks: are listed, and keep their price', async () => {
    const { preview } = await openShop();
    const lines = await preview('code,price\nSUP-01-01,22\n');
    expect(lines.filter(({ state }) => state === 'not_in_list').map(({ item }) => item)).toContain(
      'Cucumbers',
    );
  });

  test('rows are sorted by the change of the price', async () => {
    const { lines } = await openShop();
    const text = 'name,price\nTomatoes,22\nCucumbers,11\nOnions,35\n';
    expect(summaryOf(await lines(text))).toEqual(['Cucumbers down', 'Tomatoes up', 'Onions equal']);
  });

  test('--max-change: sends nothing if a price changes by more', async () => {
    const { run, costs } = await openShop();
    const before = await costs();
    const invalid = await run('name,price\nTomatoes,30\n', '--max-change', '20', '--yes');
    expect(failureOf(invalid).fields).toEqual({
      'max-change': ['--max-change must be a percentage, such as 20%'],
    });
    const refused = await run('name,price\nTomatoes,30\n', '--max-change', '20%', '--yes');
    expect(refused.exitCode).toBe(2);
    expect(JSON.stringify(failureOf(refused).fields)).toContain('20 → 30 (50 %)');
    expect(await costs()).toEqual(before);
    expect((await run('name,price\nTomatoes,24\n', '--max-change', '20%', '--yes')).exitCode).toBe(0);
  });

  test('a price of ten times the old one: is named as a likely mistake', async () => {
    const { run } = await openShop();
    const { stderr, stdout } = await run('name,price\nTomatoes,200\n', '--dry-run', '-o', 'table');
    expect(`${stdout}${stderr}`).toContain('Tomatoes: 20 → 200 (×10). Mistyped, or another pack?');
  });

  test('--also costs: sets the fixed cost of the items whose price changed, per storage unit', async () => {
    const { workspace, run } = await openShop();
    const text = 'name,price\nTomatoes,24\nCucumbers,27.5\n';
    expect((await run(text, '--also', 'costs', '--yes')).exitCode).toBe(0);
    const costOf = (sku: string) => workspace.json('inventory-items', 'get', `@${sku}`, '--query', 'cost');
    expect([await costOf('SKU-001'), await costOf('SKU-002')]).toEqual([4, 4]);
    expect((await workspace.boh('undo', '--last', '--yes')).exitCode).toBe(0);
    expect(await costOf('SKU-001')).toBe(4.5);
  });

  test('--also adjustment: creates a draft with the costs per storage unit, and undo deletes it', async () => {
    const { workspace, run, costs } = await openShop();
    const before = await costs();
    const list = () => workspace.json('cost-adjustments', 'list');
    const count = (await list()).length;
    const flags = ['--also', 'adjustment', '--branch-id', '@Riverside', '--business-date', '2026-11-28'];
    const result = await run('name,price\nTomatoes,24\nCucumbers,27.5\n', ...flags, '--yes');
    expect(result.exitCode, result.stderr).toBe(0);
    expect((await list()).at(-1)).toMatchObject({
      ...{ status: 1, business_date: '2026-11-28', branch: { id: 'branch-riverside' } },
      items: [{ id: 'inventory-item-1', pivot: { cost_per_unit: 4 } }],
    });
    expect((await workspace.boh('undo', '--last', '--yes')).exitCode).toBe(0);
    expect([(await list()).length, await costs()]).toEqual([count, before]);
  });

  test.each([
    ['--also adjustment without a branch', ['--also', 'adjustment'], '--also adjustment needs --branch-id'],
    ['--branch-id alone', ['--branch-id', '@Riverside'], '--branch-id needs --also adjustment'],
  ])('%s: is refused', async (_, flags, message) => {
    const { run } = await openShop();
    const refused = await run('name,price\nTomatoes,24\n', ...flags, '--yes');
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('recipes: are shown with their cost at the old and the new prices', async () => {
    const { workspace, run } = await openShop();
    const link = ['link-ingredient', '@SKU-030', '@SKU-001', '--quantity', '500'];
    expect((await workspace.boh('inventory-items', ...link)).exitCode).toBe(0);
    const { stdout } = await run('name,price\nTomatoes,40\n', '--dry-run', '-o', 'table');
    expect(stdout).toContain('Basmati Rice: 1.67 → 3.33 (+100%)');
  });

  test('the columns of --map: are remembered for the supplier', async () => {
    const { run } = await openShop();
    const text = 'What,Net EUR\nTomatoes,22\n';
    const mapped = await run(text, '--map', 'What=name', '--map', 'Net EUR=cost', '--yes');
    expect(mapped.exitCode, mapped.stderr).toBe(0);
    const next = await run('Fresh Farms,\nApril,\nWhat,Net EUR\nTomatoes,23\n', '--yes');
    expect(next.exitCode, next.stderr).toBe(0);
    const renamed = await run('What,Net USD\nTomatoes,24\n', '--map', 'Net USD=cost', '--yes');
    expect(renamed.exitCode, renamed.stderr).toBe(0);
  });

  test('the encoding: is remembered for the supplier, also if no column was mapped', async () => {
    const { workspace, file } = await openShop();
    const prices = (...flags: string[]) =>
      workspace.boh('suppliers', 'prices', '@Fresh Farms', file, '--yes', ...flags);
    writeFileSync(file, Buffer.from('name,cost\nGr\xfcnkohl,3\nTomatoes,22\n', 'latin1'));
    expect((await prices('--encoding', 'windows-1252')).stderr).toContain('1 up');
    expect((await prices()).stderr).toContain('1 equal');
  });

  test('headings and totals between the rows: are skipped', async () => {
    const { lines } = await openShop();
    const text = 'name,pack,price\nVEGETABLES,,\nTomatoes,,22\nTotal,,22\n"All prices, without tax",,\n';
    expect(summaryOf(await lines(text, '--map', 'pack='))).toEqual(['Tomatoes up']);
  });

  test('a second table with other columns: is refused with the line of its header', async () => {
    const { run } = await openShop();
    const refused = await run('name,price\nTomatoes,22\n\nprice,name\n29,Cucumbers\n');
    expect([refused.exitCode, failureOf(refused).message]).toEqual([
      2,
      expect.stringContaining('has another header in line 4.'),
    ]);
  });

  test('a list without a price column: is refused with the flag that names it', async () => {
    const { run } = await openShop();
    const refused = await run('name,barcode\nTomatoes,6281000000001\n');
    expect([refused.exitCode, failureOf(refused).hint]).toEqual([
      2,
      expect.stringContaining('--map COLUMN=cost'),
    ]);
  });

  test('--out: saves the plan, and apply sets the prices', async () => {
    const { workspace, run, costs } = await openShop();
    const plan = join(workspace.config, 'prices.plan');
    expect((await run('name,price\nTomatoes,22\n', '--out', plan)).exitCode).toBe(0);
    expect((await costs())['inventory-item-1']?.cost).toBe(20);
    expect((await workspace.boh('apply', '--plan', plan, '--yes')).exitCode).toBe(0);
    expect((await costs())['inventory-item-1']?.cost).toBe(22);
  });
});
