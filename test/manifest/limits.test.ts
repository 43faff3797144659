import { describe, expect, it } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { openManifestWorkspace } from './workspace.ts';

describe('the limits of apply', () => {
  it('apply to prices in all fields, also to a price that is removed', async () => {
    const workspace = await openManifestWorkspace();
    const modifier = (price: number, cost: number | null) => `modifiers:
  - reference: PRICED
    name: Priced
    options:
      - { name: Large, price: 4, cost: ${cost}, branches: [{ branch: Riverside, price: ${price} }] }
`;
    workspace.write('a.yaml', modifier(5, 2));
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
    workspace.write('a.yaml', modifier(50, null));
    const refusedResult = await workspace.boh('apply @/a.yaml --yes --max-price-change 99% -o json');
    expect(failureOf(refusedResult).fields).toEqual({
      'max-price-change': [
        'modifier PRICED Large cost: 2 → nothing (100 %)',
        'modifier PRICED Large Riverside price: 5 → 50 (900 %)',
      ],
    });
  });

  it('--max-changes, --max-price-change: refuse an apply that exceeds them', async () => {
    const workspace = await openManifestWorkspace();
    workspace.write(
      'a.yaml',
      `inventory-items:
  - { sku: SKU-001, cost: 45 }
  - { sku: SKU-002, cost: 4.1 }
suppliers:
  - { name: Fresh Farms, items: [{ item: SKU-001, cost: 200 }] }
`,
    );
    const refusedResult = await workspace.boh(
      'apply @/a.yaml --yes --max-changes 2 --max-price-change 50% -o json',
    );
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).fields).toEqual({
      'max-changes': ['Would change 3 of 3 records; the limit is 2'],
      'max-price-change': [
        'inventory item SKU-001 cost: 4.5 → 45 (900 %)',
        'supplier Fresh Farms › SKU-001 cost: 20 → 200 (900 %)',
      ],
    });
    expect((await workspace.boh('apply @/a.yaml --yes --max-changes x --max-price-change 5')).exitCode).toBe(
      2,
    );
    expect(await workspace.changes('@/a.yaml')).toHaveLength(3);
    expect((await workspace.boh('apply @/a.yaml --yes')).exitCode).toBe(0);
  });
});

describe('on a protected profile', () => {
  it('large price changes, and a loss of the last supplier, category or tax: are refused without a flag', async () => {
    const workspace = await openManifestWorkspace();
    const prod = (line: string) =>
      workspace.bohWithoutSandbox(`${line} --profile prod`, { BOH_SANDBOX: 'prod' });
    expect(
      (await workspace.bohWithoutSandbox('profiles add prod --sandbox --protected', { BOH_SANDBOX: 'prod' }))
        .exitCode,
    ).toBe(0);
    const items = JSON.parse((await prod('inventory-items list --all --include suppliers --json')).stdout);
    const singleSupplierItem = items.find(
      ({ suppliers }: { suppliers: unknown[] }) => suppliers.length === 1,
    );
    const [{ id }] = singleSupplierItem.suppliers;
    const { code } = JSON.parse((await prod(`suppliers get ${id} --json`)).stdout);
    const allCategories = JSON.parse((await prod('inventory-item-categories list --all --json')).stdout);
    const categories = allCategories.flatMap(({ reference }: { reference: string }) =>
      reference === 'VEG' ? [] : [{ reference }],
    );
    workspace.write(
      'a.json',
      JSON.stringify({
        suppliers: [{ code, $exact: true, items: [] }],
        'inventory-items': [{ sku: 'SKU-002', cost: 40 }],
        'inventory-item-categories': categories,
        'tax-groups': [{ name: 'Standard Rate', $exact: true, taxes: [] }],
      }),
    );
    const refusedResult = await prod(
      'apply @/a.json --prune inventory-item-categories --max-deletes 1 --yes -o json',
    );
    expect(refusedResult.exitCode).toBe(2);
    const { 'allow-loss': losses = [], 'max-price-change': priceChanges } = failureOf(refusedResult)
      .fields as Record<string, string[]>;
    expect(priceChanges).toEqual(['inventory item SKU-002 cost: 4 → 40 (900 %)']);
    expect(losses).toContain(`inventory item ${singleSupplierItem.name} would lose its only suppliers`);
    expect(losses).toContain('inventory item Tomatoes would lose its only category');
    expect(losses).toContain('tax group Standard Rate would lose its only taxes');
    expect(await prod('plan @/a.json -q')).toMatchObject({ exitCode: 0 });
  });

  it("a record that gets another category or tax, or is deleted itself: isn't a loss", async () => {
    const workspace = await openManifestWorkspace();
    const prod = (line: string) =>
      workspace.bohWithoutSandbox(`${line} --profile prod`, { BOH_SANDBOX: 'prod' });
    await workspace.bohWithoutSandbox('profiles add prod --sandbox --protected', { BOH_SANDBOX: 'prod' });
    await prod('pull @/all --resource inventory-item-categories,inventory-items,suppliers,taxes,tax-groups');
    const without = (file: string, marker: string) =>
      workspace.write(
        file,
        workspace
          .read(file)
          .split(/^(?= {2}- )/m)
          .filter((part) => !part.includes(marker))
          .join(''),
      );
    const replaced = (file: string, from: RegExp, to: string) =>
      workspace.write(file, workspace.read(file).replaceAll(from, to));
    without('all/inventory-item-categories.yaml', 'reference: VEG');
    replaced('all/inventory-items.yaml', /category: VEG/g, 'category: PANTRY');
    without('all/inventory-items.yaml', 'sku: SKU-057');
    without('all/taxes.yaml', 'name: VAT');
    replaced('all/tax-groups.yaml', /- VAT/g, '- Zero');
    replaced('all/tax-groups.yaml', /^ {4}taxes:/gm, '    $exact: true\n    taxes:');
    const prune = ['inventory-item-categories', 'inventory-items', 'taxes'].map((name) => `--prune ${name}`);
    const apply = (maxDeletes: number) =>
      prod(`apply @/all ${prune.join(' ')} --max-deletes ${maxDeletes} --yes -o json`);
    const original = workspace.read('all/inventory-item-categories.yaml');
    // The new category of these items is deleted, too.
    without('all/inventory-item-categories.yaml', 'reference: PANTRY');
    const refused = failureOf(await apply(2)).fields as Record<string, string[]>;
    expect(refused['allow-loss']).toContain('inventory item SKU-001 would lose its only category');
    expect(refused['allow-loss']?.join()).not.toContain('tax');
    workspace.write('all/inventory-item-categories.yaml', original);
    expect((await apply(1)).exitCode).toBe(0);
  });
});
