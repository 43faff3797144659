import { describe, expect, test } from 'vitest';
import { failureOf } from '../harness/run-boh.ts';
import { openImportSandbox } from './import-sandbox.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

/** Files with problems that are detected before any row is read. */
const files: [description: string, name: string, content: string | Uint8Array, message: RegExp][] = [
  ['no content', 'x.csv', '', /is empty/],
  ['only a header', 'x.csv', 'phone,name\n', /has no rows/],
  [
    'a duplicate column',
    'x.csv',
    'phone,name,phone\n1,x,2\n',
    /duplicate columns in its header \(line 1\): phone/,
  ],
  ['two columns for one field', 'a.csv', 'phone,Phone\n1,2\n', /a column that can't be imported/],
  [
    'a zero byte',
    'x.csv',
    bytes('phone,name\n1,x\n2,', [0], '\n'),
    /binary data: a zero byte at byte 18, in line 3/,
  ],
  [
    'the content of a workbook and the extension .csv',
    'x.csv',
    bytes('PK', [3, 4, 20, 0, 0]),
    /a workbook or another archive/,
  ],
  [
    'a complete HTML page',
    'till.xls',
    '<html xmlns:x="urn:excel"><table><tr><td>name</td></tr></table>',
    /it is a web page/,
  ],
  [
    'an HTML table without a page',
    'till.csv',
    '\ufeff\r\n<TABLE>\n<tr><td>name</td></tr></TABLE>',
    /it is a web page/,
  ],
  ['XML', 'till.xls', '<?xml version="1.0"?>\n<Workbook><Worksheet/></Workbook>', /it is XML/],
  ['a PDF', 'x.csv', '%PDF-1.7\n…', /a PDF document/],
  ['gzip', 'x.ndjson', bytes([0x1f, 0x8b, 8, 0, 0]), /compressed/],
  [
    'two encodings',
    'x.csv',
    bytes('phone,name\n1,منى\n2,caf', [0xe9], '\n'),
    /two encodings: most of it is UTF-8, but line 3 contains 0xE9 at byte 26/,
  ],
  [
    'an unknown encoding',
    'x.csv',
    bytes('phone,name\n1,', [0x81, 0x8d], '\n'),
    /not UTF-8: it contains 0x81 at byte 14 \(line 2\)/,
  ],
  [
    "a quote in the header that isn't closed",
    'x.csv',
    'phone,"name\n1,x\n2,y\n',
    /the row at line 1 has a quote that is not closed/,
  ],
  [
    'a JSON object instead of an array',
    'x.json',
    '{"name":"x"}',
    /does not start with a list: "{" at line 1/,
  ],
  ['an incomplete JSON array', 'x.json', '[{"name":"x"},\n{"na', /ends too early/],
  ['text after the JSON array', 'x.json', '[{"name":"x"}]\n[]', /continues after its list: "\[" at line 2/],
  ['ambiguous numbers', 'i.csv', 'sku;cost\nA;1,234\n', /ambiguous numbers: 1,234 in line 2/],
  [
    'numbers in two formats',
    'i.csv',
    'sku;cost\nA;1,5\nB;2.25\n',
    /two formats: 1,5 in line 2, 2.25 in line 3/,
  ],
  ['ambiguous dates', 'd.csv', 'phone,birth_date\n1,03/04/1990\n', /ambiguous dates: 03\/04\/1990 in line 2/],
];

test.each(files)(
  'import of a file with %s: exits with 2 and reports the problem',
  async (_, name, content, message) => {
    const sandbox = openImportSandbox();
    const line = name.startsWith('i') ? 'inventory-items --key sku --yes' : 'customers --key phone --yes';
    const refusedResult = await sandbox.import(name, content, line);
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).message).toMatch(message);
  },
);

test('import of CSV: reports invalid rows with their line numbers, also after quoted line breaks', async () => {
  const sandbox = openImportSandbox();
  const file =
    'phone,name,gender\r\n1,"two\r\nlines",male\r\n2,x\r\n3,y,neither\r\n4,z,male,more\r\n\r\n5,w,female\r\n';
  const refusedResult = await sandbox.import('x.csv', file, 'customers --key phone --yes');
  expect(refusedResult.rows.map(({ line, error }) => [line, error?.message])).toEqual([
    [4, 'The row has 2 cells, but the header has 3.'],
    [5, expect.stringContaining('gender must be one of')],
    [6, 'The row has 4 cells, but the header has 3: put a cell that contains a comma in quotes.'],
  ]);
});

test('import of NDJSON: reports invalid rows with their line numbers, also duplicate keys and numbers that would lose precision', async () => {
  const sandbox = openImportSandbox();
  const file = [
    '{"phone":"1","name":"a","name":"b"}',
    '{"phone":"2","house_account_limit":1e999}',
    'nonsense',
    '["a"]',
    '{"phone":"5","name":"fine"}',
    '{"phone":"6", }',
    '{"phone":"7"',
  ].join('\n');
  const refusedResult = await sandbox.import('x.ndjson', file, 'customers --key phone --yes');
  expect(refusedResult.rows.map(({ line }) => line)).toEqual([1, 2, 3, 4, 6, 7]);
  const messages = refusedResult.rows.map(({ error }) => error?.message);
  expect(messages[0]).toContain('the key "name" occurs twice');
  expect(messages[1]).toContain('too large');
  expect(messages[2]).toContain('is not valid JSON');
  expect(messages[4]).toBe('The row is not valid JSON at character 15: "}".');
  expect(messages[5]).toBe('The row is not valid JSON: it ends too early.');
  expect(messages[3]).toContain('is a list');
});

