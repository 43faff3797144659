/** Tests every file of settings, rules or declarations that boh reads as text: its encoding never changes its meaning. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
import { failureOf } from '../harness/run-boh.ts';

let demo: Demo;
beforeAll(async () => {
  demo = startDemo();
  await demo.boh('mirror sync --resource suppliers');
  writeFileSync(join(demo.folder, 'customers.csv'), 'Mobile,name\n555001,Zed\n');
});
afterAll(() => demo.remove());

const border = { coordinates: [[[46, 24], [47, 24], [47, 25], [46, 24]]] }; // biome-ignore format: one line

/** The text of each kind of file, and the command line that reads it. */
const files: readonly { name: string; text: string; line: (file: string) => string }[] = [
  {
    name: 'rules.yaml',
    text: 'name: no-phone\nseverity: error\nresource: suppliers\nmessage: "{name} مخبز"\nsql: SELECT id, name FROM suppliers WHERE 0\n',
    line: (file) => `lint suppliers --rules ${file} --rule no-phone`,
  },
  { name: 'lint.yaml', text: 'findings: [] # مخبز\n', line: (file) => `lint suppliers --baseline ${file}` },
  {
    name: 'faults.yaml',
    text: 'rules:\n  - {route: "GET /nothing", fault: reset} # مخبز\n',
    line: (file) => `sandbox faults set ${file}`,
  },
  {
    name: 'manifest.yaml',
    text: 'suppliers:\n  - {name: مخبز, code: S-1}\n',
    line: (file) => `apply ${file} --dry-run`,
  },
  {
    name: 'map.json',
    text: '{"columns": {"Mobile": "phone", "مخبز": null}}',
    line: (file) => `customers import FOLDER/customers.csv --map ${file} --key phone --dry-run`,
  },
  {
    name: 'border.geojson',
    text: JSON.stringify({ ...border, name: 'مخبز' }),
    line: (file) => `delivery-zones create --name Z --coordinates @${file} --dry-run`,
  },
  {
    name: 'data.json',
    text: '{"name": "مخبز"}',
    line: (file) => `suppliers create --data @${file} --dry-run`,
  },
];

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const encodings = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text: string) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE with a byte order mark': (text: string) => utf16(`\ufeff${text}`),
  'UTF-16BE with a byte order mark': (text: string) => utf16(`\ufeff${text}`).swap16(),
};

const unreadable = {
  'UTF-16LE without a byte order mark': utf16,
  'UTF-16BE without a byte order mark': (text: string) => utf16(text).swap16(),
  'UTF-32': () => Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]),
  'ISO 8859-6': (text: string) => Buffer.concat([Buffer.from(text), Buffer.from([0xe5, 0xce, 0xc8])]),
};

function run(bytes: Buffer, { name, line }: (typeof files)[number]) {
  const file = join(demo.folder, name);
  writeFileSync(file, bytes);
  return demo.boh(line(file).replace('FOLDER', demo.folder));
}

describe.each(files)('$name', (file) => {
  test.each(Object.entries(encodings))('in %s: is read', async (_, encode) => {
    const plain = await run(Buffer.from(file.text), file);
    const { exitCode, stdout, stderr } = await run(encode(file.text), file);
    expect([exitCode, stdout], stderr).toEqual([plain.exitCode, plain.stdout]);
    expect([0, 10], stderr).toContain(exitCode);
  });

  test.each(Object.entries(unreadable))('in %s: is refused, and the file is named', async (_, encode) => {
    const result = await run(encode(file.text), file);
    expect(result.exitCode).toBe(2);
    const text = JSON.stringify(failureOf(result));
    expect(text).toContain(file.name);
    expect(text).toMatch(/is not UTF-8|is UTF-32/);
  });
});

/** The files whose YAML isn't read as manifests. */
const plainYaml = files.filter(({ name }) => ['rules.yaml', 'lint.yaml', 'faults.yaml'].includes(name));

describe.each(plainYaml)('$name', (file) => {
  test.each([
    ['an alias without an anchor', 'a: 1\nb: *none\n'],
    ['an alias inside its anchor', 'a: 1\nb: &none [*none]\n'],
    ['an unknown tag', 'a: 1\nb: !none x\n'],
  ])('with %s: is refused with the line', async (_, text) => {
    const result = await run(Buffer.from(text), file);
    expect(result.exitCode, result.stderr).toBe(2);
    expect(JSON.stringify(failureOf(result))).toMatch(/line 2, column \d+: .*none/);
    expect(result.stderr).not.toContain('Warning');
  });
});

describe('watermark of an export', () => {
  const since = (encode: (text: string) => Buffer) => {
    const file = join(demo.folder, 'since.json');
    writeFileSync(file, encode(readFileSync(file, 'utf8').replace(/^\ufeff/, '')));
    return demo.boh(`suppliers export --since ${file} --to ${join(demo.folder, 'out.csv')}`);
  };

  test('with a byte order mark: is read; in UTF-16 without one: is refused', async () => {
    const line = `suppliers export --since ${join(demo.folder, 'since.json')} --to ${join(demo.folder, 'out.csv')}`;
    expect(await demo.boh(line)).toMatchObject({ exitCode: 0 });
    expect(await since(encodings['UTF-8 with a byte order mark'])).toMatchObject({ exitCode: 0 });
    const result = await since(utf16);
    expect([result.exitCode, failureOf(result).message]).toEqual([
      2,
      expect.stringContaining('is not UTF-8 text'),
    ]);
  });
});
