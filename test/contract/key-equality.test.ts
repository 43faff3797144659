/** Checks keys that are similar, and not the same; test/session/spellings.test.ts has those that are the same. */
import { describe, expect, it, test } from 'vitest';
import { foldKey, normalizeKey, spellingsOf } from '../../src/api/contract/normalize-key.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { fc } from '../harness/fast-check.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

interface Customer {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
}

const differentKeys = [
  ['a tatweel', 'name', 'نور', 'نـور'],
  ['the form of an alef', 'name', 'أحمد', 'احمد'],
  ['the form of a ya', 'name', 'علي', 'على'],
] as const;

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
