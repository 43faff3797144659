import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorkspace } from './sandbox-workspace.ts';

describe('an import with prices in cents, followed by changes by hand', () => {
  test('undo: reverts all other rows, and names the changed ones with their user', async () => {
    const workspace = createWorkspace();
    const rows = Array.from({ length: 120 }, (_, index) => ({ sku: `PL-${index}`, cost: 10 + index }));
    const csv = (factor: number) =>
      ['sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,category']
        .concat(
          rows.map(({ sku, cost }) => `${sku},Item ${sku},kg,g,1000,fixed cost,${cost * factor},Vegetables`),
        )
        .join('\n');
    const file = join(workspace.config, 'prices.csv');
    const importPrices = async (factor: number) => {
      writeFileSync(file, csv(factor));
      const result = await workspace.boh('inventory-items', 'import', file, '--key', 'sku', '--yes');
      expect([result.exitCode, result.stderr]).toEqual([
        0,
        expect.stringMatching(/To undo this: boh --sandbox undo \d{8}-/),
      ]);
    };
    await importPrices(1);
    await importPrices(100);
    const [{ id: run }] = await workspace.json('runs', 'list');
    const manuallyChanged = ['PL-3', 'PL-70', 'PL-119'];
    for (const sku of manuallyChanged)
      await workspace.boh('inventory-items', 'update', `@${sku}`, '--cost', '5');
    const planResult = await workspace.boh('undo', run, '--dry-run');
    expect(planResult.stderr).toContain('120 records (117 to update, 3 left unchanged');
    const undoResult = await workspace.boh('undo', run, '--yes');
    expect(undoResult.exitCode).toBe(9);
    const results = undoResult.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.filter(({ outcome }) => outcome === 'done')).toHaveLength(117);
    const unchangedRows = results.filter(({ outcome }) => outcome === 'failed');
    expect(unchangedRows.map(({ key }) => /PL-\d+/.exec(key)?.[0]).sort()).toEqual(
      [...manuallyChanged].sort(),
    );
    for (const { error } of unchangedRows)
      expect(error.message).toMatch(
        /Cost left unchanged: it was changed since, by .*entry \d+ \(boh .* --cost 5\) at /,
      );
    const currentItems = await workspace.json(
      'inventory-items',
      'list',
      '--sku',
      rows.map(({ sku }) => sku).join(','),
    );
    expect(currentItems).toHaveLength(120);
    for (const { sku, cost } of currentItems) {
      expect([sku, cost]).toEqual([
        sku,
        manuallyChanged.includes(sku) ? 5 : rows.find((row) => row.sku === sku)?.cost,
      ]);
    }
  });
});

describe('undo of a record that was changed since', () => {
  test('one changed field: keeps it, and undoes the other fields', async () => {
    const workspace = createWorkspace();
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1', '--code', 'A');
    await workspace.bohWith(
      { BOH_HISTORY_JOURNAL: 'off' },
      'suppliers',
      'update',
      'supplier-1',
      '--code',
      'B',
    );
    const undoResult = await workspace.boh('undo', '1', '--yes');
    expect(undoResult.exitCode).toBe(9);
    expect(undoResult.stderr).toContain('Code left unchanged: it was changed since, by someone else at');
    expect(await workspace.json('suppliers', 'get', 'supplier-1')).toMatchObject({
      phone: '555000200',
      code: 'B',
    });
  });

  test('no other field to undo: nothing is sent, and the exit code is 9', async () => {
    const workspace = createWorkspace();
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1');
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '2');
    const undoResult = await workspace.boh('undo', '1', '--yes');
    expect(undoResult.exitCode).toBe(9);
    expect(undoResult.stderr).toContain('by entry 2 (boh --sandbox suppliers update supplier-1 --phone 2)');
    expect((await workspace.json('history')).length).toBe(2);
    expect((await workspace.json('runs', 'list')).length).toBe(0);
  });

  test('a changed new record: is not deleted', async () => {
    const workspace = createWorkspace();
    const { id } = await workspace.json('suppliers', 'create', '--name', 'Zed');
    await workspace.boh('suppliers', 'update', id, '--phone', '1');
    expect((await workspace.boh('undo', '1', '--yes')).exitCode).toBe(9);
    expect((await workspace.boh('undo', '--since', '1h', '--yes')).exitCode).toBe(0);
    expect((await workspace.json('suppliers', 'get', id)).deleted_at).not.toBeNull();
  });
});

