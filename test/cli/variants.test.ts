/** Runs typical commands against sandboxes, each of which differs from the API document in one respect. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';

interface Deployment {
  /** The settings of the sandbox. */
  service: string[];
  /** The settings of the profile that boh needs for this service. */
  profile?: [name: string, value: string][];
  /** Is set if updates need --full, because PUT clears omitted fields and the profile has no setting for it. */
  needsFull?: true;
}

const deployments: Record<string, Deployment> = {
  'that follows the API document': { service: [] },
  'that returns relations only on request': { service: ['wire.relations=absent'] },
  'whose PUT replaces': { service: ['wire.put=replace'], profile: [['wire.put', 'replace']] },
  'whose PUT replaces without a setting in the profile': { service: ['wire.put=replace'], needsFull: true },
  'that returns only deleted records': {
    service: ['wire.deleted_filter=only'],
    profile: [['wire.deleted_filter', 'only']],
  },
  'whose lists have no totals': { service: ['wire.totals=absent'] },
  'with small pages': { service: ['wire.page_size=7'] },
  'with large pages': { service: ['wire.page_size=500'] },
  'with a limit of 30 requests a minute': { service: ['wire.requests_per_minute=30'] },
  'with a limit of 90 requests a minute': { service: ['wire.requests_per_minute=90'] },
  'whose empty responses have status 204': { service: ['wire.empty_status=204'] },
  'that differs in all these respects': {
    service: [
      'wire.relations=absent',
      'wire.put=replace',
      'wire.deleted_filter=only',
      'wire.totals=absent',
      'wire.page_size=20',
      'wire.requests_per_minute=30',
      'wire.empty_status=204',
    ],
    profile: [
      ['wire.deleted_filter', 'only'],
      ['wire.put', 'replace'],
    ],
  },
};

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Splits a line into words at spaces; text in quotes is one word. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quotedText, plain]) => quotedText ?? plain ?? '');
}

describe.each(Object.entries(deployments))('a service %s', (_, { service, profile = [], needsFull }) => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-variant-'));
  folders.push(folder);
  const env = { BOH_CONFIG_DIR: folder, HOME: folder };
  const fullFlag = needsFull ? ' --full' : '';

  async function boh(line: string): Promise<string> {
    const { exitCode, stdout, stderr } = await runBoh(wordsOf(line), { env });
    expect([line, exitCode, exitCode === 0 ? '' : stderr]).toEqual([line, 0, '']);
    return stdout;
  }
  // biome-ignore lint/suspicious/noExplicitAny: JSON of every shape
  const json = async (line: string): Promise<any> => JSON.parse(await boh(`${line} -o json`));
  const exitCodeOf = async (line: string) => (await runBoh(wordsOf(line), { env })).exitCode;

  beforeAll(async () => {
    await boh('profiles add here --sandbox');
    for (const [name, value] of profile) await boh(`config set ${name} ${value}`);
    if (service.length > 0) await boh(`sandbox settings set ${service.join(' ')}`);
  });

  it('lists: are read completely, filtered, and printed as tables and CSV', async () => {
    const rows = await json('customers list --all');
    expect(new Set(rows.map(({ id }: { id: string }) => id)).size).toBe(200);
    expect(await json('customers list --phone 510000000')).toMatchObject([{ name: 'Huda Al-Amin' }]);
    expect((await json('inventory-items list --tags-id @Perishable')).length).toBeGreaterThan(10);
    expect((await json('customers list --limit 3')).length).toBe(3);
    expect(await boh('inventory-items list --limit 2 -o table')).toContain('Vegetables');
    const csv = await boh('suppliers list -o csv --columns name,tags.name --limit 1');
    expect(csv).toMatch(/^name,tags\.name\r\nFresh Farms,Local\r\n$/);
  });

  it('records: are found by name and shown with their relations', async () => {
    expect(await json('suppliers get "@Fresh Farms" --include tags')).toMatchObject({
      tags: [{ name: 'Local' }],
    });
    expect(await boh('suppliers get @SUP-02 -o table')).toContain('Green Valley');
    expect(await exitCodeOf('suppliers get @Nobody')).toBe(5);
    expect(await json('whoami')).toMatchObject({ is_owner: true });
  });

  it('create and update: change fields, and add and remove entries of lists', async () => {
    const supplier = await json(
      'suppliers create --name "Coastal Fish" --code SUP-90 --phone 555 --tags @Local',
    );
    await boh(`suppliers update @SUP-90 --contact-name Yusuf${fullFlag}`);
    const updatedSupplier = await json(`suppliers get ${supplier.id} --include tags`);
    expect(updatedSupplier).toMatchObject({ contact_name: 'Yusuf', phone: '555', tags: [{ name: 'Local' }] });
    await boh(`suppliers update @SUP-90 --add-tags @Weekly${fullFlag}`);
    await boh(`suppliers update @SUP-90 --remove-tags @Local${fullFlag}`);
    expect(await json(`suppliers get ${supplier.id} --include tags`)).toMatchObject({
      phone: '555',
      tags: [{ name: 'Weekly' }],
    });
    expect(await exitCodeOf('suppliers create --phone 1')).toBe(2);
  });

  it('delete: lists show deleted records, and restore finds a record by name', async () => {
    const { id } = await json('tags create --name Seasonal --type customer');
    await boh(`tags delete ${id} --yes`);
    const tags: { id: string; deleted_at: string | null }[] = await json('tags list --is-deleted');
    expect(tags.filter(({ deleted_at }) => deleted_at !== null).map((tag) => tag.id)).toContain(id);
    expect(await exitCodeOf('tags restore @Regular')).toBe(5);
    await boh('tags restore @Seasonal');
    expect(await json(`tags get ${id}`)).toMatchObject({ deleted_at: null });
  });

  it('links and nested parts: are written', async () => {
    const link = 'suppliers link-item "@Green Valley" @SKU-013';
    await boh(`${link} --order-unit box --order-to-storage-factor 6`);
    const supplier = await json('suppliers get "@Green Valley" --include items');
    expect(supplier.items.at(-1).pivot).toMatchObject({ order_unit: 'box', order_to_storage_factor: 6 });
    await boh('suppliers unlink-item "@Green Valley" @SKU-013 --yes');
    await boh(`modifiers update @Milk --is-ready=false${fullFlag}`);
    const milk = await json('modifiers get @Milk --include options,products');
    expect([milk.is_ready, milk.options.length, milk.products.length]).toEqual([false, 2, 2]);
  });

  it('an inventory count is closed, and a loyalty reward is redeemed', async () => {
    const count = 'inventory-counts create --status draft --branch-id branch-riverside --items @SKU-001=24';
    const { id, reference } = await json(count);
    await boh(`inventory-counts update @${reference} --status closed --yes${fullFlag}`);
    expect(await json(`inventory-counts get ${id}`)).toMatchObject({ status: 2 });
    const redeem = 'loyalty-rewards redeem loyalty-reward-1 --order-id order-1 --yes';
    await boh(redeem);
    expect(await json('loyalty-rewards get loyalty-reward-1 --include order')).toMatchObject({
      order: { id: 'order-1' },
    });
  });
});
