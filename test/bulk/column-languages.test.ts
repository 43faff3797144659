/** Imports files whose column names and values are in several languages, and JSON with other types. */
import { describe, expect, test } from 'vitest';
import { entriesOf } from '../../src/cli/prompts/terminal/questions.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openImportSandbox } from './import-sandbox.ts';

const item = 'storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method';
const importItem = (header: string, row: string) =>
  openImportSandbox().import(
    'i.csv',
    `${header},${item}\n${row},kg,g,1000,1\n`,
    'inventory-items --mode create --dry-run',
  );

describe('column names of an import', () => {
  test.each([
    'Item Code,Description,Price',
    'Item No.,Item,Price (SAR)',
    'SKU:,Item Name:,Unit price',
    '*SKU,Product,Net',
    'Code,Product description,Rate',
    'Article No,Name:,Cost SAR',
    'SKU #,Item,Cost (ر.س)',
    'كود الصنف,البيان,سعر الوحدة',
    'رمز الصنف,الصنف,السعر (ر.س)',
    'Ürün Kodu,ÜRÜN ADI,Birim Fiyat (TL)',
    'Stok Kodu,Malzeme Adı,Alış Fiyatı',
    'Artikel-Nr.,Bezeichnung,Einzelpreis (€)',
    'Art.-Nr.,Artikelname,EINKAUFSPREIS',
    "Code article,Désignation,Prix d'achat",
    'Réf.,Libellé,Prix unitaire €',
    'Código,Descripción,Precio unitario [EUR]',
    'Referencia,Artículo,Costo',
  ])('%s: are mapped to SKU, name and cost, and reported', async (header) => {
    const { rows, stderr } = await importItem(header, 'N-1,Rice,12.5');
    expect(rows[0]?.changes, stderr).toMatchObject({
      sku: { to: 'N-1' },
      name: { to: 'Rice' },
      cost: { to: 12.5 },
    });
    expect(stderr).toContain('Mapped columns of i.csv:');
  });

  test.each([
    'Name:,Phone #,Sex,D.O.B.',
    'Müşteri Adı,Cep Telefonu,Cinsiyet,Doğum Tarihi',
    'AD SOYAD,TELEFON NO,CİNSİYET,DOĞUM TARİHİ',
    'Kundenname,Handynummer,Geschlecht,Geburtsdatum',
    'Nom complet,Téléphone,Sexe,Date de naissance',
    'Nombre,Teléfono,Género,Fecha de nacimiento',
    'اسم العميل,الهاتف,الجنس,تاريخ الميلاد',
  ])('%s: are mapped to fields of customers', async (header) => {
    const text = `${header}\nA B,551234,female,1990-12-31\n`;
    const { rows, stderr } = await openImportSandbox().import(
      'c.csv',
      text,
      'customers --mode create --dry-run',
    );
    expect(rows[0]?.changes, stderr).toEqual({
      name: { from: null, to: 'A B' },
      phone: { from: null, to: '551234' },
      gender: { from: null, to: 2 },
      birth_date: { from: null, to: '1990-12-31' },
    });
  });

  test.each([
    ['cost,Price', 'Price'],
    ['cost,Cost (SAR)', 'Cost (SAR)'],
    ['cost,Item ID', 'Item ID'],
    ['cost,Code QR', 'Code QR'],
    ['cost,Price (per kg)', 'Price (per kg)'],
    ['cost,Name (EUR)', 'Name (EUR)'],
  ])('%s: a column that no field fits is refused', async (header, column) => {
    const result = await importItem(`sku,name,${header}`, 'N-1,Rice,1,2');
    expect(failureOf(result).fields).toEqual({ [column]: [expect.stringContaining('is not a field of')] });
  });

  test('a customer in a file of addresses: is the customer of the address, not its name', async () => {
    const [{ name } = { name: '' }] =
      await openImportSandbox().json<{ name: string }[]>('customers list --limit 1');
    const text = `Kunde,name,description\n${name},Home,Palm Street\n`;
    const { stderr } = await openImportSandbox().import('a.csv', text, 'addresses --mode create --dry-run');
    expect(stderr).toContain('Kunde to customer');
  });
});

test('prompt for an unknown column: an exact name goes before a longer one', () => {
  const labels = ['costing_method', 'cost', 'unit_cost'].map((label) => ({ value: label, label }));
  expect(
    entriesOf({ message: '', entries: labels })
      .findMatches('Cost ')
      .map(({ label }) => label),
  ).toEqual([...['cost', 'costing_method', 'unit_cost']]);
});

describe('words for values', () => {
  test('gender: is read in the languages of the column names', async () => {
    const words = [
      'F',
      'M',
      'أنثى',
      'ذكر',
      'Kadın',
      'ERKEK',
      'weiblich',
      'Männlich',
      'Femme',
      'homme',
      'Mujer',
      'hombre',
    ];
    const rows = words.map((word, index) => `C${index},7000${index},${word}`).join('\n');
    const result = await openImportSandbox().import(
      'g.csv',
      `name,phone,gender\n${rows}\n`,
      'customers --mode create --dry-run',
    );
    expect(result.rows.map(({ changes }) => changes?.gender?.to)).toEqual(
      words.map((_, index) => 2 - (index % 2)),
    );
  });

  test.each(['H', 'x', 'unknown', 'yes'])('gender %s: is refused', async (word) => {
    const text = `name,phone,gender\nA,1,${word}\n`;
    const result = await openImportSandbox().import('g.csv', text, 'customers --mode create --dry-run');
    expect(failureOf(result).fields).toEqual({
      'line 2': [expect.stringContaining('gender must be one of')],
    });
  });
});

