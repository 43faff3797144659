import { describe, expect, it } from 'vitest';
import { openManifestWorkspace } from './workspace.ts';

describe('plan --prune beyond the limit', () => {
  it('shows the changes and warns that apply will refuse them', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: Regular, type: customer }\n');
    const planResult = await workspace.boh('plan @/a.yaml --prune tags -o json --out @/p.plan');
    expect(planResult.exitCode).toBe(0);
    expect(JSON.parse(planResult.stdout).changes).toHaveLength(15);
    expect(planResult.stderr).toContain(
      'Would delete 15 of 16 tags; the limit is 1: boh apply will refuse this. To allow it: --max-deletes 15',
    );
    const diffResult = await workspace.boh('diff @/a.yaml --prune tags -o json');
    expect([diffResult.exitCode, JSON.parse(diffResult.stdout).changes.length]).toEqual([10, 15]);
    for (const applyArguments of [
      '@/a.yaml --prune tags',
      '--plan @/p.plan',
      '--plan @/p.plan --max-deletes 14',
    ]) {
      const refusedResult = await workspace.boh(`apply ${applyArguments} --yes`);
      expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
        2,
        expect.stringContaining('Would delete 15 of 16 tags'),
      ]);
    }
    expect((await workspace.boh('apply --plan @/p.plan --max-deletes 15 --yes')).exitCode).toBe(0);
  });

  it('with --max-deletes: the saved plan contains the limit', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('a.yaml', 'tags:\n  - { name: Regular, type: customer }\n');
    const planResult = await workspace.boh('plan @/a.yaml --prune tags --max-deletes 15 --out @/p.plan');
    expect(planResult.stderr).not.toContain('will refuse');
    expect((await workspace.boh('apply --plan @/p.plan --yes')).exitCode).toBe(0);
  });
});

it('apply --plan: lists the changes of the plan that others have made or prevented since', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write(
    'a.yaml',
    [
      'inventory-items:',
      '  - { sku: SKU-001, cost: 5 }',
      '  - { sku: SKU-002, barcode: "7" }',
      'tags:',
      '  - { name: New, type: customer }',
      '  - { name: VIP, name_localized: كبار الزبائن }',
      'suppliers:',
      '  - { name: Fresh Farms, items: [{ item: SKU-001, cost: 21 }] }',
      '',
    ].join('\n'),
  );
  expect((await workspace.boh('plan @/a.yaml --out @/p.plan')).exitCode).toBe(0);
  await workspace.boh('inventory-items update @SKU-001 --cost 6');
  await workspace.boh('inventory-items update @SKU-002 --barcode 7');
  await workspace.boh('tags create --name New --type customer');
  await workspace.boh('tags update @VIP --name-localized x');
  await workspace.boh(
    'suppliers link-item @SUP-01 @SKU-001 --cost 22 --order-unit crate --order-to-storage-factor 10',
  );
  const { changed } = await workspace.mistakes('apply --plan @/p.plan --yes');
  expect(changed).toEqual([
    expect.stringMatching(
      /^New: .*its key was created since the run was planned, by entry 3 \(boh .*tags create/,
    ),
    expect.stringMatching(
      /^SKU-001: Cost left unchanged: .*by entry 1 \(boh .*inventory-items update @SKU-001/,
    ),
    'SKU-002: Another write already made this change.',
    expect.stringMatching(/^Fresh Farms › SKU-001: Items left unchanged: .*by entry 5 \(boh .*link-item/),
  ]);
});

it('plan -o markdown: prints the changes as a table with escaped names', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write(
    'a.yaml',
    `tags:\n  - { name: "a|b \`c\` <b> @team", type: customer }\nsuppliers:\n  - { name: Fresh Farms, phone: "$\{PHONE}", items: [{ item: SKU-001, cost: 21 }] }\n`,
  );
  const { stdout, exitCode } = await workspace.boh('plan @/a.yaml -o markdown', undefined, { PHONE: '1' });
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    [
      '**1 to create, 1 to update**',
      '',
      '|  | record | field | before | after |',
      '| --- | --- | --- | --- | --- |',
      '| create | tag ``a\\|b `c` <b> @team`` | `name` |  | ``a\\|b `c` <b> @team`` |',
      '|  |  | `type` |  | `customer` |',
      '| update | supplier `Fresh Farms` | `phone` | `555000200` | `1` (from `$PHONE`) |',
      '|  |  | update `items` `SKU-001` `cost` | `20` | `21` |',
      '',
    ].join('\n'),
  );
  workspace.write('a.yaml', 'tags: [{ name: VIP }]\n');
  expect((await workspace.boh('diff @/a.yaml -o markdown')).stdout).toBe('**No changes.**\n');
});
