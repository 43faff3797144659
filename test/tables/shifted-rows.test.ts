/** Rows with shifted cells are reported for every kind of input, and never sent. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';

const header = 'name,contact_name,code,phone,email';
const shifted = 'Coastal, Fish,Omar,FISH-2,555000222,';
const validRow = 'Fresh Farms,Mona,FARM-1,555000111,mona@x.example';
const moved = 'The row has 6 cells, but the header has 5: put a cell that contains a comma in quotes.';

describe('import: a row with an unquoted comma and a blank last cell', () => {
  test.each([
    ['the only row', [shifted], 2],
    ['above valid rows', [shifted, validRow], 2],
    ['below valid rows', [validRow, validRow.replaceAll('1', '3'), shifted], 4],
    ['next to another such row', [shifted, shifted.replaceAll('2', '4')], 2],
  ])('%s: is reported and not sent', async (_, rows, line) => {
    const sandbox = openImportSandbox();
    for (const mode of ['upsert', 'update', 'create']) {
      const result = await sandbox.import(
        's.csv',
        `${[header, ...rows].join('\n')}\n`,
        `suppliers --key code --mode ${mode} --yes`,
      );
      expect(result.exitCode).toBe(2);
      expect(failureOf(result).fields).toMatchObject({ [`line ${line}`]: [moved] });
    }
    expect(await sandbox.json('suppliers list --name Coastal')).toEqual([]);
  });

  test.each([
    ['s.tsv', '\t', 'tab'],
    ['s.csv', ';', 'semicolon'],
    ['s.csv', '|', 'pipe'],
  ])(
    '%s with the delimiter "%s": is reported as a cell with a %s',
    async (name, separator, delimiterName) => {
      const sandbox = openImportSandbox();
      const text = [header, 'Coastal,Fish,Omar,FISH-2,555000222,', validRow]
        .join('\n')
        .replaceAll(',', separator);
      const result = await sandbox.import(name, text, 'suppliers --key code --yes');
      expect(failureOf(result).fields).toMatchObject({
        'line 2': [
          `The row has 6 cells, but the header has 5: put a cell that contains a ${delimiterName} in quotes.`,
        ],
      });
    },
  );

  test('on standard input: is reported', async () => {
    const sandbox = openImportSandbox();
    const result = await sandbox.boh(
      'suppliers import - --input-format csv --key code --yes',
      `${header}\n${shifted}\n`,
    );
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(moved);
  });

  test('plan with a table of declared records: is reported', async () => {
    const sandbox = openImportSandbox();
    await sandbox.import('suppliers.csv', `${header}\n${shifted}\n`, 'suppliers --dry-run');
    const result = await sandbox.boh(`plan ${join(sandbox.folder, 'suppliers.csv')}`);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('has 6 cells, but the header has 5');
  });

  test('import-links: is reported', async () => {
    const sandbox = openImportSandbox();
    const text = 'supplier_code,item_sku,order_unit,cost\nFARM, 1,SKU-001,kg,\n';
    const result = await sandbox.import('l.csv', text, 'suppliers --dry-run');
    expect(result.exitCode).toBe(2);
    const links = await sandbox.boh(`suppliers import-links items ${join(sandbox.folder, 'l.csv')} --yes`);
    expect(links.exitCode).toBe(2);
  });

  test('--skip-invalid --failed: is skipped, and its cells are unchanged in the file', async () => {
    const sandbox = openImportSandbox();
    const failed = join(sandbox.folder, 'failed.csv');
    const flags = `suppliers --key code --mode create --skip-invalid --failed ${failed} --yes`;
    const result = await sandbox.import('s.csv', `${header}\n${shifted}\n${validRow}\n`, flags);
    expect(result.rows).toMatchObject([
      { line: 2, outcome: 'failed' },
      { line: 3, outcome: 'done' },
    ]);
    expect(sandbox.read('failed.csv')).toContain('Coastal, Fish,Omar,FISH-2,555000222,');
  });
});

test('import: blank cells after the last column in every row are ignored with a note', async () => {
  const sandbox = openImportSandbox();
  const text = `${header}\n${validRow},\n${validRow.replaceAll('1', '3')},\n`;
  const result = await sandbox.import('s.csv', text, 'suppliers --key code --dry-run');
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.rows).toHaveLength(2);
  expect(result.stderr).toMatch(/Ignored an extra blank cell at the end of every row of \S*s\.csv\./);
  const uneven = await sandbox.import('s.csv', `${text}${validRow}\n`, 'suppliers --key code --dry-run');
  expect(Object.keys(failureOf(uneven).fields ?? {})).toEqual(['line 2', 'line 3']);
});

test('import: an unquoted comma in a row without its last cell is noted with the line', async () => {
  const sandbox = openImportSandbox();
  const text = `${header}\n${validRow}\nCoastal, Fish,Omar,FISH-2,555000222\n`;
  const result = await sandbox.import('s.csv', text, 'suppliers --key code --dry-run');
  expect(result.stderr).toMatch(/cells that start with a space.*Check line 3\./);
});

describe('import: quotes', () => {
  test.each([
    ['a lone quote before a cell', 'Fish "12,Omar,A,,\n"Coastal,Omar,B,,', 2],
    ['inches in a cell', '12" Pizza,Omar,A,,', 2],
    ['a quote that is never closed', '"Coastal,Omar,A,,', 2],
  ])('%s: makes only its own row invalid', async (_, rows, line) => {
    const sandbox = openImportSandbox();
    const text = `${header}\n${rows}\n${validRow}\n"Quoted, Ltd",x,Q-1,,\n`;
    const flags = 'suppliers --mode create --skip-invalid --yes';
    const result = await sandbox.import('s.csv', text, flags);
    const failed = result.rows.filter(({ outcome }) => outcome === 'failed');
    expect(failed[0]).toMatchObject({ line, error: { message: expect.stringContaining('quote') } });
    const completedRows = result.rows.filter(({ outcome }) => outcome === 'done');
    expect(completedRows).toHaveLength(2);
    expect(await sandbox.json('suppliers list --code Q-1')).toMatchObject([{ name: 'Quoted, Ltd' }]);
  });

  test('single quotes around the header: are detected, and a note names the flag', async () => {
    const sandbox = openImportSandbox();
    const text = "'name','code'\n'Coastal, Fish','B''1'\n'Baker''s',B2\n";
    const result = await sandbox.import('s.csv', text, 'suppliers --mode create --yes');
    expect(result.stderr).toContain(
      'has cells in single quotes, which are read as quotes. To read them as text: --quote double',
    );
    expect(await sandbox.json("suppliers list --code B'1")).toMatchObject([{ name: 'Coastal, Fish' }]);
  });

  test('single quotes in every cell of a column: are noted, and --quote single removes them', async () => {
    const sandbox = openImportSandbox();
    const text = "name,code\n'Coastal',B1\n'Fresh',B2\n";
    const noted = await sandbox.import('s.csv', text, 'suppliers --mode create --dry-run');
    expect(noted.stderr).toContain(
      'are in single quotes, which are kept as text. To remove them: --quote single.',
    );
    expect(noted.rows[0]?.changes).toMatchObject({ name: { to: "'Coastal'" } });
    const result = await sandbox.import('s.csv', text, 'suppliers --mode create --quote single --dry-run');
    expect(result.rows[0]?.changes).toMatchObject({ name: { to: 'Coastal' } });
    expect(result.stderr).not.toContain('single quotes');
    const wrongResult = await sandbox.import('s.csv', text, 'suppliers --quote x --dry-run');
    expect(failureOf(wrongResult).message).toBe('--quote must be double or single.');
  });

  test('quotes that join two rows: are noted with the line', async () => {
    const sandbox = openImportSandbox();
    const text = 'name,code,phone\n1,"B1,5\n2,B2",6\nOmar,B3,3\n';
    const result = await sandbox.import('s.csv', text, 'suppliers --mode create --dry-run');
    expect(result.stderr).toContain('that span several lines and may hide rows. Check the quotes on line 2.');
    const wide = text.replace('1,"B1,5', '1,x,"B1,5');
    const namedResult = await sandbox.import('s.csv', wide, 'suppliers --mode create --dry-run');
    expect(failureOf(namedResult).fields).toMatchObject({
      'line 2': [expect.stringMatching(/has 4 cells, but the header has 3.*\(lines 2 to 3\)/)],
    });
  });
});

test('import --failed: an unreadable row writes no secret to the output or the file', async () => {
  const sandbox = openImportSandbox();
  const text =
    'name,email,password,pin\nMona, M,m@x.example,S3cret-canary,\nOmar,o@x.example,Other-canary-1,12345\n';
  const failed = join(sandbox.folder, 'failed.csv');
  const flags = `users --mode create --skip-invalid --failed ${failed} --yes`;
  const result = await sandbox.import('u.csv', text, flags);
  expect(result.rows).toMatchObject([{ line: 2, outcome: 'failed' }, { line: 3 }]);
  expect(result.stdout + result.stderr + sandbox.read('failed.csv')).not.toContain('S3cret-canary');
});
