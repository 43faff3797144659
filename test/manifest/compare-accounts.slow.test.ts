import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { type Change, type ManifestWorkspace, openManifestWorkspace } from './workspace.ts';

/** Creates two profiles, each with its own sandbox that contains the demo business. */
async function openAccounts(): Promise<{
  workspace: ManifestWorkspace;
  boh(line: string): ReturnType<typeof runBoh>;
  diff(flags?: string): Promise<{ exitCode: number; changes: Change[]; stderr: string }>;
}> {
  const workspace = await openManifestWorkspace();
  const boh = (line: string, env: Record<string, string> = {}) =>
    runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: join(workspace.folder, '.config'), ...env } });
  for (const name of ['a', 'b']) await boh(`profiles add ${name} --sandbox`, { BOH_SANDBOX: name });
  return {
    workspace,
    boh,
    diff: async (flags = '') => {
      const result = await boh(`diff --from a --to b ${flags} -o json`.replaceAll(/ +/g, ' '));
      return { ...result, changes: result.stdout === '' ? [] : JSON.parse(result.stdout).changes };
    },
  };
}

describe('boh diff --from A --to B', () => {
  it('reports no difference between two accounts with the same records and different IDs', async () => {
    const { boh, diff } = await openAccounts();
    expect(await diff()).toMatchObject({ exitCode: 0, changes: [] });
    for (const profile of ['a', 'b']) {
      expect((await boh(`tags create --name Late --type order --profile ${profile}`)).exitCode).toBe(0);
    }
    const { exitCode, changes, stderr } = await diff();
    expect([exitCode, changes]).toEqual([0, []]);
    const [, identicalCount] = /^(\d+) identical/m.exec(stderr) ?? [];
    expect(Number(identicalCount)).toBeGreaterThan(500);
  });

  it('pairs records like a copy: by another spelling if only one record of each account has it', async () => {
    const { boh, diff } = await openAccounts();
    await boh('inventory-items update @SKU-001 --sku sku-001 --profile b');
    expect(await diff()).toMatchObject({ exitCode: 0, changes: [] });
    await boh('inventory-items update @SKU-002 --sku Sku.001 --profile b');
    const { changes } = await diff('--resource inventory-items');
    expect(changes.map(({ action, key }) => [action, key]).sort()).toEqual([
      ['create', 'SKU-001'],
      ['create', 'SKU-002'],
      ['delete', 'Sku.001'],
      ['delete', 'sku-001'],
    ]);
  });

  it('lists records that only one account has, and changed fields and links, by name', async () => {
    const { boh, diff } = await openAccounts();
    for (const line of [
      'tags create --name OnlyA --type customer --profile a',
      'customers update @510000000 --add-tags @OnlyA --profile a',
      'tags create --name OnlyB --type customer --profile b',
      'inventory-items update @SKU-001 --cost 99 --profile b',
      'suppliers unlink-item @SUP-01 @SKU-002 --yes --profile b',
    ])
      expect(await boh(line)).toMatchObject({ exitCode: 0 });
    const { exitCode, changes, stderr } = await diff();
    expect(exitCode).toBe(10);
    expect(changes).toEqual([
      expect.objectContaining({ action: 'create', resource: 'tags', key: 'OnlyA' }),
      expect.objectContaining({
        action: 'update',
        resource: 'customers',
        fields: { tags: { old: ['Regular'], new: ['Regular', 'OnlyA'] } },
      }),
      expect.objectContaining({
        action: 'update',
        resource: 'inventory-items',
        key: 'SKU-001',
        fields: { cost: { old: 99, new: 4.5 } },
      }),
      expect.objectContaining({
        action: 'update',
        resource: 'suppliers',
        links: [expect.objectContaining({ action: 'create', link: 'items', key: 'SKU-002' })],
      }),
      expect.objectContaining({ action: 'delete', resource: 'tags', key: 'OnlyB' }),
    ]);
    expect(stderr).toContain('1 only in a (+), 1 only in b (-), 3 different');
    // The link is stored with the supplier, but an item also shows its suppliers.
    expect((await diff('--resource inventory-items --ignore cost')).changes).toMatchObject([
      { key: 'SKU-002', links: [{ action: 'create', link: 'suppliers', key: 'SUP-01' }] },
    ]);
    const ignoreFlags = '--resource inventory-items --ignore cost --ignore suppliers';
    expect((await diff(ignoreFlags)).exitCode).toBe(0);
    // The tags of customers are shown by name, although tags themselves are not compared.
    const { changes: customerChanges } = await diff('--resource customers');
    expect(customerChanges).toMatchObject([
      { fields: { tags: { new: ['OnlyA', 'Regular'].sort().reverse() } } },
    ]);
  });

  it.each([
    ['diff --from a', 'boh diff --from PROFILE --to PROFILE'],
    ['diff --from a --to b seeds', "can't be combined with paths"],
    ['diff --from a --to b --prune tags', "can't be combined with paths"],
    ['diff --from a --to b --resource tagz', 'Did you mean "tags"?'],
    ['diff --from a --to b --ignore costt', 'Did you mean "cost"?'],
    ['diff --from a --to a', 'the same account'],
    ['diff seeds --ignore cost', 'need two accounts'],
  ])('%s: is refused', async (line, message) => {
    const { boh } = await openAccounts();
    const result = await boh(line);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
