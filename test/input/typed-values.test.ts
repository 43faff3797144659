import { afterAll, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';

const demo = startDemo();
afterAll(() => demo.remove());

test.each([
  ['inventory-items update @SKU-001 --cost SAR4.9', { cost: 4.9 }, '--cost: 4.9 SAR'],
  [
    'inventory-items update @SKU-001 --storage-unit kg --par-level 250g',
    { par_level: '0.25' },
    '--par-level: 0.25 kg',
  ],
  ['taxes update @VAT --rate 20%', { rate: 20 }, '--rate: 20 percent'],
  ['customers update customer-1 --birth-date 9-Feb-1990', { birth_date: '1990-02-09' }, '(Friday)'],
  [
    'customers update customer-1 --phone +966-50-123-4567',
    { phone: '501234567', dial_code: 966 },
    '+966 501234567',
  ],
  [
    'delivery-zones update @ZONE-NORTH --coordinates [[46,24],[46.1,24],[46,24.1]]',
    {
      coordinates: [
        [46, 24],
        [46.1, 24],
        [46, 24.1],
        [46, 24],
      ],
    },
    'closed, 4 points',
  ],
])('%s: is read as in a form, and shown', async (line, body, understood) => {
  const { stdout, stderr, exitCode } = await demo.boh(`${line} --dry-run -o json`);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining(understood)]);
  expect(JSON.parse(stdout).body).toMatchObject(body);
});

test('a unit that cannot be converted: is refused', async () => {
  const { stderr, exitCode } = await demo.boh(
    'inventory-items update @SKU-001 --storage-unit kg --par-level 2l',
  );
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('must be in kg, not "l"')]);
});
