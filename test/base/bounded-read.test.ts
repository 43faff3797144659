import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBoundedFile, readBoundedFileSync } from '../../src/base/bounded-read.ts';
import { type Demo, startDemo } from '../harness/demo.ts';
import { failureOf } from '../harness/run-boh.ts';

let demo: Demo;
beforeAll(() => {
  demo = startDemo();
});
afterAll(() => demo.remove());

test('a file of several blocks: is read completely, asynchronously and synchronously', async () => {
  const file = join(demo.folder, 'long.txt');
  const bytes = Buffer.alloc(2_500_000, 'abcdefg');
  writeFileSync(file, bytes);
  expect((await readBoundedFile(file)).equals(bytes)).toBe(true);
  expect(readBoundedFileSync(file).equals(bytes)).toBe(true);
});

describe.skipIf(process.platform === 'win32')('a device without an end', () => {
  test.each([
    'customers create --data @/dev/zero',
    'lint --baseline /dev/zero',
    'lint --rules /dev/zero',
    'sandbox faults set /dev/zero',
    'customers export --since /dev/zero --to customers.csv',
  ])('%s: is refused after 64 MB', async (commandLine) => {
    const { message } = failureOf(await demo.boh(commandLine));
    expect(message).toContain("Can't read ");
    expect(message).toContain('/dev/zero: it has more than 64 MB.');
  });

  test('apply --plan /dev/zero: is refused without reading it', async () => {
    const { message } = failureOf(await demo.boh('apply --plan /dev/zero --yes'));
    expect(message).toBe("/dev/zero isn't a saved plan, or was changed.");
  });

  test('import --map /dev/zero: is refused after 64 MB', async () => {
    const file = join(demo.folder, 'tags.csv');
    writeFileSync(file, 'name\nNew\n');
    const { message } = failureOf(
      await demo.boh(`tags import ${file} --mode create --map /dev/zero --dry-run`),
    );
    expect(message).toBe("--map: can't read /dev/zero: it has more than 64 MB.");
  });
});
