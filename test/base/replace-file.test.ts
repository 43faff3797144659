import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { replaceFile } from '../../src/base/replace-file.ts';

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boh-whole-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function* texts(count: number, end?: Failure) {
  for (let lineIndex = 0; lineIndex < count; lineIndex++) yield `${String(lineIndex).padStart(99)}\n`;
  if (end) throw end;
}

test('replaceFile: a source that fails after many blocks leaves the old file and no temporary file', async () => {
  const folder = openFolder();
  const file = join(folder, 'rows.csv');
  writeFileSync(file, 'old');
  const failure = new Failure('unavailable', 'The list is short of 3 rows.');
  await expect(replaceFile(file, texts(10_000, failure))).rejects.toBe(failure);
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['rows.csv']);
});

test('replaceFile: the old file stays until the new one is complete; a new file gets the permissions of the umask', async () => {
  const folder = openFolder();
  const file = join(folder, 'rows.csv');
  writeFileSync(file, 'old');
  async function* watched() {
    for await (const text of texts(10_000)) {
      expect(readFileSync(file, 'utf8')).toBe('old');
      yield text;
    }
  }
  expect(await replaceFile(file, watched())).toBe(1_000_000);
  expect(statSync(file).size).toBe(1_000_000);
  await replaceFile(join(folder, 'new.csv'), texts(1));
  writeFileSync(join(folder, 'usual'), '');
  expect(statSync(join(folder, 'new.csv')).mode).toBe(statSync(join(folder, 'usual')).mode);
});

test('replaceFile: writes text and bytes in their order', async () => {
  const file = join(openFolder(), 'rows.csv');
  async function* chunks() {
    yield 'a';
    yield Buffer.from('b');
    yield 'c';
  }
  expect(await replaceFile(file, chunks())).toBe(3);
  expect(readFileSync(file, 'utf8')).toBe('abc');
});

test('replaceFile: deletes temporary files of killed processes, and keeps those of running ones', async () => {
  const folder = openFolder();
  // No process has an id this high.
  const [killedName, runningName] = [
    '.rows.csv.99999999-0123abcd.part',
    `.rows.csv.${process.pid}-0123abcd.part`,
  ];
  for (const name of [killedName, runningName, '.other.csv.99999999-0123abcd.part'])
    writeFileSync(join(folder, name), 'part');
  await replaceFile(join(folder, 'rows.csv'), texts(1));
  expect(readdirSync(folder).sort()).toEqual(
    ['.other.csv.99999999-0123abcd.part', runningName, 'rows.csv'].sort(),
  );
});

test.skipIf(process.platform === 'win32').each([0o600, 0o640, 0o664, 0o666])(
  'replaceFile: keeps the mode (%d) of an existing file, and the link to it',
  async (mode) => {
    const folder = openFolder();
    const [file, link] = [join(folder, 'rows.csv'), join(folder, 'link.csv')];
    writeFileSync(file, 'old');
    chmodSync(file, mode);
    symlinkSync('rows.csv', link);
    await replaceFile(link, 'new', { newFileMode: 0o600 });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', mode]);
    expect(readlinkSync(link)).toBe('rows.csv');
  },
);
