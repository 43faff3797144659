import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ImportSandbox, openImportSandbox } from '../bulk/import-sandbox.ts';

interface Customer {
  name: string;
  tags: { name: string }[];
}

async function listVipCustomers(sandbox: ImportSandbox): Promise<Customer[]> {
  const customers = await sandbox.json<Customer[]>('customers list --tags-id @VIP --include tags');
  return customers.sort((a, b) => (a.name < b.name ? -1 : 1));
}

test.each(['json', 'ndjson', 'csv'])(
  'import of a %s list with --ignore-read-only: creates its records in another account',
  async (format) => {
    const [from, to] = [openImportSandbox(), openImportSandbox()];
    const list = await from.boh(`customers list --tags-id @VIP --include tags -o ${format}`);
    const before = await listVipCustomers(from);
    // Another account has other ids, and other customers.
    await to.boh('customers delete --where tags.id=@VIP --yes --max-deletes 100%');
    const [tag] = await to.json<{ id: string }[]>('tags list --name VIP');
    await to.boh(`tags delete ${tag?.id} --yes`);
    await to.boh('tags create --name VIP --type customer');
    const file = join(to.folder, `list.${format}`);
    writeFileSync(file, list.stdout);

    const refusedResult = await to.boh(`customers import ${file} --mode create --yes`);
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.stderr).toContain('--ignore-read-only');

    const result = await to.boh(`customers import ${file} --mode create --ignore-read-only --yes`);
    expect(result.exitCode, result.stderr).toBe(0);
    const after = await listVipCustomers(to);
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    expect(after[0]?.tags.map(({ name }) => name)).toContain('VIP');
  },
);
