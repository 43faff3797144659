/**
 * Saved plans for arbitrary accounts that another user changes in the meantime: a plan is carried out completely if
 * nothing that it covers has changed, and otherwise refused completely.
 */
import { expect, test } from 'vitest';
import { fc } from '../harness/fast-check.ts';
import { openDeclaring } from './declaring.ts';

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
const held = fc.dictionary(fc.constantFrom(...codes), fc.record({ name: names, phone: phones }), {
  noNullPrototype: true,
});
const declared = fc.dictionary(
  fc.constantFrom(...codes),
  fc.record({ name: names, phone: phones }, { requiredKeys: ['name'] }),
  { minKeys: 1, noNullPrototype: true },
);

const meddlings = [
  'nothing',
  'another field',
  'a declared field',
  'another record',
  'deleted',
  'added',
] as const;

const shown = ({ code, name, phone }: Supplier) => [code, name, phone] as const;

test('a saved plan of an account that others change: is carried out completely or refused', () =>
  fc.assert(
    fc.asyncProperty(
      held,
      declared,
      fc.constantFrom(...meddlings),
      fc.nat(),
      async (before, wanted, meddling, at) => {
        const place = await openDeclaring({ isEmpty: true });
        const all = async () => {
          const found = await place.json<Supplier[]>('suppliers list --all');
          return found.sort((a, b) => (a.code < b.code ? -1 : 1));
        };
        const records = (of: Record<string, object>) =>
          Object.entries(of).map(([code, rest]) => ({ code, ...rest }));
        if (Object.keys(before).length > 0) {
          place.write('before.json', JSON.stringify(records(before)));
          expect((await place.boh('suppliers import @/before.json --mode create --yes')).exitCode).toBe(0);
        }
        place.write('a.json', JSON.stringify({ suppliers: records(wanted) }));
        const planned = await place.boh('plan @/a.json --out @/p.json -o json');
        expect(planned.exitCode).toBe(0);
        const { changes } = JSON.parse(planned.stdout);
        const mine = Object.keys(wanted) as Code[];
        const there = mine.filter((code) => Object.hasOwn(before, code));
        const fresh = mine.filter((code) => !Object.hasOwn(before, code));
        const one = there[at % Math.max(1, there.length)];
        const other = Object.keys(before).find((code) => !Object.hasOwn(wanted, code));
        let isRefused = false;
        if (meddling === 'another field' && one)
          await place.boh(`suppliers update @code:${one} --email=other@example.com`);
        if (meddling === 'a declared field' && one) {
          await place.boh(`suppliers update @code:${one} --name=Meddled`);
          isRefused = true;
        }
        if (meddling === 'another record' && other)
          await place.boh(`suppliers update @code:${other} --name=Meddled`);
        if (meddling === 'deleted' && one) {
          await place.boh(`suppliers delete @code:${one} --yes`);
          isRefused = true;
        }
        const [added] = fresh;
        if (meddling === 'added' && added) {
          await place.boh(`suppliers create --name=Meddled --code=${added}`);
          isRefused = true;
        }
        const now = await all();
        const applied = await place.boh('apply --plan @/p.json --yes -o json');
        if (isRefused) {
          expect([applied.exitCode, applied.stderr]).toEqual([2, expect.stringContaining('changed since')]);
          expect(await all()).toEqual(now);
        } else expect([applied.exitCode, applied.exitCode === 0 ? '' : applied.stderr]).toEqual([0, '']);
        if (!isRefused) expect(JSON.parse(applied.stdout)).toHaveLength(changes.length);
        // A new plan succeeds in any case, and leaves nothing to do.
        expect((await place.boh('apply @/a.json --yes')).exitCode).toBe(0);
        expect(await place.changes('@/a.json')).toEqual([]);
        const end = new Map((await all()).map((each) => [each.code, each]));
        expect(end.size).toBe(new Set([...Object.keys(before), ...mine]).size);
        for (const [code, { name, phone }] of Object.entries(wanted)) {
          const [, is, number] = shown(end.get(code) as Supplier);
          expect(is).toBe(name);
          if (phone !== undefined) expect(number).toBe(phone);
        }
      },
    ),
    { numRuns: 20 },
  ));
