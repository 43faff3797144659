import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

describe('update that replaces a list', () => {
  test('names the entries that would be removed, and sends nothing unless it is confirmed', async () => {
    const [supplier] = JSON.parse((await demo.boh('suppliers list --code SUP-01 --include tags')).stdout);
    const [tag] = supplier.tags;
    const terminal = demo.terminal(`boh --sandbox suppliers update ${supplier.id} --tags @Weekly`);
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toContain(`This removes from supplier "${supplier.name}" (${supplier.id}):`);
    expect(prompt).toContain(`Tags: "${tag.name}" (${tag.id})`);
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Nothing was sent.');

    const extended = demo.terminal(`boh --sandbox suppliers update ${supplier.id} --tags ${tag.id},@Weekly`);
    expect(await extended.ended()).toBe(0);
    const cleared = demo.terminal(`boh --sandbox suppliers update ${supplier.id} --clear tags`);
    expect(await cleared.waitFor('(y/N)')).toContain('"Weekly"');
    cleared.types('y', keys.enter);
    expect(await cleared.ended()).toBe(0);
    const resultAfter = await demo.boh(`suppliers get ${supplier.id} --include tags`);
    expect(JSON.parse(resultAfter.stdout).tags).toEqual([]);
  });
});

test('canceled question: the last line of JSON reports that nothing was sent', async () => {
  for (const key of [keys.enter, keys.ctrlC]) {
    const terminal = demo.terminal('BOH_ERRORS=json boh --sandbox suppliers delete @SUP-05');
    await terminal.waitFor('(y/N)');
    terminal.types(key);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text().replaceAll(/\s/g, '')).toContain('"outcome":"not_sent"');
  }
});

describe('update of several records', () => {
  test('asks once for all records, and shows them with the values that would be removed', async () => {
    const line = 'boh --sandbox suppliers update @SUP-02 @SUP-03 --tags @Weekly';
    const [second, third] = JSON.parse(
      (await demo.boh('suppliers get @SUP-02 @SUP-03 --include tags')).stdout,
    );
    const terminal = demo.terminal(line);
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toContain(`supplier "${second.name}" (${second.id})`);
    expect(prompt).toContain(`supplier "${third.name}" (${third.id})`);
    const changedSuppliers = [second, third].filter(({ tags }) =>
      tags.some(({ name }: { name: string }) => name !== 'Weekly'),
    );
    expect(changedSuppliers).not.toEqual([]);
    for (const { name } of changedSuppliers) expect(prompt).toContain(`This removes from supplier "${name}"`);
    expect(prompt).toContain('? Update 2 suppliers?');
    terminal.types('y', keys.enter);
    expect(await terminal.ended()).toBe(0);
    const after = JSON.parse((await demo.boh('suppliers get @SUP-02 @SUP-03 --include tags')).stdout);
    expect(after.map(({ tags }: { tags: { name: string }[] }) => tags.map(({ name }) => name))).toEqual([
      ['Weekly'],
      ['Weekly'],
    ]);
  });
});

