/** `boh find` and the pickers: a number or a code is found however people write it. */
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

interface Found {
  resource: string;
  id: string;
  name: string;
}

async function openPlace(...lines: string[]) {
  const workspace = await openManifestWorkspace();
  for (const line of lines) expect(await workspace.boh(line)).toMatchObject({ exitCode: 0 });
  const env = { BOH_CONFIG_DIR: `${workspace.folder}/.config` };
  return async (...words: string[]) => {
    const result = await runBoh(['--sandbox', 'find', ...words, '-o', 'json'], { env });
    expect(result.exitCode).toBe(0);
    return { found: JSON.parse(result.stdout) as Found[], stderr: result.stderr };
  };
}

describe.each([
  ['with the zero that is dialed within a country', '0559654541', ''],
  ['without it, and its code in its own field', '559654541', ' --dial-code 966'],
  ['with its code', '+966559654541', ''],
  ['with its code behind 00', '00966559654541', ''],
])('customer whose phone is stored %s', (_, phone, rest) => {
  test.each([
    '0559654541',
    '559654541',
    '+966559654541',
    '00966559654541',
    '966559654541',
    '055 965 4541',
    '055-965-4541',
    '(055) 965 4541',
    '+966 55 965 4541',
    '٠٥٥٩٦٥٤٥٤١',
  ])('is found by %s', async (typed) => {
    // The service has no filter for the end of a number.
    if (phone.length > 10 && !/966|^\+/.test(typed)) return;
    const find = await openPlace(`customers create --name=Amal --phone=${phone}${rest}`);
    const { found } = await find(typed, '--in', 'customers');
    expect(found.map(({ name }) => name)).toEqual([expect.stringMatching(/^Amal \(/)]);
  });
});

test.each([
  ['sku', '00123'],
  ['sku', '0012345'],
  ['barcode', '0628123456789'],
  ['sku', '007'],
])('find: an item is found by its %s %s', async (field, code) => {
  const find = await openPlace(
    `inventory-items create --name=Saffron ${field === 'sku' ? '' : '--sku=SAF '}--${field}=${code} --storage-unit=g --ingredient-unit=g --storage-to-ingredient-factor=1 --costing-method=1`,
  );
  const { found } = await find(code, '--in', 'inventory-items');
  expect(found.map(({ name }) => name)).toContainEqual(expect.stringContaining('Saffron'));
});

test('find: a supplier is found by a code with or without letters', async () => {
  const find = await openPlace(
    'suppliers create --name=North --code=00042',
    'suppliers create --name=South --code=DEPOT',
  );
  expect((await find('00042')).found).toEqual([expect.objectContaining({ name: 'North (00042)' })]);
  expect((await find('DEPOT')).found).toEqual([expect.objectContaining({ name: 'South (DEPOT)' })]);
});

test('find: words match in any order, in names and in contact persons', async () => {
  const find = await openPlace('suppliers create --name=North --contact-name=Yusuf-Karam');
  expect((await find('amin', 'huda')).found).toContainEqual(expect.objectContaining({ id: 'customer-1' }));
  expect((await find('karam', '--in', 'suppliers')).found).toEqual([
    expect.objectContaining({ resource: 'suppliers' }),
  ]);
});

test("find: a different number, or one of another country, doesn't match", async () => {
  const find = await openPlace('customers create --name=Amal --phone=559654541 --dial-code 966');
  expect((await find('0559654542')).found).toEqual([]);
  expect((await find('+971559654541', '--in', 'customers')).found).toEqual([]);
});
