/** Checks which keys are the same in imports, manifests, upserts and lookups, which all find records by keys. */
import { describe, expect, it, test } from 'vitest';
import { foldKey, normalizeKey, spellingsOf } from '../../src/contract/normalize-key.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { fc } from '../harness/fast-check.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

interface Customer {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
}

/** The existing key, its field, and another spelling of it. */
const sameKeys = [
  ['the case of an email address', 'email', 'huda@example.com', 'Huda@Example.com'],
  ['decomposed letters', 'name', 'Caf\u00e9 Noor', 'Cafe\u0301 Noor'],
  ['a decomposed alef with hamza', 'name', '\u0623\u062d\u0645\u062f', '\u0627\u0654\u062d\u0645\u062f'],
  ['direction marks', 'name', 'نور', '\u200fنور\u200e'],
  ['digits of another script in a phone number', 'phone', '510777123', '٥١٠٧٧٧١٢٣'],
] as const;

const differentKeys = [
  ['a tatweel', 'name', 'نور', 'نـور'],
  ['the form of an alef', 'name', 'أحمد', 'احمد'],
  ['the form of a ya', 'name', 'علي', 'على'],
] as const;

describe.each(sameKeys)(
  'key that differs in %s: identifies the same record',
  (_, field, existingKey, otherSpelling) => {
    const createCustomer = async () => {
      const workspace = await openManifestWorkspace();
      const { id } = await workspace.json<Customer>(
        `customers create --data ${JSON.stringify({ name: 'Nobody', [field]: existingKey }).replaceAll(' ', '\\u0020')}`,
      );
      const customerCount = (await workspace.json<Customer[]>('customers list --all')).length;
      return { workspace, id, count: customerCount };
    };

    it('import: finds the record', async () => {
      const { workspace, id, count: customerCount } = await createCustomer();
      workspace.write('a.ndjson', `${JSON.stringify({ [field]: otherSpelling, gender: 1 })}\n`);
      const result = await workspace.boh(`customers import @/a.ndjson --key ${field} --yes -o json`);
      expect(JSON.parse(result.stdout)).toMatchObject([{ action: 'update', outcome: 'done', id }]);
      expect(await workspace.json<Customer[]>('customers list --all')).toHaveLength(customerCount);
    });

    it('manifest: finds the record, and later plans are empty', async () => {
      const { workspace, id, count: customerCount } = await createCustomer();
      workspace.write(
        'a.json',
        JSON.stringify({ customers: [{ $key: [field], [field]: otherSpelling, gender: 'male' }] }),
      );
      const [change, ...otherChanges] = await workspace.changes('@/a.json');
      expect([change?.action, Object.keys(change?.fields ?? {}), otherChanges]).toEqual([
        'update',
        ['gender'],
        [],
      ]);
      expect((await workspace.boh('apply @/a.json --yes')).exitCode).toBe(0);
      expect(await workspace.changes('@/a.json')).toEqual([]);
      const allCustomers = await workspace.json<Customer[]>('customers list --all');
      expect(allCustomers).toHaveLength(customerCount);
      expect(allCustomers.find((customer) => customer.id === id)?.[field]).toBe(existingKey);
    });

    it('upsert and lookup: find the record', async () => {
      const { workspace, id, count: customerCount } = await createCustomer();
      const body = JSON.stringify({ name: 'Nobody', [field]: otherSpelling, gender: 1 }).replaceAll(
        ' ',
        '\\u0020',
      );
      const upserted = await workspace.json<Customer>(`customers upsert --key ${field} --data ${body}`);
      expect(upserted.id).toBe(id);
      expect(await workspace.json<Customer[]>('customers list --all')).toHaveLength(customerCount);
      const foundResult = await workspace.boh(
        `customers get @${field}:${otherSpelling.replaceAll(' ', '\u00a0')} --columns id -o json`,
      );
      expect(JSON.parse(foundResult.stdout)).toMatchObject({ id });
    });

    it('file with both spellings: is refused as duplicate', async () => {
      const workspace = await openManifestWorkspace();
      const rows = [existingKey, otherSpelling].map((text) => ({ name: 'Nobody', [field]: text }));
      workspace.write('a.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const result = await workspace.boh(`customers import @/a.ndjson --key ${field} --yes -o json`);
      expect([result.exitCode, failureOf(result).message]).toEqual([2, expect.stringContaining('2')]);
      workspace.write(
        'a.json',
        JSON.stringify({ customers: rows.map((row) => ({ $key: [field], ...row })) }),
      );
      expect(Object.values(await workspace.mistakes('plan @/a.json')).flat()[0]).toContain(
        'declares the same customer as',
      );
    });
  },
);

describe.each(differentKeys)(
  'key that differs in %s: identifies another record, and is reported as similar',
  (_, __, existingKey, otherSpelling) => {
    const names = [existingKey, otherSpelling, 'Other One'];

    it('import: creates another record and notes the similar key', async () => {
      const sandbox = openImportSandbox();
      const rows = names.map((name) => JSON.stringify({ name })).join('\n');
      const result = await sandbox.import('a.ndjson', rows, 'customers --key name --yes');
      expect(result.rows.map(({ action }) => action)).toEqual(['create', 'create', 'create']);
      expect(result.stderr).toContain(
        `line 2: name "${otherSpelling}" is new, although it is similar to line 1 (${existingKey})`,
      );
      expect(result.stderr).not.toContain('Other One');
    });

    it('manifest: creates another record and notes the similar key', async () => {
      const workspace = await openManifestWorkspace();
      const customers = names.map((name) => ({ $key: ['name'], name }));
      workspace.write('a.json', JSON.stringify({ customers }));
      const result = await workspace.boh('plan @/a.json');
      expect(result.stderr).toMatch(`"${otherSpelling}" is new, although it is similar to `);
      expect(result.stderr).toContain(`a.json:1:`);
      expect(result.stderr).not.toContain('"Other One" is new');
      expect((await workspace.boh('apply @/a.json --yes')).exitCode).toBe(0);
      const allCustomers = await workspace.json<Customer[]>('customers list --all');
      for (const name of names)
        expect(allCustomers.filter((customer) => customer.name === name)).toHaveLength(1);
      expect((await workspace.boh('plan @/a.json')).stderr).not.toContain('is new, although');
    });
  },
);

test('plan: finds a record by another spelling, and reports it without a change of the name', async () => {
  const workspace = await openManifestWorkspace();
  await workspace.boh('suppliers create --name=Seafarers');
  workspace.write('a.json', JSON.stringify({ suppliers: [{ name: 'SEAFARERS' }] }));
  expect(await workspace.changes('@/a.json')).toEqual([]);
  expect((await workspace.boh('plan @/a.json')).stderr).toContain('"SEAFARERS" matched Seafarers');
  workspace.write(
    'b.json',
    JSON.stringify({ suppliers: [{ $renamed_from: 'Seafarers', name: 'SEAFARERS' }] }),
  );
  expect(await workspace.changes('@/b.json')).toMatchObject([{ action: 'update', fields: { name: {} } }]);
});

test('pull: writes keys that apply can distinguish, or IDs', async () => {
  const workspace = await openManifestWorkspace({ isEmpty: true });
  for (const email of ['Huda@example.com', 'huda@example.com'])
    expect((await workspace.boh(`customers create --name=Of-${email} --email=${email}`)).exitCode).toBe(0);
  expect((await workspace.boh('pull @/all --resource customers')).exitCode).toBe(0);
  expect(await workspace.changes('@/all')).toEqual([]);
});

test('normalizeKey: is idempotent, and returns the same form for all spellings of a key', () => {
  const email = { traits: { form: 'email' } } as Parameters<typeof normalizeKey>[0];
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      for (const field of [undefined, email]) {
        const normalized = normalizeKey(field, text);
        expect(normalizeKey(field, normalized)).toBe(normalized);
        for (const spelling of spellingsOf(field, text))
          expect(normalizeKey(field, spelling)).toBe(normalized);
        expect(foldKey(field, normalized)).toBe(foldKey(field, text));
      }
    }),
  );
});