describe('delete', () => {
  test('shows the record by name and whether it can be restored; Enter alone means no', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers delete @SUP-08');
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toMatch(/Suppliers can be restored: .*\n\? Delete supplier "Oasis Drinks" \(\w+\)\?/);
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Canceled. Nothing was sent.');
    expect((await demo.boh('suppliers get @SUP-08')).exitCode).toBe(0);
  });

  test('prints a command that restores the records', async () => {
    const terminal = demo.terminal('boh --sandbox suppliers delete @SUP-08 @SUP-09');
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toMatch(
      /Delete:\n {2}supplier "Oasis Drinks" \(\w+\)\n {2}supplier "PackRight" \(\w+\)\n/,
    );
    expect(prompt).toContain('? Delete 2 suppliers?');
    terminal.types('y', keys.enter);
    expect(await terminal.ended()).toBe(0);
    expect((await demo.boh('suppliers get @SUP-08')).exitCode).toBe(5);

    const line = /To undo this: (.*)\n/.exec(terminal.text())?.[1] ?? '';
    expect(line).toMatch(/^boh --sandbox suppliers restore \w+ \w+$/);
    const restore = demo.terminal(line);
    expect(await restore.waitFor('(y/N)')).toMatch(/Restore:\n {2}supplier "(Oasis Drinks|PackRight)"/);
    restore.types('y', keys.enter);
    expect(await restore.ended()).toBe(0);
    expect((await demo.boh('suppliers get @SUP-08')).exitCode).toBe(0);
  });

  test('of a record that cannot be restored: warns before the question', async () => {
    const terminal = demo.terminal('boh --sandbox inventory-counts delete @IC-0001');
    expect(await terminal.waitFor('(y/N)')).toContain('inventory count "IC-0001"');
    expect(terminal.text()).toContain("Inventory counts can't be restored.");
    terminal.types('y', keys.enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).not.toContain('To undo this');
  });

  test('deletes nothing if one of the names is not found', async () => {
    const result = await demo.boh('suppliers delete @SUP-07 @SUP-99 --yes');
    expect(result.exitCode).toBe(5);
    expect((await demo.boh('suppliers get @SUP-07')).exitCode).toBe(0);
  });

  test('continues after a failure, and reports it', async () => {
    const result = await demo.boh('suppliers delete nowhere @SUP-06 --yes');
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toContain('Supplier nowhere not found.');
    expect(result.stderr).toMatch(/To undo this: boh --sandbox suppliers restore \w+\n/);
  });

  test('without a terminal: needs --yes and asks nothing', async () => {
    const refusedResult = await demo.boh('suppliers delete @SUP-01');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.stderr).toContain('To delete supplier @SUP-01, add --yes.');
    expect(refusedResult.stderr).toContain('Suppliers can be restored: boh --sandbox suppliers restore ID');
    expect((await demo.boh('suppliers restore a b')).exitCode).toBe(2);
  });
});

describe('snapshot of a sandbox', () => {
  test('is restored and deleted after a confirmation, at 80 and at 120 columns', async () => {
    const listSnapshots = async () => JSON.parse((await demo.boh('sandbox snapshot list -o json')).stdout);
    for (const columns of [80, 120]) {
      expect((await demo.boh('sandbox snapshot save monday')).exitCode).toBe(0);
      for (const [action, question] of [
        ['restore', 'Restore the sandbox "default" from monday? All later changes are lost.'],
        ['delete', 'Delete the snapshot monday? Its content is lost.'],
      ] as const) {
        const canceled = demo.terminal(`boh sandbox snapshot ${action} monday`, { columns });
        expect((await canceled.waitFor('(y/N)')).replace(/\s+/g, ' ')).toContain(question);
        canceled.types(keys.enter);
        expect(await canceled.ended()).toBe(130);
        expect(canceled.text()).toContain('Canceled. Nothing was changed.');
        expect(await listSnapshots()).toHaveLength(1);

        const confirmed = demo.terminal(`boh sandbox snapshot ${action} monday`, { columns });
        await confirmed.waitFor('(y/N)');
        confirmed.types('y', keys.enter);
        expect(await confirmed.ended()).toBe(0);
      }
      expect(await listSnapshots()).toEqual([]);
    }
  });
});

describe('protected profile', () => {
  test('delete --where: asks to confirm the matching records, and then for the profile name', async () => {
    await demo.boh('profiles add live');
    await demo.boh('config set protected true --profile live');
    const terminal = demo.terminal(
      'boh --profile live suppliers delete --where name=PackRight --max-deletes 1',
    );
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toContain('PackRight');
    expect(prompt).not.toContain('is protected');
    terminal.types('y', keys.enter);
    await terminal.waitFor('type the name of the profile, live');
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
    expect((await demo.boh('suppliers list --name PackRight -o id')).stdout).not.toBe('');
  });

  test('import and apply of a single record: show the change before they ask for the profile name', async () => {
    await demo.boh('profiles add live');
    await demo.boh('config set protected true --profile live');
    writeFileSync(join(demo.folder, 'one.csv'), 'code,phone\nSUP-02,1234567\n');
    writeFileSync(join(demo.folder, 'one.yaml'), 'suppliers:\n  - code: SUP-02\n    phone: "1234567"\n');
    for (const line of ['suppliers import one.csv --key code', 'apply one.yaml']) {
      const terminal = demo.terminal(`cd ${demo.folder} && boh --profile live ${line}`);
      expect(await terminal.waitFor('type the name of the profile, live')).toMatch(/phone.*1234567/);
      terminal.types(keys.ctrlC);
      expect(await terminal.ended()).toBe(130);
    }
  });
});