describe('undo', () => {
  test('several writes: are undone in reverse order, with a minimum of requests', async () => {
    const workspace = createWorkspace();
    for (const phone of ['1', '2', '3'])
      await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', phone);
    await workspace.boh('suppliers', 'delete', 'supplier-1', '--yes');
    const undoResult = await workspace.boh('undo', '--since', '1h', '--yes', '--verbose');
    expect(undoResult.exitCode).toBe(0);
    expect(undoResult.stderr.match(/^PUT .*$/gm)?.map((line) => line.split(':')[0])).toEqual([
      'PUT /suppliers/supplier-1/restore',
      'PUT /suppliers/supplier-1',
    ]);
    expect(await workspace.json('suppliers', 'get', 'supplier-1')).toMatchObject({
      phone: '555000200',
      deleted_at: null,
    });
  });

  test('changes that cancel each other: sends nothing', async () => {
    const workspace = createWorkspace();
    const link = ['suppliers', 'link-item', 'supplier-1', 'inventory-item-1', '--order-unit', 'box'];
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1');
    await workspace.boh('undo', '--last', '--yes');
    await workspace.boh(...link, '--order-to-storage-factor', '99');
    await workspace.boh('undo', '--last', '--yes');
    await workspace.boh('suppliers', 'delete', 'supplier-1', '--yes');
    await workspace.boh('undo', '--last', '--yes');
    await workspace.boh('inventory-items', 'update', 'inventory-item-2', '--cost', '2');
    const undoResult = await workspace.boh('undo', '--since', '1h', '--yes', '--verbose');
    expect([undoResult.exitCode, undoResult.stderr.match(/^(PUT|POST|DELETE) .*(?=:)/gm)]).toEqual([
      0,
      ['PUT /inventory_items/inventory-item-2'],
    ]);
  });

  test('a field that was never written, no writes, or a run that is not an undo: is reported', async () => {
    const workspace = createWorkspace();
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1');
    for (const line of [['1'], ['--last'], ['--since', '1h']]) {
      const misspelled = await workspace.boh('undo', ...line, '--field', 'phnoe', '--yes');
      expect([misspelled.exitCode, misspelled.stderr]).toEqual([
        5,
        expect.stringContaining('these writes changed phnoe'),
      ]);
    }
    const nothing = await workspace.boh('undo', '--since', '1h', '--by', 'No one', '--yes');
    expect([nothing.exitCode, nothing.stderr]).toEqual([0, expect.stringContaining('nothing was written')]);
    const [{ run }] = await workspace.json('history');
    const redoResult = await workspace.boh('redo', run, '--yes');
    expect([redoResult.exitCode, redoResult.stderr]).toEqual([
      5,
      expect.stringContaining(`Undo ${run} not found`),
    ]);
    expect(await workspace.json('suppliers', 'get', 'supplier-1')).toMatchObject({ phone: '1' });
    await workspace.boh('undo', run, '--yes');
    const [undo] = await workspace.json('history');
    expect((await workspace.boh('redo', undo.run, '--yes')).exitCode).toBe(0);
    expect(await workspace.json('suppliers', 'get', 'supplier-1')).toMatchObject({ phone: '1' });
  });

  test('links: shows the changes of each link', async () => {
    const workspace = createWorkspace();
    const link = (...line: string[]) => workspace.boh('suppliers', ...line, '-q');
    const unit = ['--order-unit', 'crate', '--order-to-storage-factor', '6'];
    await link('link-item', 'supplier-1', 'inventory-item-1', ...unit, '--cost', '99');
    await link('unlink-item', 'supplier-1', 'inventory-item-2', '--yes');
    const [plannedUndo] = await workspace.json('undo', '--since', '1h', '--dry-run');
    expect(plannedUndo.changes).toEqual({
      'items inventory-item-1 cost': { from: 99, to: 20 },
      'items inventory-item-2': { from: null, to: 'linked' },
    });
  });

  test('links that were changed since: names each with its user', async () => {
    const workspace = createWorkspace();
    const link = (item: string, cost: string) =>
      workspace.boh(
        ...['suppliers', 'link-item', 'supplier-1', item, '--order-unit', 'box', '--cost', cost],
        ...['--order-to-storage-factor', '4'],
      );
    for (const item of ['inventory-item-1', 'inventory-item-2', '5xebbi6dz3ma']) await link(item, '9');
    await link('inventory-item-1', '5');
    await workspace.boh('suppliers', 'unlink-item', 'supplier-1', 'inventory-item-2', '--yes');
    for (const number of ['1', '2']) {
      const undoResult = await workspace.boh('undo', number, '--yes');
      expect(undoResult.exitCode).toBe(9);
      expect(undoResult.stderr).toContain(
        `Items inventory-item-${number} left unchanged: it was changed since, by`,
      );
      expect(undoResult.stderr).toContain(`entry ${Number(number) + 3} (boh`);
    }
    expect((await workspace.boh('undo', '3', '--yes')).exitCode).toBe(0);
  });

  test('writes before a delete and after its restore: undoes both', async () => {
    const workspace = createWorkspace();
    const readSupplier = async () => {
      const { phone, contact_name, deleted_at } = await workspace.json('suppliers', 'get', 'supplier-1');
      return { phone, contact_name, deleted_at };
    };
    const before = await readSupplier();
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1');
    await workspace.boh('suppliers', 'delete', 'supplier-1', '--yes');
    await workspace.boh('suppliers', 'restore', 'supplier-1', '--yes');
    await workspace.boh('suppliers', 'update', 'supplier-1', '--contact-name', 'X');
    expect(await readSupplier()).toEqual({ ...before, phone: '1', contact_name: 'X' });
    const undoResult = await workspace.boh('undo', '--since', '1h', '--yes', '--verbose');
    expect([undoResult.exitCode, undoResult.stderr.match(/^(PUT|POST|DELETE) .*(?=:)/gm)]).toEqual([
      0,
      ['PUT /suppliers/supplier-1'],
    ]);
    expect(await readSupplier()).toEqual(before);
  });

  test('of an undo, by --last or redo: redoes the writes', async () => {
    const workspace = createWorkspace();
    const phone = async () => (await workspace.json('suppliers', 'get', 'supplier-1')).phone;
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1');
    await workspace.boh('undo', '--last', '--yes');
    expect(await phone()).toBe('555000200');
    await workspace.boh('undo', '--last', '--yes');
    expect(await phone()).toBe('1');
    await workspace.boh('undo', '--last', '--yes');
    expect(await phone()).toBe('555000200');
    await workspace.boh('redo', '--yes');
    expect(await phone()).toBe('1');
    const repeatResult = await workspace.boh('redo', '--yes');
    expect([repeatResult.exitCode, await phone()]).toEqual([5, '1']);
    const [entry] = await workspace.json('history');
    expect(entry.undoes).toMatch(/^\d{8}-/);
  });

  test('--field: keeps the other fields', async () => {
    const workspace = createWorkspace();
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1', '--contact-name', 'X');
    await workspace.boh('undo', '--last', '--field', 'contact-name', '--yes');
    expect(await workspace.json('suppliers', 'get', 'supplier-1')).toMatchObject({
      phone: '1',
      contact_name: 'Yusuf Darwish',
    });
  });

  test('without a terminal: requires --yes and writes to undo', async () => {
    const workspace = createWorkspace();
    expect((await workspace.boh('undo', '--last', '--yes')).exitCode).toBe(5);
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '1');
    expect((await workspace.boh('undo', '--last')).exitCode).toBe(2);
    expect((await workspace.boh('undo')).exitCode).toBe(2);
    expect((await workspace.boh('undo', '1', '--last')).exitCode).toBe(2);
    expect((await workspace.boh('undo', '7', '--yes')).exitCode).toBe(5);
    const planResult = await workspace.boh('undo', '1', '--dry-run');
    expect(JSON.parse(planResult.stdout)).toMatchObject({
      changes: { phone: { from: '1', to: '555000200' } },
    });
    expect((await workspace.json('suppliers', 'get', 'supplier-1')).phone).toBe('1');
  });

  test('a write without its before image: is rejected with the reason', async () => {
    const workspace = createWorkspace();
    const withoutBefore = { BOH_HISTORY_BEFORE: 'off' };
    const update = await workspace.bohWith(
      withoutBefore,
      'suppliers',
      'update',
      'supplier-1',
      '--phone',
      '1',
    );
    expect(update.stderr).not.toContain('undo');
    const undoResult = await workspace.boh('undo', '1', '--yes');
    expect([undoResult.exitCode, undoResult.stderr]).toEqual([
      9,
      expect.stringContaining('history.before is off'),
    ]);
  });
});

describe('an irreversible write', () => {
  test('of secrets, statuses and rewards: is announced before it is sent', async () => {
    const workspace = createWorkspace();
    const pin = await workspace.boh('users', 'update', 'user-1', '--data', '{"pin":"59038271"}');
    expect(pin.stderr).toContain("The current PIN can't be read");
    expect(pin.stderr).not.toContain('To undo this');
    expect((await workspace.boh('undo', '--last', '--yes')).stderr).toContain(
      'Pin left unchanged: The current PIN',
    );
    const [{ id }] = await workspace.json('inventory-counts', 'list', '--status', 'draft', '--limit', '1');
    const closed = await workspace.boh(
      'inventory-counts',
      'update',
      id,
      '--status',
      'closed',
      '--yes',
      '--verbose',
    );
    expect(closed.stderr).toMatch(/With this status, the inventory count takes effect.*PUT /s);
  });
});
