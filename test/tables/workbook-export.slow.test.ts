import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import {
  formatSheetHeader,
  formatSheetRow,
  workbookBytes,
} from '../../src/engine/tables/workbook/book-bytes.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { readWorkbook, readWorkbooks } from '../harness/workbook/read-workbook.ts';

const importable = api.collections.filter(({ create, update }) => create || update);

test('exported workbook: its import changes nothing, and the next export has the same cells, for every resource', async () => {
  const sandbox = openImportSandbox();
  const fileOf = (command: string, suffix = '') => join(sandbox.folder, `${command}${suffix}.xlsx`);
  for (const { command } of importable) {
    const [firstFile, secondFile] = [fileOf(command), fileOf(command, '-2')];
    expect(await sandbox.boh(`${command} export --to ${firstFile}`)).toMatchObject({
      exitCode: 0,
      stdout: '',
    });
    const result = await sandbox.boh(`${command} import ${firstFile}`);
    expect({ command, ...result }).toMatchObject({ exitCode: 0 });
    const actions = result.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).action);
    expect(new Set(actions)).toEqual(new Set(['skip']));
    await sandbox.boh(`${command} export --to ${secondFile}`);
  }
  const readExported = (suffix: string) =>
    readWorkbooks(importable.map(({ command }) => fileOf(command, suffix)));
  expect(readExported('-2')).toEqual(readExported(''));
});

test('exported workbook: has a frozen header, typed cells and value lists for other programs', async () => {
  const sandbox = openImportSandbox();
  const file = join(sandbox.folder, 'customers.xlsx');
  await sandbox.boh(
    'customers export --columns name,phone,birth_date,gender,is_blacklisted,dial_code --to '.concat(file),
  );
  const [sheet, ...otherSheets] = readWorkbook(file);
  expect(otherSheets).toEqual([]);
  expect(sheet).toMatchObject({ name: 'customers', state: 'visible', frozen: '1' });
  const [header, firstRow] = sheet?.rows ?? [];
  expect(header?.map((cell) => cell?.value)).toEqual([
    ...['id', 'name', 'phone', 'birth_date', 'gender', 'is_blacklisted', 'dial_code', 'updated_at'],
  ]);
  expect(firstRow?.map((cell) => cell && [cell.kind, cell.format])).toEqual([
    ['text', '@'],
    ['text', '@'],
    ['text', '@'],
    ['n', expect.stringMatching(/yyyy-mm-dd/i)],
    ['text', '@'],
    ['b', expect.anything()],
    ['n', expect.anything()],
    ['text', '@'],
  ]);
  expect(sheet?.choices).toEqual({ 'E2:E50001': '"male,female"', 'F2:F50001': '"TRUE,FALSE"' });
  expect(sheet?.widths.every((width) => width >= 8 && width <= 48)).toBe(true);
});

test('exported workbook: Arabic, line breaks, formulas, leading zeros and long numbers are read back unchanged', async () => {
  const sandbox = openImportSandbox();
  const names = [
    '=1+1',
    "'=1+1",
    ' blank ',
    'two\nlines',
    'a\r\nb',
    '_x0041_',
    '\uffff',
    'علي "طازج"',
    String.raw`\N`,
    '007',
    '1e5',
    'true',
    '\u202eabc',
    '#N/A',
    '#CALC!',
  ];
  const rows = names.map((name, index) => ({
    name,
    phone: `00${index}`,
    dial_code: 966,
    email: `p${index}@x.example`,
  }));
  const createResult = await sandbox.import(
    'people.json',
    JSON.stringify(rows),
    'customers --key phone --accept-damage --yes',
  );
  expect(createResult).toMatchObject({ exitCode: 0 });
  const file = join(sandbox.folder, 'customers.xlsx');
  await sandbox.boh(`customers export --to ${file}`);
  const result = await sandbox.boh(`customers import ${file}`);
  expect({ ...result, stdout: '' }).toMatchObject({ exitCode: 0 });
  expect(
    (await sandbox.boh(`customers import ${file} --dry-run`)).stdout
      .split('\n')
      .filter((line) => line.includes('update"')),
  ).toEqual([]);
  const cells = readWorkbook(file)[0]?.rows.map((row) => row[1]?.value) ?? [];
  for (const name of names.filter((cell) => !/^'*[=\\]/.test(cell))) expect(cells).toContain(name);
});

test('export-links to a workbook: its import changes nothing', async () => {
  const sandbox = openImportSandbox();
  const file = join(sandbox.folder, 'links.xlsx');
  expect(await sandbox.boh(`suppliers export-links item --to ${file}`)).toMatchObject({ exitCode: 0 });
  expect(readWorkbook(file)[0]?.name).toBe('suppliers item');
  const result = await sandbox.boh(`suppliers import-links item ${file}`);
  expect(result).toMatchObject({ exitCode: 0 });
  const actions = result.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).action);
  expect(new Set(actions)).toEqual(new Set(['skip']));
});

test('export of a value that is too long for a sheet: is refused, and the existing file stays', async () => {
  const sandbox = openImportSandbox();
  const file = join(sandbox.folder, 'customers.xlsx');
  writeFileSync(file, 'as it was');
  const text = 'x'.repeat(40_000);
  const [item] = await sandbox.json<{ id: string }[]>('inventory-items list --limit 1');
  await sandbox.import('one.json', JSON.stringify([{ id: item?.id, name: text }]), 'inventory-items --yes');
  const refusedResult = await sandbox.boh(`inventory-items export --to ${file}`);
  expect(failureOf(refusedResult)).toMatchObject({
    category: 'usage',
    message: `name of ${item?.id} has 40,000 characters; the limit of a cell is 32,767.`,
  });
  expect(sandbox.read('customers.xlsx')).toBe('as it was');
  expect((await sandbox.boh(`customers export --spreadsheet --to ${file}`)).stderr).toContain(
    'is only for CSV',
  );
  expect((await sandbox.boh(`customers export -o csv --to ${file}`)).stderr).toContain(
    'are different formats',
  );
});

test('drop-down list in a workbook: a long one is on a hidden sheet, a short one in the validation rule', async () => {
  const sandbox = openImportSandbox();
  const long = Array.from({ length: 40 }, (_, index) => `a-word-of-some-length-${index}`);
  const columns = [
    { name: 'long', choices: long },
    { name: 'short', choices: ['a', 'b'] },
    { name: 'comma', choices: ['a,b', 'c'] },
    { name: 'again', choices: long },
  ];
  const file = join(sandbox.folder, 'choices.xlsx');
  const lines = [formatSheetHeader({ sheet: 'x', columns }), formatSheetRow(['a', 'b', 'c', 'd'])];
  writeFileSync(file, Buffer.concat(await Array.fromAsync(workbookBytes(lines))));
  const [sheet, choices] = readWorkbook(file);
  expect(sheet?.choices).toEqual({
    'A2:A50001': '_choices!$A$1:$A$40',
    'B2:B50001': '"a,b"',
    'C2:C50001': '_choices!$B$1:$B$2',
    'D2:D50001': '_choices!$A$1:$A$40',
  });
  expect(choices).toMatchObject({ name: '_choices', state: 'hidden' });
  expect(choices?.rows.map(([cell]) => cell?.value)).toEqual(long);
});
