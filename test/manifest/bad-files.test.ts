import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { Failure } from '../../src/base/errors.ts';
import { findFiles } from '../../src/engine/manifest/source/files.ts';

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'boh-files-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Returns the failure of reading a path. */
async function refusal(path: string, stdin: Readable = Readable.from([])): Promise<Failure> {
  const thrown = await findFiles([path], api, stdin).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Failure)) throw thrown ?? new Error('The path was read.');
  expect(thrown.category).toBe('usage');
  return thrown;
}

const invalidText = Buffer.from([0x74, 0xff, 0x3a]);

/** Yields chunks without end. */
function* endlessChunks() {
  const chunk = Buffer.alloc(1024 * 1024, '#');
  for (;;) yield chunk;
}

test('a missing path: the message says that there is no such file or folder', async () => {
  const { message } = await refusal(join(temporaryFolder(), 'nowhere'));
  expect(message).toMatch(/^Can't read .*nowhere: no such file or folder\.$/);
});

test('a link to a missing target in a folder: the message names the link', async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'seeds'));
  symlinkSync('gone', join(root, 'seeds/menu.yaml'));
  const { message } = await refusal(join(root, 'seeds'));
  expect(message).toMatch(/^Can't read .*menu\.yaml: no such file\.$/);
});

test('a link to a folder: the folder is read, and only once for several links', async () => {
  const root = temporaryFolder();
  for (const name of ['shared', 'seeds', 'seeds/deeper']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'shared/tags.yaml'), '[]');
  symlinkSync('../shared', join(root, 'seeds/a'));
  symlinkSync('../../shared', join(root, 'seeds/deeper/b'));
  symlinkSync('..', join(root, 'seeds/deeper/back'));
  const [layer] = await findFiles([join(root, 'seeds')], api, Readable.from([]));
  expect(layer?.files.map(({ file }) => file)).toEqual([join(root, 'seeds/a/tags.yaml')]);
});

test('an empty path: is refused with a hint about unset variables', async () => {
  const { message, details } = await refusal('');
  expect(message).toBe('A path is empty.');
  expect(details.hint).toContain('variable');
});

test.skipIf(process.platform === 'win32')('a device: is refused because it is not a file', async () => {
  expect((await refusal('/dev/zero')).message).toBe("Can't read /dev/zero: it is not a file.");
});

test('an endless input: reading stops at the size limit of a manifest', async () => {
  const { message, details } = await refusal('-', Readable.from(endlessChunks()));
  expect(message).toBe('Standard input is too large for a manifest: it has more than 64 MB.');
  expect(details.hint).toContain('several files');
});

test('invalid UTF-8: is refused from a file and from standard input', async () => {
  const file = join(temporaryFolder(), 'a.yaml');
  writeFileSync(file, invalidText);
  expect((await refusal(file)).message).toMatch(/a\.yaml is not UTF-8: it contains 0xFF/);
  const { message } = await refusal('-', Readable.from([invalidText]));
  expect(message).toMatch(/^Standard input is not UTF-8: it contains 0xFF/);
});

test.each(['utf-16le', 'utf-16be'])(
  'a manifest in %s: is decoded by its byte order mark',
  async (encoding) => {
    const inUtf16 = (text: string) => {
      const bytes = Buffer.from(text, 'utf16le');
      return encoding === 'utf-16le' ? bytes : bytes.swap16();
    };
    const text = `tags:\n${'  - name: منى 🍅\n'.repeat(5000)}`;
    const file = join(temporaryFolder(), 'a.yaml');
    writeFileSync(file, inUtf16(`\ufeff${text}`));
    const [layer] = await findFiles([file], api, Readable.from([]));
    expect(layer?.files[0]?.text).toBe(text);
    const [piped] = await findFiles(
      ['-'],
      api,
      Readable.from([...inUtf16(`\ufeff${text}`)].map((byte) => Buffer.of(byte))),
    );
    expect(piped?.files[0]?.text).toBe(text);
    writeFileSync(file, inUtf16(text));
    expect((await refusal(file)).message).toMatch(/a\.yaml is not UTF-8: it contains/);
  },
);

test('a character split between two chunks of standard input: is read as one character', async () => {
  const [letter, begin] = [Buffer.from('é'), Buffer.from('\uFEFFtags: # ')];
  const parts = [begin, letter.subarray(0, 1), letter.subarray(1)];
  const [layer] = await findFiles(['-'], api, Readable.from(parts));
  expect(layer?.files[0]?.text).toBe('tags: # é');
});

test('a file that another process changes during the read: is refused', async () => {
  const file = join(temporaryFolder(), 'a.yaml');
  writeFileSync(file, `tags:\n${'# more\n'.repeat(1_000_000)}`);
  let isOver = false;
  const refused = refusal(file).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    appendFileSync(file, '#');
    await nextTurn();
  }
  expect((await refused).message).toMatch(/a\.yaml changed while it was read; nothing was sent\.$/);
});
