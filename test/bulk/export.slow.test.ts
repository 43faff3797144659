import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openImportSandbox } from './import-sandbox.ts';

const importable = api.collections.filter(({ create, update }) => create || update);

describe('boh RESOURCE export', () => {
  test.each([
    ['csv', ''],
    ['csv', ' --spreadsheet'],
    ['csv', ' --ids'],
    ['ndjson', ''],
    ['json', ' --ids'],
  ])(
    'to %s%s: an import of it changes nothing, and the next export is identical, for every resource',
    async (form, flags) => {
      const sandbox = openImportSandbox();
      for (const { command } of importable) {
        const [firstFile, secondFile] = [`${command}.${form}`, `${command}-again.${form}`];
        const writeResult = await sandbox.boh(
          `${command} export --to ${join(sandbox.folder, firstFile)}${flags}`,
        );
        expect({ command, ...writeResult }).toMatchObject({ exitCode: 0, stdout: '' });
        const text = sandbox.read(firstFile);
        const result = await sandbox.import(firstFile, text, command);
        expect({ command, ...result }).toMatchObject({ exitCode: 0 });
        expect(result.rows.length).toBeGreaterThan(0);
        expect(result.rows.filter(({ action }) => action !== 'skip')).toEqual([]);
        await sandbox.boh(`${command} export --to ${join(sandbox.folder, secondFile)}${flags}`);
        expect(sandbox.read(secondFile)).toBe(text);
      }
    },
  );

  test('values that spreadsheets would change: are read back unchanged from every format', async () => {
    const sandbox = openImportSandbox();
    const names = [
      '=1+1',
      "'=1+1",
      'a,b',
      'say "x"',
      'two\nlines',
      ' blank ',
      '-5',
      '@home',
      'علي',
      "''x",
      '\t-x;=y',
      '  =1',
      '\u{200e}=1',
      '\r+1',
      '+966500000000',
      '-12.50',
      String.raw`\N`,
      String.raw`'\N`,
    ];
    const inputText = names
      .map((name, index) => JSON.stringify({ name, phone: `77000${index}`, tags: ['Regular'] }))
      .join('\n');
    expect((await sandbox.import('in.ndjson', inputText, 'customers --key phone --yes')).exitCode).toBe(0);
    for (const flags of ['-o csv', '-o csv --spreadsheet', '-o ndjson', '-o json']) {
      const { stdout } = await sandbox.boh(`customers export ${flags}`);
      const exact = flags === '-o csv' ? String.raw` --no-guard --null \0` : '';
      const result = await sandbox.import(`out.${flags.split(' ')[1]}`, stdout, `customers${exact}`);
      expect(result.rows.filter(({ action }) => action !== 'skip')).toEqual([]);
      expect(result.exitCode).toBe(0);
    }
    const text = (await sandbox.boh('customers export')).stdout;
    expect(text).toMatch(/^id,[^\r]*\n/u);
    const written = parse(text, { columns: true }) as { name: string }[];
    const listed = parse((await sandbox.boh('customers list -o csv')).stdout, {
      columns: true,
    }) as typeof written;
    for (const rows of [written, listed])
      expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const file = join(sandbox.folder, 'exported.csv');
    await sandbox.boh(`customers export --to ${file}`);
    const fileText = readFileSync(file, 'utf8');
    for (const cell of ["'=1+1", "''=1+1", "'\u{200e}=1", '-5', '-12.50', '+966500000000'])
      expect(fileText).toContain(`,${cell},`);
    expect((await sandbox.boh(`customers import ${file}`)).stdout).not.toContain('"update"');
    await sandbox.boh(`customers export --to ${file} --no-guard`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const spreadsheetText = (await sandbox.boh('customers export --spreadsheet')).stdout;
    expect(spreadsheetText).toMatch(/^\u{feff}id,/u);
    expect(spreadsheetText).toContain(",'=1+1,");
    expect(spreadsheetText).toContain('\r\n');
  });

  test('related records: are written by name if the name is unique, otherwise by id', async () => {
    const sandbox = openImportSandbox();
    await sandbox.boh('tags create --name Twice --type customer');
    await sandbox.boh('tags create --name Twice --type customer');
    const tags = await sandbox.json<{ id: string }[]>('tags list --name Twice');
    const [firstTag] = tags;
    const line = `customers create --name Tagged --phone 88001 --tags ${firstTag?.id},@Regular`;
    expect((await sandbox.boh(line)).exitCode).toBe(0);
    const { stdout } = await sandbox.boh('customers export --phone 88001 -o ndjson');
    expect(JSON.parse(stdout).tags.sort()).toEqual([String(firstTag?.id), 'Regular'].sort());
    const result = await sandbox.import('tagged.ndjson', stdout, 'customers');
    expect(result.rows.map(({ action }) => action)).toEqual(['skip']);
  });

  test('names of related records that an import would misread: are written as ids', async () => {
    const sandbox = openImportSandbox();
    const users = await sandbox.json<{ id: string }[]>('users list --limit 3');
    const file = users.map(({ id }, index) =>
      JSON.stringify({ id, number: `@${index}`, email: `none yet ${index}` }),
    );
    expect((await sandbox.import('in.ndjson', file.join('\n'), 'users --yes')).exitCode).toBe(0);
    for (const form of ['csv', 'ndjson']) {
      const { stdout } = await sandbox.boh(`roles export -o ${form}`);
      const result = await sandbox.import(`out.${form}`, stdout, 'roles');
      expect(result.rows.filter(({ action, outcome }) => action !== 'skip' || outcome !== 'done')).toEqual(
        [],
      );
    }
  });

  test('filters and --columns: select records and columns, and id and updated_at are always written', async () => {
    const sandbox = openImportSandbox();
    const { stdout } = await sandbox.boh('timed-events export --columns type,name');
    const [header, row] = stdout.split('\n');
    expect(header).toBe('id,type,name,updated_at');
    expect(row).toMatch(/^[^,]+,[a-z][a-z-]+,/);
    const emptyResult = await sandbox.boh('customers export --phone 000111222333');
    expect(emptyResult).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^id,name,.*updated_at\n$/),
    });
    const refusedResult = await sandbox.boh('customers export --columns nmae,nothing');
    expect(refusedResult.exitCode).toBe(2);
    expect(failureOf(refusedResult).message).toMatch(/nmae.*nothing/);
    expect((await sandbox.boh('loyalty-rewards export -o ndjson')).stdout).toContain('"amount":');
  });

  test('deleted records: are omitted by default, and marked with --is-deleted', async () => {
    const sandbox = openImportSandbox();
    const [tag] = await sandbox.json<{ id: string }[]>('tags list --name Regular');
    await sandbox.boh(`tags delete ${tag?.id} --yes`);
    expect((await sandbox.boh('tags export')).stdout).not.toContain(String(tag?.id));
    const rows = (await sandbox.boh('tags export --is-deleted -o ndjson')).stdout.trim().split('\n');
    const deletionMarks = new Map(rows.map((row) => [JSON.parse(row).id, JSON.parse(row)._deleted]));
    expect(deletionMarks.get(tag?.id)).toBe(true);
    expect([...deletionMarks.values()].filter((isDeleted) => isDeleted === false).length).toBeGreaterThan(0);
  });

  test('format: is taken from the extension; exits with 2 if it differs from -o or both are missing', async () => {
    const sandbox = openImportSandbox();
    const to = (name: string) => join(sandbox.folder, name);
    for (const line of [
      `--to ${to('x.csv')} -o json`,
      `--to ${to('x')}`,
      '-o table',
      '-o json --spreadsheet',
    ])
      expect((await sandbox.boh(`tags export ${line}`)).exitCode).toBe(2);
    expect((await sandbox.boh(`tags export --to ${to('x')} -o json`)).exitCode).toBe(0);
    expect(JSON.parse(sandbox.read('x')).length).toBeGreaterThan(0);
  });

  test('--to: the old file stays if the export fails, and no temporary file is left', async () => {
    const sandbox = openImportSandbox();
    const file = join(sandbox.folder, 'tags.csv');
    writeFileSync(file, 'old');
    const refusedResult = await sandbox.boh(`tags export --to ${file} --filter nothing=1`);
    expect(refusedResult.exitCode).not.toBe(0);
    expect(sandbox.read('tags.csv')).toBe('old');
    chmodSync(file, 0o640);
    symlinkSync(file, join(sandbox.folder, 'link.csv'));
    expect((await sandbox.boh(`tags export --to ${join(sandbox.folder, 'link.csv')}`)).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('Regular');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    mkdirSync(join(sandbox.folder, 'folder.csv'));
    expect((await sandbox.boh(`tags export --to ${join(sandbox.folder, 'folder.csv')}`)).exitCode).toBe(2);
    expect((await sandbox.boh('tags export --to /dev/null -o csv')).exitCode).toBe(2);
    expect((await sandbox.boh(`tags export --to ${join(sandbox.folder, 'no/where.csv')}`)).exitCode).toBe(8);
    expect(readdirSync(sandbox.folder).sort()).toEqual(['config', 'folder.csv', 'link.csv', 'tags.csv']);
  });

  test('--since: writes changed and deleted records, and updates the watermark only if the file was written', async () => {
    const sandbox = openImportSandbox();
    const [watermark, to] = [join(sandbox.folder, 'tags.mark'), join(sandbox.folder, 'tags.ndjson')];
    const since = () => sandbox.boh(`tags export --since ${watermark} --to ${to}`);
    const rows = () =>
      sandbox
        .read('tags.ndjson')
        .split('\n')
        .filter(Boolean)
        .map((row) => JSON.parse(row));
    expect((await since()).exitCode).toBe(0);
    const exportedRows = rows();
    expect(exportedRows.every(({ _deleted }) => _deleted === false)).toBe(true);
    const firstMark = sandbox.read('tags.mark');
    const [deletedTag, changedTag, ...otherTags] =
      await sandbox.json<{ id: string; updated_at: string }[]>('tags list');
    const deleteResult = await sandbox.boh(`tags delete ${deletedTag?.id} --yes`);
    expect(deleteResult.exitCode).toBe(0);
    expect((await sandbox.boh(`tags update ${changedTag?.id} --name Renamed`)).exitCode).toBe(0);
    const missingFolderFile = join(sandbox.folder, 'no', 'where.ndjson');
    expect((await sandbox.boh(`tags export --since ${watermark} --to ${missingFolderFile}`)).exitCode).toBe(
      8,
    );
    expect(sandbox.read('tags.mark')).toBe(firstMark);
    expect((await since()).exitCode).toBe(0);
    const rowsById = new Map(rows().map((row) => [row.id, row]));
    expect(rowsById.get(deletedTag?.id)).toMatchObject({ _deleted: true });
    expect(rowsById.get(changedTag?.id)).toMatchObject({ _deleted: false, name: 'Renamed' });
    expect(rowsById.size).toBeLessThan(otherTags.length);
    const untilOf = (text: string) => JSON.parse(text).until as string;
    expect(untilOf(sandbox.read('tags.mark')) >= untilOf(firstMark)).toBe(true);
    // Records in the overlap are exported again.
    expect((await since()).exitCode).toBe(0);
    expect(
      rows()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([String(deletedTag?.id), String(changedTag?.id)].sort());
  });

  test('--since: is refused with a damaged watermark, one of another export, or without --to', async () => {
    const sandbox = openImportSandbox();
    const pathOf = (name: string) => join(sandbox.folder, name);
    await sandbox.boh(`tags export --since ${pathOf('mark')} --to ${pathOf('tags.csv')}`);
    writeFileSync(pathOf('bad'), '{}');
    writeFileSync(pathOf('other'), sandbox.read('mark').replace('"version": 1', '"version": 2'));
    for (const line of [
      `roles export --since ${pathOf('mark')} --to ${pathOf('roles.csv')}`,
      `tags export --type customer --since ${pathOf('mark')} --to ${pathOf('tags.csv')}`,
      `tags export --since ${pathOf('bad')} --to ${pathOf('tags.csv')}`,
      `tags export --since ${pathOf('other')} --to ${pathOf('tags.csv')}`,
      `tags export --since ${pathOf('mark')}`,
      `tags export --since ${pathOf('mark')} --to ${pathOf('tags.csv')} --is-deleted`,
      `tags export --since ${pathOf('mark')} --to ${pathOf('mark')} -o csv`,
    ])
      expect({ line, exitCode: (await sandbox.boh(line)).exitCode }).toEqual({ line, exitCode: 2 });
  });
});
