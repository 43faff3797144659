/** Shows a file that isn't UTF-8 in each possible encoding, instead of guessing its encoding. */
import { describe, expect, test } from 'vitest';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { type BohResult, failureOf } from '../harness/run-boh.ts';

const flags = 'customers --mode create --dry-run';

/** Returns a file with a customer for each name, whose bytes are given in hexadecimal. */
function fileOf(...names: string[]): Buffer {
  const rows = names.map((name, index) =>
    Buffer.concat([Buffer.from(name, 'hex'), Buffer.from(`,55${index}\n`)]),
  );
  return Buffer.concat([Buffer.from('name,phone\n'), ...rows]);
}

const fieldsOf = (result: BohResult) => failureOf(result).fields as Record<string, string[]>;
const utf8 = (text: string) => Buffer.from(text).toString('hex');

describe.each([
  ['shift_jis', ['8db293a1', '97e996d888ea9859', '8e449679'], ['佐藤', '鈴木一郎', '札幌']],
  ['gbk', ['c0eec4c8', 'b1b1bea9bfbed1bc', 'd5d4'], ['李娜', '北京烤鸭', '赵']],
  ['big5', ['b3afa470a9fa', 'bb4fa55f', 'a8a7bb47'], ['陳小明', '臺北', '豆腐']],
  ['euc-kr', ['b1e8b9cebcf6', 'bacebbea', 'b6b1babac0cc'], ['김민수', '부산', '떡볶이']],
  ['euc-jp', ['b9e2b6b6', 'b5fec5d4'], ['高橋', '京都']],
  ['windows-1250', ['44766ff8e16b', '4b6f76e1637320d57273', 'a3f3649f'], ['Dvořák', 'Kovács Őrs', 'Łódź']],
  ['windows-1251', ['c1eef0e8f1', 'cae8bfe2'], ['Борис', 'Київ']],
  ['windows-1252', ['4ae972f46d65', '53747261df65'], ['Jérôme', 'Straße']],
  ['windows-1253', ['c3e9fef1e3eff2'], ['Γιώργος']],
  ['windows-1254', ['4179fe65', 'c761f072fd'], ['Ayşe', 'Çağrı']],
  ['windows-1255', ['e3e5e3'], ['דוד']],
  ['windows-1256', ['d3e1e3ec', 'ede6d3dd'], ['سلمى', 'يوسف']],
  ['windows-874', ['cac1aad2c2', 'a1c3d8a7e0b7be'], ['สมชาย', 'กรุงเทพ']],
  ['macintosh', ['4a6f738e'], ['José']],
])('import of a file in %s', (encoding, bytes, names) => {
  test('is refused, and shows its lines in this encoding with the flag', async () => {
    const result = await openImportSandbox().import('e.csv', fileOf(...bytes), flags);
    const { message } = failureOf(result);
    expect(result.exitCode).toBe(2);
    expect(message).toMatch(
      /^The file e\.csv is not UTF-8: it contains 0x[0-9A-F]{2} at byte \d+ \(line 2\)\.$/,
    );
    expect(fieldsOf(result)[`--encoding ${encoding}`]).toEqual([names.join(' | ')]);
    expect(result.stderr).toContain(`--encoding ${encoding}: ${names[0]}`);
  });

  test('--encoding: reads the names', async () => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import('e.csv', fileOf(...bytes), `${flags} --encoding ${encoding}`);
    expect(result.rows.map(({ changes }) => changes?.name?.to)).toEqual(names);
  });
});

