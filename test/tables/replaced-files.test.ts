/** Every command that writes a user's file keeps the permissions of an existing one, and the link to it. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';

let demo: Demo;
beforeAll(() => {
  demo = startDemo();
  writeFileSync(join(demo.folder, 'bad.csv'), 'phone,name\nx,\n');
  writeFileSync(join(demo.folder, 'good.csv'), 'Who\nA\n');
  writeFileSync(join(demo.folder, 'tag.yaml'), 'tags:\n  - {name: Red, type: 1}\n');
});
afterAll(() => demo.remove());

/** The command line that writes each kind of file, and its content before. */
const writers: readonly [name: string, line: string, before?: string][] = [
  ['failed.csv', 'customers import FOLDER/bad.csv --mode create --skip-invalid --failed FILE --yes'],
  ['map.json', 'customers import FOLDER/good.csv --map Who=name --mode create --dry-run --save-map FILE'],
  ['export.csv', 'suppliers export --to FILE'],
  ['export.xlsx', 'suppliers export --to FILE'],
  ['outputs.json', 'apply FOLDER/tag.yaml --yes --outputs FILE'],
  ['suppliers.yaml', 'pull FOLDER/pulled --resource suppliers'],
  ['lint.yaml', 'lint suppliers --write-baseline FILE --reason Agreed', 'findings: []'],
];

describe.skipIf(process.platform === 'win32').each(writers)('%s', (name, line, before = 'old') => {
  test.each([
    ['600', 0o600],
    ['664', 0o664],
  ])('with the mode %s, behind a link: keeps both', async (text, mode) => {
    const isPulled = line.startsWith('pull');
    const file = join(demo.folder, isPulled ? 'pulled' : 'written', name);
    const target = join(demo.folder, 'targets', `${mode}-${name}`);
    for (const path of [file, target]) mkdirSync(dirname(path), { recursive: true });
    rmSync(file, { force: true });
    writeFileSync(target, before);
    chmodSync(target, mode);
    symlinkSync(join('..', 'targets', basename(target)), file);
    const { exitCode, stderr } = await demo.boh(
      line.replaceAll('FILE', file).replaceAll('FOLDER', demo.folder),
    );
    expect([0, 4, 6, 10], stderr).toContain(exitCode);
    expect(readFileSync(target, 'utf8'), stderr).not.toBe(before);
    expect([lstatSync(file).isSymbolicLink(), (statSync(target).mode & 0o777).toString(8)]).toEqual([
      true,
      text,
    ]);
  });
});
