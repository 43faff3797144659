import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Demo, startDemo } from '../harness/demo.ts';
import { failureOf } from '../harness/run-boh.ts';
import { runLine } from '../harness/run-line.ts';

let demo: Demo;
let file: string;
const rule = '--rule item-levels-disordered';
beforeAll(async () => {
  demo = startDemo();
  file = join(demo.folder, 'lint.yaml');
  await demo.boh('inventory-items update inventory-item-1 --minimum-level 30');
});
afterAll(() => demo.remove());

const lint = (line: string) => demo.boh(`lint inventory-items ${rule} ${line}`);
const entries = () => parse(readFileSync(file, 'utf8')).findings;
const rewriteFile = (change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')));

describe('boh lint: a baseline', () => {
  it('is written with a reason and an expiry date, and hides the accepted findings', async () => {
    const writeResult = await lint(`--write-baseline ${file} --reason Agreed`);
    expect([writeResult.exitCode, writeResult.stderr]).toEqual([
      0,
      expect.stringContaining('1 accepted, 1 of them new'),
    ]);
    expect(entries()).toEqual([
      {
        rule: 'item-levels-disordered',
        resource: 'inventory-items',
        id: 'inventory-item-1',
        name: 'Tomatoes',
        reason: 'Agreed',
        expires: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      },
    ]);
    const baselineResult = await lint(`--baseline ${file} --json`);
    expect([baselineResult.exitCode, JSON.parse(baselineResult.stdout)]).toEqual([0, []]);
    expect(baselineResult.stderr).toContain('1 accepted by');
    expect((await lint('')).exitCode).toBe(10);
  });

  it('reports only new findings, compared by rule and record, not by message', async () => {
    await demo.boh('inventory-items update inventory-item-1 --minimum-level 31');
    await demo.boh('inventory-items update inventory-item-2 --minimum-level 500');
    const { exitCode, stdout } = await lint(`--baseline ${file} --json`);
    expect([exitCode, JSON.parse(stdout).map(({ id }: { id: string }) => id)]).toEqual([
      10,
      ['inventory-item-2'],
    ]);
  });

  it('keeps the reasons of accepted findings when others are added, until the date of --expires', async () => {
    await lint(`--write-baseline ${file} --reason Later --expires 2099-01-01`);
    expect(entries()).toMatchObject([
      { id: 'inventory-item-1', reason: 'Agreed' },
      { id: 'inventory-item-2', reason: 'Later', expires: '2099-01-01' },
    ]);
  });

  it('reports a finding again after its expiry date', async () => {
    rewriteFile((text) => text.replace('2099-01-01', '2020-01-01'));
    const { exitCode, stdout } = await lint(`--baseline ${file} --json`);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([10, [{ id: 'inventory-item-2' }]]);
  });

  it('--prune-baseline: removes entries that no longer occur, but not those of other rules', async () => {
    await demo.boh('inventory-items update inventory-item-2 --minimum-level 1');
    const otherEntry = {
      rule: 'customer-same-phone',
      resource: 'customers',
      id: '1',
      reason: 'Family',
      expires: '2099-01-01',
    };
    rewriteFile((text) => `${text}  - ${JSON.stringify(otherEntry)}\n`);
    expect((await lint(`--baseline ${file} --prune-baseline`)).exitCode).toBe(0);
    expect(entries()).toMatchObject([{ id: 'inventory-item-1' }, { rule: 'customer-same-phone' }]);
  });

  it.each([
    [
      'without a reason',
      'findings: [{ rule: r, resource: tags, id: "1", expires: 2099-01-01 }]',
      'reason is required',
    ],
    ['without a date', 'findings: [{ rule: r, resource: tags, id: "1", reason: x }]', 'expires is required'],
    [
      'with a wrong date',
      'findings: [{ rule: r, resource: tags, id: "1", reason: x, expires: soon }]',
      "isn't a date",
    ],
  ])('is refused %s', async (_, text, problem) => {
    writeFileSync(file, text);
    const result = await lint(`--baseline ${file} --json`);
    expect([result.exitCode, JSON.stringify(failureOf(result).fields)]).toEqual([
      2,
      expect.stringContaining(problem),
    ]);
  });

  it('is refused if the file is not a baseline, and the file is unchanged', async () => {
    writeFileSync(file, 'inventory-items: []\n');
    expect((await lint(`--write-baseline ${file} --reason Agreed`)).exitCode).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('inventory-items: []\n');
  });

  it.each([
    ['/dev/zero', 2],
    ['/dev', 2],
    ['/no/such/folder/lint.yaml', 8],
  ])('that cannot be written to %s: is refused before any request', async (path, exitCode) => {
    const refusedResult = await lint(`--write-baseline ${path} --reason x --verbose`);
    expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
      exitCode,
      expect.not.stringContaining('GET '),
    ]);
  });

  it('without --reason: is refused', async () => {
    expect((await lint(`--write-baseline ${file}`)).stderr).toContain('each accepted finding needs a reason');
  });

  it('with the client secret in --reason: stores the reason with the secret redacted', async () => {
    rmSync(file);
    const env = { BOH_CONFIG_DIR: join(demo.folder, 'config'), BOH_CLIENT_SECRET: 'canary-4711-secret' };
    const line = `--sandbox lint inventory-items ${rule} --write-baseline ${file} --reason`;
    await runLine([...line.split(' '), 'Token canary-4711-secret'], { env });
    expect(entries()[0].reason).toBe('Token ••••');
  });
});
