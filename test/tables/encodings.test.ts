/** Reads files in UTF-16, as spreadsheets save "Unicode Text", of any length and in any chunks. */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { decodeFile, detectEncoding } from '../../src/engine/tables/detect-encoding.ts';
import type { InputFile } from '../../src/engine/tables/input-file.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';

type Utf16 = 'utf-16le' | 'utf-16be';

function bytesIn(encoding: Utf16, text: string): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

function inUtf32(text: string): Buffer {
  const bytes = Buffer.alloc([...text].length * 4);
  [...text].forEach((character, index) => {
    bytes.writeUInt32LE(character.codePointAt(0) ?? 0, index * 4);
  });
  return bytes;
}

function sourceOf(bytes: Buffer, size: number): InputFile {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return { label: 'The file', read: () => Readable.from(chunks) } as unknown as InputFile;
}

const rows = Array.from({ length: 3000 }, (_, index) => ({
  phone: String(510000000 + index),
  name: `منى 🍅 ${index}`,
}));

const files = {
  csv: `phone,name\r\n${rows.map(({ phone, name }) => `${phone},${name}\r\n`).join('')}`,
  tsv: `phone\tname\r\n${rows.map(({ phone, name }) => `${phone}\t"${name}"\r\n`).join('')}`,
  ndjson: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: JSON.stringify(rows),
};

describe.each(['utf-16le', 'utf-16be'] as const)('import: a file in %s', (encoding) => {
  test.each(Object.entries(files))('%s larger than 64 KiB: is read completely', async (form, text) => {
    const sandbox = openImportSandbox();
    const bytes = bytesIn(encoding, `\ufeff${text}`);
    expect(bytes.length).toBeGreaterThan(128 * 1024);
    const result = await sandbox.import(`u.${form}`, bytes, 'customers --mode create --dry-run');
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.rows.map(({ changes }) => changes?.name?.to)).toEqual(rows.map(({ name }) => name));
  });

  test('without a byte order mark: is read, and a note names the encoding', async () => {
    const sandbox = openImportSandbox();
    const result = await sandbox.import(
      'u.csv',
      bytesIn(encoding, files.csv),
      'customers --mode create --dry-run',
    );
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.rows).toHaveLength(rows.length);
    expect(result.stderr).toContain(`It is read as ${encoding}`);
  });

  test.each([1, 2, 3, 5, 7])('in chunks of %i bytes: is decoded to the same text', async (size) => {
    const text = 'phone,name\r\n1,🍅🥕\r\n2,منى\r\n';
    const source = sourceOf(bytesIn(encoding, `\ufeff${text}`), size);
    const detectedEncoding = await detectEncoding(source, { hasFlags: true });
    expect(detectedEncoding).toEqual({ encoding, hasBom: true, isGuess: false });
    let decodedText = '';
    for await (const part of decodeFile(source, detectedEncoding.encoding)) decodedText += part;
    expect(decodedText).toBe(text);
  });
});

test('import: a UTF-8 byte order mark split between chunks is not part of the header', async () => {
  const source = sourceOf(Buffer.from('\ufeffphone,name\r\n'), 1);
  expect(await detectEncoding(source, { hasFlags: true })).toEqual({
    encoding: 'utf-8',
    hasBom: true,
    isGuess: false,
  });
  let decodedText = '';
  for await (const part of decodeFile(source, 'utf-8')) decodedText += part;
  expect(decodedText).toBe('phone,name\r\n');
});

test('import: text in UTF-32 is refused, and the message names the encoding', async () => {
  const sandbox = openImportSandbox();
  const result = await sandbox.import('u.csv', inUtf32('\ufeffphone,name\n1,x\n'), 'customers --yes');
  expect(failureOf(result).message).toContain('it is text in UTF-32');
});

test('import: UTF-16 that ends in half a character is refused', async () => {
  const sandbox = openImportSandbox();
  const bytes = bytesIn('utf-16le', '\ufeffphone,name\n1,x\n');
  const result = await sandbox.import('u.csv', bytes.subarray(0, -1), 'customers --yes');
  expect(result.exitCode).toBe(2);
  expect(failureOf(result).message).toContain('ends in the middle of a character');
});