test('import --save-map: the column map has the encoding, which is used for files that are not UTF-8', async () => {
  const sandbox = openImportSandbox();
  const map = `${sandbox.folder}/map.json`;
  const file = fileOf('8db293a1');
  await sandbox.import('first.csv', file, `${flags} --encoding shift_jis --save-map ${map}`);
  expect(JSON.parse(sandbox.read('map.json'))).toEqual({ encoding: 'shift_jis', columns: {} });
  const again = await sandbox.import('next.csv', fileOf('97e996d888ea9859'), `${flags} --map ${map}`);
  expect(again.rows[0]?.changes?.name?.to, again.stderr).toBe('鈴木一郎');
  const inUtf8 = await sandbox.import('utf8.csv', fileOf(utf8('鈴木')), `${flags} --map ${map}`);
  expect(inUtf8.rows[0]?.changes?.name?.to).toBe('鈴木');
  const forced = await sandbox.import('w.csv', fileOf('e9'), `${flags} --map ${map} --encoding windows-1252`);
  expect(forced.rows[0]?.changes?.name?.to).toBe('é');
});

test.each([
  ['most lines are UTF-8', [utf8('Jérôme'), utf8('Straße'), '47617263ed61']],
  ['half of the lines are UTF-8', ['4ae972f46d65', utf8('Zoë')]],
  ['a byte order mark', ['5a6feb']],
])('import of a file that mixes two encodings (%s): says so', async (reason, names) => {
  const bom = reason === 'a byte order mark' ? '\ufeff' : '';
  const file = Buffer.concat([Buffer.from(bom), fileOf(...names)]);
  const result = await openImportSandbox().import('x.csv', file, flags);
  expect(failureOf(result).message).toMatch(
    /^The file x\.csv mixes two encodings: most of it is UTF-8, but line \d contains 0x/,
  );
});

test('import of a file in GBK of which some lines are valid UTF-8 too: does not say that it mixes encodings', async () => {
  // 习伟 in GBK is also two characters in UTF-8.
  const result = await openImportSandbox().import('x.csv', fileOf('cfb0ceb0', 'c0eec4c8', 'd5d4'), flags);
  const { message } = failureOf(result);
  expect(message).toContain('is not UTF-8: it contains 0xC0 at byte 21 (line 3)');
  expect(fieldsOf(result)['--encoding gbk']).toEqual(['习伟 | 李娜 | 赵']);
});

test('import of a file that is not UTF-8: shows no other cells of its lines', async () => {
  const file = Buffer.from('name,email,lang,pin\nR\xe9mi,r@x.example,en,48213\n', 'latin1');
  const result = await openImportSandbox().import('u.csv', file, 'users --mode create --dry-run');
  expect(fieldsOf(result)['--encoding windows-1252']).toEqual(['Rémi']);
  expect(result.stderr).not.toContain('48213');
});

test('import of a file with a letter late in the file: the lines with the most different letters are shown', async () => {
  const rows = Array.from({ length: 40 }, () => 'e9').concat('e9f0e0e8');
  const result = await openImportSandbox().import('l.csv', fileOf(...rows), flags);
  expect(fieldsOf(result)['--encoding windows-1254']).toEqual([expect.stringContaining('éğàè')]);
});

test.each(['', 'x'])('import of JSON in one line of more than a megabyte: is UTF-8 (%s)', async (prefix) => {
  const rows = Array.from({ length: 30_000 }, (_, index) => ({
    name: `عميل رقم ${index}`,
    phone: `5${index}`,
  }));
  const result = await openImportSandbox().import(
    'big.json',
    JSON.stringify([{ name: prefix }, ...rows]),
    `${flags} --skip-invalid`,
  );
  expect([0, 9], result.stderr.slice(0, 500)).toContain(result.exitCode);
  expect(result.rows).toHaveLength(30_001);
});

test.each([
  ['euc-kr', 'a CP949 character', '8141'],
  ['shift_jis', 'a character of private use', 'f0408db2'],
])('import --encoding %s of a file with %s: is refused with its line', async (encoding, _, bytes) => {
  const file = fileOf('5361', '4d6f', bytes);
  const result = await openImportSandbox().import('k.csv', file, `${flags} --encoding ${encoding}`);
  expect([result.exitCode, failureOf(result).message]).toEqual([
    2,
    `The file k.csv isn't valid ${encoding} from line 4 on.`,
  ]);
});
