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
import { describe, expect, test } from 'vitest';
import { api } from '../../src/resources/index.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openPlace } from './importing.ts';

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
      const place = openPlace();
      for (const { command } of importable) {
        const [first, second] = [`${command}.${form}`, `${command}-again.${form}`];
        const written = await place.boh(`${command} export --to ${join(place.folder, first)}${flags}`);
        expect({ command, ...written }).toMatchObject({ exitCode: 0, stdout: '' });
        const text = place.read(first);
        const ran = await place.import(first, text, command);
        expect({ command, ...ran }).toMatchObject({ exitCode: 0 });
        expect(ran.rows.length).toBeGreaterThan(0);
        expect(ran.rows.filter(({ action }) => action !== 'skip')).toEqual([]);
        await place.boh(`${command} export --to ${join(place.folder, second)}${flags}`);
        expect(place.read(second)).toBe(text);
      }
    },
  );

  test('keeps values that spreadsheets and lists would change, in every format', async () => {
    const place = openPlace();
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
    const file = names
      .map((name, at) => JSON.stringify({ name, phone: `77000${at}`, tags: ['Regular'] }))
      .join('\n');
    expect((await place.import('in.ndjson', file, 'customers --key phone --yes')).exitCode).toBe(0);
    for (const flags of ['-o csv', '-o csv --spreadsheet', '-o ndjson', '-o json']) {
      const { stdout } = await place.boh(`customers export ${flags}`);
      const ran = await place.import(`out.${flags.split(' ')[1]}`, stdout, 'customers');
      expect(ran.rows.filter(({ action }) => action !== 'skip')).toEqual([]);
      expect(ran.exitCode).toBe(0);
    }
    const plain = (await place.boh('customers export')).stdout;
    expect(plain).toContain(",'=1+1,");
    expect(plain).toContain(",''=1+1,");
    expect(plain).toContain(",'\u{200e}=1,");
    expect(plain).toContain(',-5,');
    expect(plain).toContain(',-12.50,');
    expect(plain).toMatch(/^id,[^\r]*\n/u);
    const guarded = (await place.boh('customers export --spreadsheet')).stdout;
    expect(guarded).toMatch(/^\u{feff}id,/u);
    expect(guarded).toContain(",'=1+1,");
    expect(guarded).toContain('\r\n');
  });

  test('writes the names of related records if they are unique, or else their ids', async () => {
    const place = openPlace();
    await place.boh('tags create --name Twice --type customer');
    await place.boh('tags create --name Twice --type customer');
    const tags = await place.json<{ id: string }[]>('tags list --name Twice');
    const [first] = tags;
    const line = `customers create --name Tagged --phone 88001 --tags ${first?.id},@Regular`;
    expect((await place.boh(line)).exitCode).toBe(0);
    const { stdout } = await place.boh('customers export --phone 88001 -o ndjson');
    expect(JSON.parse(stdout).tags.sort()).toEqual([String(first?.id), 'Regular'].sort());
    const ran = await place.import('tagged.ndjson', stdout, 'customers');
    expect(ran.rows.map(({ action }) => action)).toEqual(['skip']);
  });

  test('writes only names of related records that an import would look for', async () => {
    const place = openPlace();
    const users = await place.json<{ id: string }[]>('users list --limit 3');
    const file = users.map(({ id }, at) => JSON.stringify({ id, number: `@${at}`, email: `none yet ${at}` }));
    expect((await place.import('in.ndjson', file.join('\n'), 'users --yes')).exitCode).toBe(0);
    for (const form of ['csv', 'ndjson']) {
      const { stdout } = await place.boh(`roles export -o ${form}`);
      const ran = await place.import(`out.${form}`, stdout, 'roles');
      expect(ran.rows.filter(({ action, outcome }) => action !== 'skip' || outcome !== 'done')).toEqual([]);
    }
  });

  test('writes the records and columns that are selected, always with id and updated_at, and enumerations as words', async () => {
    const place = openPlace();
    const { stdout } = await place.boh('timed-events export --columns type,name');
    const [header, row] = stdout.split('\n');
    expect(header).toBe('id,type,name,updated_at');
    expect(row).toMatch(/^[^,]+,[a-z][a-z-]+,/);
    const none = await place.boh('customers export --phone 000111222333');
    expect(none).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^id,name,.*updated_at\n$/) });
    const refused = await place.boh('customers export --columns nmae,nothing');
    expect(refused.exitCode).toBe(2);
    expect(failureOf(refused).message).toMatch(/nmae.*nothing/);
    expect((await place.boh('loyalty-rewards export -o ndjson')).stdout).toContain('"amount":');
  });

  test('shows deleted records as deleted on request, and omits them by default', async () => {
    const place = openPlace();
    const [tag] = await place.json<{ id: string }[]>('tags list --name Regular');
    await place.boh(`tags delete ${tag?.id} --yes`);
    expect((await place.boh('tags export')).stdout).not.toContain(String(tag?.id));
    const rows = (await place.boh('tags export --is-deleted -o ndjson')).stdout.trim().split('\n');
    const marks = new Map(rows.map((row) => [JSON.parse(row).id, JSON.parse(row)._deleted]));
    expect(marks.get(tag?.id)).toBe(true);
    expect([...marks.values()].filter((mark) => mark === false).length).toBeGreaterThan(0);
  });

  test('takes the format from the file name, and reports if that and -o differ or are missing', async () => {
    const place = openPlace();
    const to = (name: string) => join(place.folder, name);
    for (const line of [
      `--to ${to('x.csv')} -o json`,
      `--to ${to('x')}`,
      '-o table',
      '-o json --spreadsheet',
    ])
      expect((await place.boh(`tags export ${line}`)).exitCode).toBe(2);
    expect((await place.boh(`tags export --to ${to('x')} -o json`)).exitCode).toBe(0);
    expect(JSON.parse(place.read('x')).length).toBeGreaterThan(0);
  });

  test("keeps the old file if the new one can't be complete, and leaves no other file", async () => {
    const place = openPlace();
    const file = join(place.folder, 'tags.csv');
    writeFileSync(file, 'old');
    const refused = await place.boh(`tags export --to ${file} --filter nothing=1`);
    expect(refused.exitCode).not.toBe(0);
    expect(place.read('tags.csv')).toBe('old');
    chmodSync(file, 0o640);
    symlinkSync(file, join(place.folder, 'link.csv'));
    expect((await place.boh(`tags export --to ${join(place.folder, 'link.csv')}`)).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('Regular');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    mkdirSync(join(place.folder, 'folder.csv'));
    expect((await place.boh(`tags export --to ${join(place.folder, 'folder.csv')}`)).exitCode).toBe(2);
    expect((await place.boh('tags export --to /dev/null -o csv')).exitCode).toBe(2);
    expect((await place.boh(`tags export --to ${join(place.folder, 'no/where.csv')}`)).exitCode).toBe(8);
    expect(readdirSync(place.folder).sort()).toEqual(['config', 'folder.csv', 'link.csv', 'tags.csv']);
  });

  test('writes with --since what has changed, including deletions, and moves the watermark only with the file', async () => {
    const place = openPlace();
    const [mark, to] = [join(place.folder, 'tags.mark'), join(place.folder, 'tags.ndjson')];
    const since = () => place.boh(`tags export --since ${mark} --to ${to}`);
    const rows = () =>
      place
        .read('tags.ndjson')
        .split('\n')
        .filter(Boolean)
        .map((row) => JSON.parse(row));
    expect((await since()).exitCode).toBe(0);
    const all = rows();
    expect(all.every(({ _deleted }) => _deleted === false)).toBe(true);
    const first = place.read('tags.mark');
    const [gone, changed, ...others] = await place.json<{ id: string; updated_at: string }[]>('tags list');
    const moment = await place.boh(`tags delete ${gone?.id} --yes`);
    expect(moment.exitCode).toBe(0);
    expect((await place.boh(`tags update ${changed?.id} --name Renamed`)).exitCode).toBe(0);
    const nowhere = join(place.folder, 'no', 'where.ndjson');
    expect((await place.boh(`tags export --since ${mark} --to ${nowhere}`)).exitCode).toBe(8);
    expect(place.read('tags.mark')).toBe(first);
    expect((await since()).exitCode).toBe(0);
    const found = new Map(rows().map((row) => [row.id, row]));
    expect(found.get(gone?.id)).toMatchObject({ _deleted: true });
    expect(found.get(changed?.id)).toMatchObject({ _deleted: false, name: 'Renamed' });
    expect(found.size).toBeLessThan(others.length);
    const untilOf = (text: string) => JSON.parse(text).until as string;
    expect(untilOf(place.read('tags.mark')) >= untilOf(first)).toBe(true);
    // Records in the overlap are exported again.
    expect((await since()).exitCode).toBe(0);
    expect(
      rows()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([String(gone?.id), String(changed?.id)].sort());
  });

  test('refuses a watermark that is damaged or of another export, and --since without a file', async () => {
    const place = openPlace();
    const at = (name: string) => join(place.folder, name);
    await place.boh(`tags export --since ${at('mark')} --to ${at('tags.csv')}`);
    writeFileSync(at('bad'), '{}');
    for (const line of [
      `roles export --since ${at('mark')} --to ${at('roles.csv')}`,
      `tags export --type customer --since ${at('mark')} --to ${at('tags.csv')}`,
      `tags export --since ${at('bad')} --to ${at('tags.csv')}`,
      `tags export --since ${at('mark')}`,
      `tags export --since ${at('mark')} --to ${at('tags.csv')} --is-deleted`,
      `tags export --since ${at('mark')} --to ${at('mark')} -o csv`,
    ])
      expect({ line, exitCode: (await place.boh(line)).exitCode }).toEqual({ line, exitCode: 2 });
  });
});
