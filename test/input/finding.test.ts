/** Checks `boh find` and the search of prompts: numbers and codes are found in any notation. */
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

interface Match {
  resource: string;
  id: string;
  name: string;
}

async function openSandboxWith(...lines: string[]) {
  const workspace = await openManifestWorkspace();
  for (const line of lines) expect(await workspace.boh(line)).toMatchObject({ exitCode: 0 });
  const env = { BOH_CONFIG_DIR: `${workspace.folder}/.config` };
  return async (...words: string[]) => {
    const result = await runBoh(['--sandbox', 'find', ...words, '-o', 'json'], { env });
    expect(result.exitCode).toBe(0);
    return { matches: JSON.parse(result.stdout) as Match[], stderr: result.stderr };
  };
}

describe.each([
  ['with the leading zero', '0559654541', ''],
  ['without the leading zero, with dial_code', '559654541', ' --dial-code 966'],
  ['with the calling code after +', '+966559654541', ''],
  ['with the calling code after 00', '00966559654541', ''],
])('customer whose phone is stored %s', (_, phone, dialCodeFlag) => {
  test.for([
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
  ])('find: is found by %s', async (query, { skip }) => {
    if (phone.length > 10 && !/966|^\+/.test(query))
      return skip('the service cannot filter by the end of a number, so the calling code is needed');
    const find = await openSandboxWith(`customers create --name=Amal --phone=${phone}${dialCodeFlag}`);
    const { matches } = await find(query, '--in', 'customers');
    expect(matches.map(({ name }) => name)).toEqual([expect.stringMatching(/^Amal \(/)]);
  });
});

test.each([
  ['sku', '00123'],
  ['sku', '0012345'],
  ['barcode', '0628123456789'],
  ['sku', '007'],
])('find: an item is found by %s %s', async (field, code) => {
  const find = await openSandboxWith(
    `inventory-items create --name=Saffron ${field === 'sku' ? '' : '--sku=SAF '}--${field}=${code} --storage-unit=g --ingredient-unit=g --storage-to-ingredient-factor=1 --costing-method=1`,
  );
  const { matches } = await find(code, '--in', 'inventory-items');
  expect(matches.map(({ name }) => name)).toContainEqual(expect.stringContaining('Saffron'));
});

test('find: a supplier is found by a code with or without letters', async () => {
  const find = await openSandboxWith(
    'suppliers create --name=North --code=00042',
    'suppliers create --name=South --code=DEPOT',
  );
  expect((await find('00042')).matches).toEqual([expect.objectContaining({ name: 'North (00042)' })]);
  expect((await find('DEPOT')).matches).toEqual([expect.objectContaining({ name: 'South (DEPOT)' })]);
});

test('find: words match in any order, in names and contact names', async () => {
  const find = await openSandboxWith('suppliers create --name=North --contact-name=Yusuf-Karam');
  expect((await find('amin', 'huda')).matches).toContainEqual(expect.objectContaining({ id: 'customer-1' }));
  expect((await find('karam', '--in', 'suppliers')).matches).toEqual([
    expect.objectContaining({ resource: 'suppliers' }),
  ]);
});

test("find: a different number, or one of another country, doesn't match", async () => {
  const find = await openSandboxWith('customers create --name=Amal --phone=559654541 --dial-code 966');
  expect((await find('0559654542')).matches).toEqual([]);
  expect((await find('+971559654541', '--in', 'customers')).matches).toEqual([]);
});
