import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAccounts, parseRows } from './backups.ts';

describe('a service that includes relations only on request', () => {
  test('backup and restore: nested relations are complete, and a second restore writes nothing', async () => {
    const { folder, boh, createEmptySandbox, backup } = openAccounts();
    const included = await backup('demo', 'first');
    await boh('demo', 'sandbox settings set wire.relations=absent --name demo');
    const onRequest = await backup('demo', 'second');
    expect(onRequest.get('modifiers')).toEqual(included.get('modifiers'));
    createEmptySandbox('new');
    await boh('new', 'sandbox settings set wire.relations=absent --name new');
    const line = `backup restore ${join(folder, 'second')} --resource modifiers --with-references --same-references --yes`;
    expect((await boh('new', line)).exitCode).toBe(0);
    const repeatResult = await boh('new', line);
    expect(parseRows(repeatResult).filter(({ action }) => action !== 'skip')).toEqual([]);
  });
});

describe('stock documents', () => {
  const items = '--items @SKU-001=3 --branch-id branch-airport';

  test('of another account with the same references: are not changed or duplicated', async () => {
    const { folder, boh, json, backup, createEmptySandbox } = openAccounts();
    await backup('demo', 'first');
    createEmptySandbox('new');
    const line = (flags: string) =>
      `backup restore ${join(folder, 'first')} --same-references ${flags} --yes`;
    await boh('new', line('--resource inventory_items --with-references'));
    const ownCount = await json('new', `inventory-counts create ${items} --status draft --notes Ours`);
    const result = await boh('new', line('--resource inventory_counts --with-references'));
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringContaining('because they are transactions of one account: inventory counts'),
    ]);
    expect(parseRows(result).filter(({ resource }) => resource === 'inventory_counts')).toMatchObject([
      { action: 'create', outcome: 'done' },
      { action: 'create', outcome: 'done' },
    ]);
    expect(await json('new', `inventory-counts get ${ownCount.id}`)).toEqual(ownCount);
    const repeatResult = await boh('new', line('--resource inventory_counts --with-references'));
    expect(parseRows(repeatResult).filter(({ action }) => action !== 'skip')).toEqual([]);
    expect(await json('new', 'inventory-counts list')).toHaveLength(3);
  });

  test('that took effect after the backup: are not changed', async () => {
    const { folder, boh, json } = openAccounts();
    const { id } = await json('demo', `inventory-counts create ${items} --status draft --notes Before`);
    await boh('demo', `backup ${join(folder, 'first')} --resource inventory_counts`);
    await boh('demo', `inventory-counts update ${id} --status closed --notes After --yes`);
    const result = await boh('demo', `backup restore ${join(folder, 'first')} --yes`);
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.stringContaining(
        'because the matching records of the target have already taken effect: 1 inventory count.',
      ),
    ]);
    expect(await json('demo', `inventory-counts get ${id}`)).toMatchObject({ status: 2, notes: 'After' });
  });
});
