import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { api } from '../../src/api/resources/index.ts';
import { manifestFields } from '../../src/engine/manifest/declared/fields.ts';
import { openManifestWorkspace } from './workspace.ts';

const seededResources = api.collections.filter(
  (resource) => manifestFields(resource).size > 0 && !resource.transactional,
);
const allCounts = seededResources.map(({ command }) => `${command}=9`).join(',');

describe('boh seed', () => {
  it('creates related records of every resource, and a second run creates none', async () => {
    const workspace = await openManifestWorkspace();
    const customersBefore = await workspace.json<unknown[]>('customers list --all');
    const result = await workspace.boh(`seed --count ${allCounts} --random-seed 7 --yes`);
    expect(result.exitCode, result.stderr).toBe(0);
    const repeatResult = await workspace.boh(`seed --count ${allCounts} --random-seed 7 --yes`);
    expect([repeatResult.exitCode, repeatResult.stderr]).toEqual([
      0,
      expect.stringContaining(`${seededResources.length * 9} unchanged`),
    ]);
    const customersAfter = await workspace.json<unknown[]>('customers list --all');
    // No existing record was overwritten.
    expect(customersAfter).toEqual(expect.arrayContaining(customersBefore));
    expect(customersAfter).toHaveLength(customersBefore.length + 9);
    const suppliers = await workspace.json<{ code: string; items: unknown[] }[]>(
      'suppliers list --all --include items',
    );
    expect(
      suppliers.filter(({ code, items }) => code.startsWith('S7-') && items.length > 0).length,
    ).toBeGreaterThan(2);
  });

  it('--print: prints the same manifest for the same random seed, and apply accepts it', async () => {
    const workspace = await openManifestWorkspace();
    const printManifest = async (seed: number) =>
      (await workspace.boh(`seed --count tags=3,customers=50 --random-seed ${seed} --print`)).stdout;
    const [firstManifest, sameSeedManifest, otherSeedManifest] = [
      await printManifest(7),
      await printManifest(7),
      await printManifest(8),
    ];
    expect(sameSeedManifest).toBe(firstManifest);
    expect(otherSeedManifest).not.toBe(firstManifest);
    expect(parse(firstManifest).customers).toHaveLength(50);
    const phones = new Set(
      [firstManifest, otherSeedManifest].flatMap((text) =>
        parse(text).customers.map(({ phone }: { phone: string }) => phone),
      ),
    );
    expect(phones.size).toBe(100);
    workspace.write('seeds.yaml', firstManifest);
    expect((await workspace.boh('apply @/seeds.yaml --yes')).exitCode).toBe(0);
    expect((await workspace.boh('diff @/seeds.yaml')).exitCode).toBe(0);
  });

  it.each([
    ['seed', 'Missing --count'],
    ['seed --count custommers=5', 'Did you mean "customers"?'],
    ['seed --count customers', 'Expected a number of records'],
    ['seed --count customers=x', 'Expected a number of records'],
    ['seed --count customers=0', 'Missing --count'],
    ['seed --count customers=1,tags=1,customers=2', 'customers is listed twice'],
    ['seed --count loyalty-rewards=5', 'can\'t create "loyalty-rewards"'],
    ['seed --count gift-card-products=5', '--count categories=10'],
    ['seed --count tags=1 --random-seed x', 'whole number'],
  ])('%s is refused', async (line, expected) => {
    const workspace = await openManifestWorkspace();
    const result = await workspace.boh(line);
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining(expected)]);
  });
});

describe('sandbox run --apply', () => {
  it("applies the files before the command runs, and doesn't run it if the files are invalid", async () => {
    const workspace = await openManifestWorkspace();
    workspace.write('seeds/tags.yaml', 'tags:\n  - { name: Seeded, type: customer }\n');
    const result = await workspace.boh('sandbox run --empty --apply @/seeds -- true');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('1 created, 0 unchanged.')]);
    workspace.write('none.yaml', 'tags: []\n');
    for (const line of [
      'sandbox run --empty --apply @/none.yaml -- true',
      'plan @/none.yaml',
      'rehearse @/none.yaml',
    ]) {
      const emptyResult = await workspace.boh(line);
      expect([emptyResult.exitCode, emptyResult.stderr], line).toEqual([
        2,
        expect.stringContaining('contain no records'),
      ]);
    }
    workspace.write('seeds/wrong.yaml', 'tags:\n  - { nam: x }\n');
    const refusedResult = await workspace.boh('sandbox run --empty --apply @/seeds -- true');
    expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
      2,
      expect.stringContaining('wrong.yaml:2:7'),
    ]);
    workspace.write(
      'seeds/wrong.yaml',
      'inventory-items:\n  - { sku: A, name: A, storage_unit: kg, ingredient_unit: g, storage_to_ingredient_factor: 1, costing_method: fixed cost, ingredients: [{ ingredient: A, quantity: 1 }] }\n',
    );
    const half = await workspace.boh('sandbox run --empty --apply @/seeds -- true');
    expect([half.exitCode, half.stderr]).toEqual([
      6,
      expect.stringContaining("can't be an ingredient of itself"),
    ]);
  });
});
