/** Checks notations of one phone number: they find the same record, and --normalize-phones unifies them. */
import { describe, expect, it, test } from 'vitest';
import { isSimilarPhone, nationalNumberOf, phoneSpellings } from '../../src/api/contract/phone-numbers.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';

const spellings = ['0599111222', '599111222', '+966 599 111 222', '599-111-222', '00966599111222'];

interface Customer {
  id: string;
  name: string;
  phone: string;
  dial_code: number;
}

async function openPhones() {
  const workspace = await openManifestWorkspace();
  const env = { BOH_CONFIG_DIR: `${workspace.folder}/.config` };
  const boh = (...words: string[]) => runBoh(['--sandbox', ...words], { env });
  const matchingCustomers = async () => {
    const customers = await workspace.json<Customer[]>('customers list --all');
    return customers.filter(({ phone }) => nationalNumberOf(phone) === '599111222');
  };
  return { ...workspace, boh, kept: matchingCustomers };
}

describe('two notations of one phone number', () => {
  it.each(spellings.slice(1))('in the same import (0599111222 and %s): are refused', async (phone) => {
    const { boh, write } = await openPhones();
    const rows = ['0599111222', phone].map((text) => ({ name: 'A', phone: text }));
    const file = write('a.json', JSON.stringify(rows));
    const result = await boh('customers', 'import', file, '--key', 'phone', '--dry-run');
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('with the same key (')]);
  });

  const pairs = spellings.map((phone, index) => [phone, spellings[(index + 1) % spellings.length]]);
  it.each(pairs)(
    'of an existing customer and in a file or command (%s and %s): find the customer',
    async (existingPhone = '', newPhone = '') => {
      const { boh, write, json, kept: matchingCustomers } = await openPhones();
      const add = (phone: string, ...verb: string[]) =>
        // A flag would convert the number to the notation of the service.
        boh('customers', ...verb, '--data', JSON.stringify({ name: 'Amal', dial_code: 966, phone }));
      expect(await add(existingPhone, 'create')).toMatchObject({ exitCode: 0 });
      const [{ id } = { id: '' }] = await matchingCustomers();
      const rows = [{ name: 'B', dial_code: 966, phone: newPhone }];
      const file = write('a.json', JSON.stringify(rows));
      const importResult = await boh('customers', 'import', file, '--key', 'phone', '--dry-run');
      expect(importResult.stderr).toContain(`phone "${newPhone}" matched ${existingPhone}`);
      const planResult = await boh('plan', write('b.json', JSON.stringify({ customers: rows })));
      expect(planResult.stderr).toContain(`"${newPhone}" matched ${existingPhone}`);
      for (const how of [
        ['upsert', '--key', 'phone'],
        ['create', '--if-missing', '--key', 'phone'],
      ]) {
        const result = await add(newPhone, ...how);
        expect(result.stderr).toContain(`phone "${newPhone}" matched ${id} (${existingPhone})`);
      }
      expect(await json(`customers get ${id}`)).toMatchObject({ phone: existingPhone });
      // A lookup can't query for a calling code that is only in a separate field.
      if (/^(\+|00)/.test(existingPhone) && !/^(\+|00)/.test(newPhone)) return;
      const found = await boh('customers', 'get', `@phone:${newPhone}`, '-o', 'json');
      expect(JSON.parse(found.stdout)).toMatchObject({ id });
    },
  );

  it('with different calling codes: are two customers', async () => {
    const { boh, write } = await openPhones();
    const phones = ['+966599111222', '+971599111222'];
    const file = write('a.json', JSON.stringify(phones.map((phone) => ({ name: 'A', phone }))));
    const result = await boh('customers', 'import', file, '--key', 'phone', '--dry-run');
    expect([result.exitCode, result.stderr]).toEqual([0, expect.stringContaining('2 to create')]);
  });
});