describe('import of a spreadsheet in another locale', () => {
  const header =
    'sku;name;name_localized;storage_unit;ingredient_unit;storage_to_ingredient_factor;costing_method;cost\r\n';
  const rows = [
    'P-1;"Tomatoes\r\nred";"طماطم ""حلوة""";kg;g;1.000;fixed cost;1.234,50\r\n',
    'P-2;Onions;بصل;kg;g;1000;fixed cost;7,25\r\n',
    'P-3;Garlic;ثوم;kg;g;١٠٠٠;1;٧٫٢٥\r\n',
  ];

  test.each([
    [
      'semicolons, CRLF, quoted line breaks, a decimal comma and Arabic digits',
      (text: string) => Buffer.from(text),
    ],
    ['the same with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['the same in UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ])('is read with %s', async (_, encode) => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import(
      'p.csv',
      encode(header + rows.join('')),
      'inventory-items --key sku --yes',
    );
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.rows.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    const [first] = await sandbox.json<Record<string, unknown>[]>('inventory-items list --sku P-1');
    expect(first).toMatchObject({
      name: 'Tomatoes\r\nred',
      name_localized: 'طماطم "حلوة"',
      storage_to_ingredient_factor: 1000,
      costing_method: 1,
      cost: 1234.5,
    });
    const [third] = await sandbox.json<Record<string, unknown>[]>('inventory-items list --sku P-3');
    expect(third).toMatchObject({ cost: 7.25, storage_to_ingredient_factor: 1000 });
  });

  test('a number in another format after the sampled rows: makes its row invalid', async () => {
    const sandbox = openImportSandbox();
    const sampledRows = Array.from({ length: 2100 }, (_, index) => `1${index};1,5`).join('\n');
    const refusedResult = await sandbox.import(
      'p.csv',
      `sku;cost\n${sampledRows}\nlast;2.25\n`,
      'inventory-items --key sku --mode update --yes',
    );
    const invalidRow = refusedResult.rows.find(({ line }) => line === 2102);
    expect(invalidRow?.error?.message).toContain('cost must be a number');
  });

  test.each([
    ['31/12/1990', '1990-12-31'],
    ['12/31/1990', '1990-12-31'],
    ['31.12.1990', '1990-12-31'],
    ['1990/12/31', '1990-12-31'],
    ['٣١/١٢/١٩٩٠', '1990-12-31'],
  ])('date %s: is read as %s', async (day, expected) => {
    const sandbox = openImportSandbox();
    await sandbox.import('p.csv', `phone,name,birth_date\n1,x,${day}\n`, 'customers --key phone');
    const [record] = await sandbox.json<{ birth_date: string }[]>('customers list --phone 1');
    expect(record?.birth_date).toBe(expected);
  });

  test('--dates mdy: reads an ambiguous date as month and day', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import(
      'p.csv',
      'phone,name,birth_date\n1,x,03/04/1990\n',
      'customers --key phone --dates mdy',
    );
    const [record] = await sandbox.json<{ birth_date: string }[]>('customers list --phone 1');
    expect(record?.birth_date).toBe('1990-03-04');
  });

  test('apostrophes that escape formulas: are removed in CSV and kept in JSON', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('p.csv', "phone,name\r\n1,'=SUM(A1)\r\n", 'customers --key phone');
    await sandbox.import(
      'p.json',
      JSON.stringify([{ phone: '2', name: "'=SUM(A1)" }]),
      'customers --key phone',
    );
    const names = await sandbox.json<{ name: string }[]>('customers list --phone 1,2 --columns name');
    expect(names.map(({ name }) => name).sort()).toEqual(["'=SUM(A1)", '=SUM(A1)']);
  });
});

test('import with unknown names: reports each name of a row with its column', async () => {
  const sandbox = openImportSandbox();
  const text = 'phone,name,dial_code,tags\n510999020,x,966,"VIP,Nope,Missing"\n510999021,y,966,Nope\n';
  const refusedResult = await sandbox.import('x.csv', text, 'customers --key phone --yes');
  expect(refusedResult.exitCode).toBe(2);
  const notFound = (name: string) => ({
    column: 'tags',
    what: `can't be resolved: Tag @${name} not found`,
  });
  expect(refusedResult.rows.map(({ line, error }) => [line, error?.problems])).toEqual([
    [2, [notFound('Nope'), notFound('Missing')]],
    [3, [notFound('Nope')]],
  ]);
});

test("import --map with a column that the file doesn't have: exits with 2 and names the column", async () => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import(
    'x.csv',
    'name,Phone number\nNew,512345678\n',
    'customers --mode create --map Phonenumber=phone --map Remarks= --yes',
  );
  expect(result.exitCode).toBe(2);
  expect(failureOf(result).fields).toHaveProperty('Phonenumber');
  expect(failureOf(result).fields).not.toHaveProperty('Remarks');
  const validResult = await sandbox.import(
    'x.csv',
    'name,Tel\nNew,512345678\n',
    'customers --mode create --map Tel=phone --map Remarks= --dry-run',
  );
  expect(validResult.exitCode, validResult.stderr).toBe(0);
});

test('import of several JSON rows in one line: reports each invalid row', async () => {
  const sandbox = openImportSandbox();
  const text = '[{"code":"J1","name":"J","phone":true},{"code":"J2"},{"name":"ok"},{"phone":"1"}]';
  const result = await sandbox.import('j.json', text, 'suppliers --key code --mode create --yes -o json');
  expect(failureOf(result).fields).toEqual({
    'line 1': [
      expect.stringMatching(/^J1: phone /),
      expect.stringMatching(/^J2: name is required/),
      expect.stringMatching(/^name is required/),
    ],
  });
});
