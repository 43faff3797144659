/**
 * Saved plans for arbitrary accounts that another user changes before the apply. A plan is applied completely if no record in
 * the plan has changed, and otherwise refused completely.
 */
import { expect, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { openManifestWorkspace } from './workspace.ts';

interface Supplier {
  id: string;
  code: string;
  name: string;
  phone: string | null;
  email: string | null;
}

const codes = ['A', 'B', 'C', 'D'] as const;
type Code = (typeof codes)[number];

const names = fc.constantFrom('Farm', 'Market', 'مزرعة', 'Café', 'Dairy "One"', "Baker's");
const phones = fc.constantFrom('0501', '0502', '٠٥٠٣', '+966 5');
const existing = fc.dictionary(fc.constantFrom(...codes), fc.record({ name: names, phone: phones }), {
  noNullPrototype: true,
});
const declared = fc.dictionary(
  fc.constantFrom(...codes),
  fc.record({ name: names, phone: phones }, { requiredKeys: ['name'] }),
  { minKeys: 1, noNullPrototype: true },
);

const otherChanges = [
  'nothing',
  'another field',
  'a declared field',
  'another record',
  'deleted',
  'added',
] as const;

const valuesOf = ({ code, name, phone }: Supplier) => [code, name, phone] as const;

test('a saved plan of an account that other users change: is applied completely or refused', () =>
  fc.assert(
    fc.asyncProperty(
      existing,
      declared,
      fc.constantFrom(...otherChanges),
      fc.nat(),
      async (initialRecords, declaredRecords, otherChange, position) => {
        const workspace = await openManifestWorkspace({ isEmpty: true });
        const listSuppliers = async () => {
          const suppliers = await workspace.json<Supplier[]>('suppliers list --all');
          return suppliers.sort((a, b) => (a.code < b.code ? -1 : 1));
        };
        const records = (of: Record<string, object>) =>
          Object.entries(of).map(([code, values]) => ({ code, ...values }));
        if (Object.keys(initialRecords).length > 0) {
          workspace.write('before.json', JSON.stringify(records(initialRecords)));
          expect((await workspace.boh('suppliers import @/before.json --mode create --yes')).exitCode).toBe(
            0,
          );
        }
        workspace.write('a.json', JSON.stringify({ suppliers: records(declaredRecords) }));
        const planResult = await workspace.boh('plan @/a.json --out @/p.json -o json');
        expect(planResult.exitCode).toBe(0);
        const { changes } = JSON.parse(planResult.stdout);
        const declaredCodes = Object.keys(declaredRecords) as Code[];
        const existingCodes = declaredCodes.filter((code) => Object.hasOwn(initialRecords, code));
        const newCodes = declaredCodes.filter((code) => !Object.hasOwn(initialRecords, code));
        const existingCode = existingCodes[position % Math.max(1, existingCodes.length)];
        const undeclaredCode = Object.keys(initialRecords).find(
          (code) => !Object.hasOwn(declaredRecords, code),
        );
        let isRefused = false;
        if (otherChange === 'another field' && existingCode)
          await workspace.boh(`suppliers update @code:${existingCode} --email=other@example.com`);
        if (otherChange === 'a declared field' && existingCode) {
          await workspace.boh(`suppliers update @code:${existingCode} --name=Changed`);
          isRefused = true;
        }
        if (otherChange === 'another record' && undeclaredCode)
          await workspace.boh(`suppliers update @code:${undeclaredCode} --name=Changed`);
        if (otherChange === 'deleted' && existingCode) {
          await workspace.boh(`suppliers delete @code:${existingCode} --yes`);
          isRefused = true;
        }
        const [added] = newCodes;
        if (otherChange === 'added' && added) {
          await workspace.boh(`suppliers create --name=Changed --code=${added}`);
          isRefused = true;
        }
        const current = await listSuppliers();
        const applyResult = await workspace.boh('apply --plan @/p.json --yes -o json');
        if (isRefused) {
          expect([applyResult.exitCode, applyResult.stderr]).toEqual([
            2,
            expect.stringContaining('changed since'),
          ]);
          expect(await listSuppliers()).toEqual(current);
        } else
          expect([applyResult.exitCode, applyResult.exitCode === 0 ? '' : applyResult.stderr]).toEqual([
            0,
            '',
          ]);
        if (!isRefused) expect(JSON.parse(applyResult.stdout)).toHaveLength(changes.length);
        // A new plan always succeeds, and a second plan is then empty.
        expect((await workspace.boh('apply @/a.json --yes')).exitCode).toBe(0);
        expect(await workspace.changes('@/a.json')).toEqual([]);
        const finalRecords = new Map((await listSuppliers()).map((supplier) => [supplier.code, supplier]));
        expect(finalRecords.size).toBe(new Set([...Object.keys(initialRecords), ...declaredCodes]).size);
        for (const [code, { name, phone }] of Object.entries(declaredRecords)) {
          const [, actualName, actualPhone] = valuesOf(finalRecords.get(code) as Supplier);
          expect(actualName).toBe(name);
          if (phone !== undefined) expect(actualPhone).toBe(phone);
        }
      },
    ),
    { numRuns: 20 },
  ));