describe('--normalize-phones', () => {
  const normalizedCustomer = { phone: '599111222', dial_code: 966 };

  it.each(spellings)('import, upsert and apply: %s finds the existing customer', async (phone) => {
    const { boh, write, kept: matchingCustomers } = await openPhones();
    const row = { name: 'Amal', dial_code: 966, phone };
    const file = write('a.json', JSON.stringify([row]));
    const importResult = await boh(
      'customers',
      'import',
      file,
      '--key',
      'phone',
      '--normalize-phones',
      '--yes',
      '-o',
      'json',
    );
    expect(importResult).toMatchObject({ exitCode: 0 });
    expect(await matchingCustomers()).toMatchObject([normalizedCustomer]);
    const repeatResult = await boh(
      'customers',
      'import',
      file,
      '--key',
      'phone',
      '--normalize-phones',
      '--yes',
      '-o',
      'json',
    );
    expect(JSON.parse(repeatResult.stdout)).toMatchObject([{ action: 'skip' }]);
    const data = JSON.stringify(row);
    for (const verb of [
      ['upsert', '--key', 'phone'],
      ['create', '--if-missing', '--key', 'phone'],
    ])
      expect(await boh('customers', ...verb, '--normalize-phones', '--data', data)).toMatchObject({
        exitCode: 0,
      });
    const declared = write('b.json', JSON.stringify({ customers: [row] }));
    const plan = await boh('plan', declared, '--normalize-phones', '-o', 'json');
    expect(JSON.parse(plan.stdout).changes).toEqual([]);
    expect(await boh('apply', declared, '--normalize-phones', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await matchingCustomers()).toMatchObject([normalizedCustomer]);
  });

  it('input without dial_code: the calling code of the number is used', async () => {
    const { boh, write, kept: matchingCustomers } = await openPhones();
    const file = write('a.csv', 'name,phone\nAmal,+966 599 111 222\n');
    expect(
      await boh('customers', 'import', file, '--key', 'phone', '--normalize-phones', '--yes'),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(await matchingCustomers()).toMatchObject([normalizedCustomer]);
    const declared = write(
      'b.json',
      JSON.stringify({ customers: [{ name: 'Amal', phone: '00966599111222' }] }),
    );
    const plan = await boh('plan', declared, '--normalize-phones', '-o', 'json');
    expect(JSON.parse(plan.stdout).changes).toEqual([]);
  });

  it('rows with the same number, and a number that contradicts dial_code: are refused', async () => {
    const { boh, write } = await openPhones();
    const rows = spellings.map((phone, index) => ({ name: `C${index}`, phone }));
    const file = write('a.json', JSON.stringify(rows));
    const result = await boh(
      'customers',
      'import',
      file,
      '--key',
      'phone',
      '--normalize-phones',
      '--yes',
      '-o',
      'json',
    );
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('with the same key (')]);
    const declared = write('b.json', JSON.stringify({ customers: rows }));
    const planResult = await boh('plan', declared, '--normalize-phones');
    expect([planResult.exitCode, planResult.stderr]).toEqual([
      2,
      expect.stringContaining('declares the same customer as'),
    ]);
    const data = JSON.stringify({ name: 'A', dial_code: 965, phone: '+966599111222' });
    const upsertResult = await boh(
      'customers',
      'upsert',
      '--key',
      'phone',
      '--normalize-phones',
      '--data',
      data,
      '-o',
      'json',
    );
    expect(upsertResult.exitCode).toBe(2);
    expect(failureOf(upsertResult).fields).toEqual({
      phone: ['has the calling code +966, but dial_code is 965'],
    });
    const b = write('c.json', JSON.stringify([{ name: 'A', dial_code: 965, phone: '+966599111222' }]));
    const importResult = await boh('customers', 'import', b, '--normalize-phones', '--yes', '-o', 'json');
    expect([importResult.exitCode, importResult.stdout]).toEqual([
      2,
      expect.stringContaining('has the calling code +966'),
    ]);
  });

  it('supplier: keeps the calling code in the number, and other text unchanged', async () => {
    const { boh, json } = await openPhones();
    const phones = ['00966 599 111-222', '0599 111 222', 'ext. 12 (mornings)'];
    for (const [index, phone] of phones.entries())
      expect(
        await boh('suppliers', 'create', '--name', `S${index}`, `--phone=${phone}`, '--normalize-phones'),
      ).toMatchObject({ exitCode: 0 });
    const suppliers = await json<{ name: string; phone: string }[]>('suppliers list --all');
    const matchingCustomers = suppliers.filter(({ name }) => /^S\d$/.test(name)).map(({ phone }) => phone);
    expect(matchingCustomers.sort()).toEqual(['+966599111222', '0599111222', 'ext. 12 (mornings)']);
  });
});