describe('import of JSON from other programs', () => {
  test('numbers as text, text as numbers and common names: are read as in a sheet', async () => {
    const rows = [
      {
        sku: 1001,
        name: 'Rice',
        storage_to_ingredient_factor: '1000',
        cost: '4.50',
        barcode: 6_281_000_000_001,
      },
      { 'Item Code': 'A2', Description: 'Salt', storage_to_ingredient_factor: 1000, Price: '7' },
    ].map((row) => ({ ...row, storage_unit: 'kg', ingredient_unit: 'g', costing_method: 'fixed-cost' }));
    for (const [name, text] of [
      ['r.json', JSON.stringify(rows)],
      ['r.ndjson', rows.map((row) => JSON.stringify(row)).join('\n')],
    ] as const) {
      const result = await openImportSandbox().import(name, text, 'inventory-items --key sku --dry-run');
      expect(
        result.rows.map(({ changes }) => changes),
        result.stderr,
      ).toMatchObject([
        { sku: { to: '1001' }, cost: { to: 4.5 }, barcode: { to: '6281000000001' } },
        { sku: { to: 'A2' }, name: { to: 'Salt' }, cost: { to: 7 } },
      ]);
    }
  });

  test('booleans, dates and enumerations as text: are read as in a sheet', async () => {
    const row = {
      name: 'A',
      phone: 551_234_567,
      dial_code: '966',
      is_blacklisted: 'yes',
      gender: 'F',
      birth_date: '31-Dec-1990',
      house_account_limit: '5 SAR',
    };
    const result = await openImportSandbox().import(
      'c.json',
      JSON.stringify([row]),
      'customers --mode create --dry-run',
    );
    expect(result.rows[0]?.changes, result.stderr).toMatchObject({
      ...{ phone: { to: '551234567' }, dial_code: { to: 966 }, is_blacklisted: { to: true } },
      ...{ gender: { to: 2 }, birth_date: { to: '1990-12-31' }, house_account_limit: { to: 5 } },
    });
  });

  test('formats of numbers and dates: are those of the whole file, as in a CSV file', async () => {
    const items = [
      { sku: 'SKU-001', cost: '5,50 €' },
      { sku: 'SKU-002', cost: '1.234,50 €' },
    ];
    const text = JSON.stringify(items);
    const line = 'inventory-items --key sku --mode update --dry-run';
    const { rows } = await openImportSandbox().import('i.json', text, line);
    expect(rows.map(({ changes }) => changes?.cost?.to)).toEqual([5.5, 1234.5]);
    const ambiguous = await openImportSandbox().import('a.json', '[{"sku":"SKU-001","cost":"1,234"}]', line);
    expect(failureOf(ambiguous).message).toContain('ambiguous numbers: 1,234 in line 1');
  });

  test.each(['8.9E+12', '#REF!', '1001.0', '########'])('a damaged code (%s): is refused', async (sku) => {
    const text = JSON.stringify([{ sku, name: 'A', storage_unit: 'kg', ingredient_unit: 'g' }]);
    const line = 'inventory-items --mode create --dry-run';
    const result = await openImportSandbox().import('d.json', text, line);
    expect(result.rows[0]?.error?.message).toMatch(/sku is .*"/);
  });

  test.each([
    [{ house_account_limit: 'many' }, 'house_account_limit must be a whole number'],
    [{ name: true }, 'name must be text'],
    [{ phone: '1', Mobile: '2' }, 'Mobile is the same field as phone'],
  ])('%j: is refused', async (row, message) => {
    const text = JSON.stringify({ name: 'A', ...row });
    const result = await openImportSandbox().import('c.ndjson', text, 'customers --mode create --dry-run');
    expect(failureOf(result).fields).toEqual({ 'line 1': [expect.stringContaining(message)] });
  });
});

test.each([
  ...['31-Dec-1990', '31 Dec 1990', 'Dec 31, 1990', 'December 31st, 1990', 'Mon, 31 Dec 1990', '31.12.1990'],
  ...['31. Dezember 1990', '31 décembre 1990', '31 de diciembre de 1990', '31 Aralık 1990', '31 ديسمبر 1990'],
  ...['٣١ كانون الأول ١٩٩٠', '19901231', '1990/12/31', '1990-12-31T00:00:00.000Z', '1990-12-31 00:00:00'],
])('import of the date %s: is read', async (text) => {
  const file = `name;phone;birth_date\nA;1;${text}\n`;
  const { rows, stderr } = await openImportSandbox().import(
    'd.csv',
    file,
    'customers --mode create --dry-run',
  );
  expect(rows[0]?.changes, stderr).toMatchObject({ birth_date: { to: '1990-12-31' } });
});

test.each([
  '31-Dec-90',
  '1 jui 1990',
  '31-Foo-1990',
  '31 Feb 1990',
  '20151301',
  'Dec 1990',
  '1990-12-31T21:00:00Z',
])('import of the date %s: is refused', async (text) => {
  const file = `name;phone;birth_date\nA;1;${text}\n`;
  const result = await openImportSandbox().import('d.csv', file, 'customers --mode create --dry-run');
  expect(failureOf(result).fields).toEqual({ 'line 2': [expect.stringContaining('birth_date must be')] });
});