describe('--normalize-phones: numbers that cannot exist', () => {
  const importPhones = async (rows: string) => {
    const { boh, write } = await openPhones();
    const file = write('p.csv', `name,dial_code,phone\n${rows}`);
    const flags = ['--mode', 'create', '--normalize-phones', '--dry-run'];
    return { boh, result: await boh('customers', 'import', file, ...flags) };
  };

  it('import: a fraction that a program has added to a number is removed, but two digits after points are kept', async () => {
    const { result } = await importPhones('A,,551234567.0\nB,966,0551234567.00\nC,33,06.12.34.56.00\n');
    const rows = result.stdout.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).changes.phone.to)).toEqual([
      ...['551234567', '551234567', '612345600'],
    ]);
  });

  it.each([
    ['two numbers', '0551234567 0557654321'],
    ['two numbers with a slash', '0551234567/0557654321'],
    ['two short numbers with a slash', '551234 / 557654'],
    ['a number with another ending', '0551234567/68'],
    ['two numbers on two lines', '"0551234567\n0557654321"'],
    ['a number and the end of the next one', '055-987-6540-41'],
    ['a range of numbers', '+49 89 1234560 – 9'],
    ['two numbers with a word', '0551234567 or 0557654321'],
    ['more than 15 digits', '+9665512345678901'],
    ['a calling code that is not assigned', '+999551234567'],
    ['a calling code alone', '+966 000000'],
  ])('import: %s is an error', async (_, phone) => {
    const { boh, result } = await importPhones(`A,,551\nB,,${phone}\n`);
    expect([result.exitCode, failureOf(result).fields]).toEqual([
      2,
      { 'line 3': [expect.stringContaining('phone is not one possible phone number')] },
    ]);
    const data = JSON.stringify({ name: 'A', phone: phone.replaceAll('"', '') });
    const created = await boh('customers', 'create', '--normalize-phones', '--data', data, '-o', 'json');
    expect([created.exitCode, failureOf(created).fields]).toEqual([
      2,
      { phone: [expect.stringContaining('is not one possible phone number')] },
    ]);
  });

  it.each([
    ['999', '551234567', "phone can't be normalized: dial_code 999 is not a calling code"],
    ['966', '5512345678901', 'phone has more than 15 digits with dial_code 966'],
  ])('import: dial_code %s with %s is an error', async (dialCode, phone, message) => {
    const { result } = await importPhones(`A,${dialCode},${phone}\n`);
    expect(failureOf(result).fields).toEqual({ 'line 2': [expect.stringContaining(message)] });
  });

  it.each([
    '030/12345678',
    '+49 33056/12345',
    '01/23/45/67/89',
    '1-264-497-2518',
    '551',
    '089 7654321-0',
    '06-12-34-55-56',
    '+7 495 123-45-46',
  ])('import: %s is one number', async (phone) => {
    const { result } = await importPhones(`A,,${phone}\n`);
    expect(result.exitCode, result.stderr).toBe(0);
  });
});

test.each([
  ['0599111222', '599111222'],
  ['966599111222', '+966 59 911 1222'],
  ['٠٥٩٩١١١٢٢٢', '\u200f0599-111-222'],
  ['(202) 555-0100', '+1 202 555 0100'],
])('isSimilarPhone: %s and %s are similar', (a, b) => {
  expect(isSimilarPhone(a, b)).toBe(true);
});

test.each([
  ['0599111222', '0599111223'],
  ['+966599111222', '+965599111222'],
  ['no phone', '0599111222'],
])('isSimilarPhone: %s and %s are different', (a, b) => {
  expect(isSimilarPhone(a, b)).toBe(false);
});

test('phoneSpellings: starts with the original text, and returns other text unchanged', () => {
  expect(phoneSpellings('+966 599111222', false)).toEqual([
    ...['+966 599111222', '+966599111222', '599111222', '0599111222', '966599111222', '00966599111222'],
  ]);
  expect(phoneSpellings('front desk', true)).toEqual(['front desk']);
});
