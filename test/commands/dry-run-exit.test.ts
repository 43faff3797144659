/** A dry run exits with the code of the real run, and sends nothing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const path = (name: string) => join(demo.folder, name);

beforeAll(async () => {
  writeFileSync(path('one-bad.csv'), 'name,type\nNear,customer\nFar,nonsense\n');
  writeFileSync(path('all-bad.csv'), 'name,type\nFar,nonsense\n');
  writeFileSync(path('good.csv'), 'name,type\nNear,customer\nOld,customer\n');
  writeFileSync(
    path('links.csv'),
    'supplier,item,order_unit,order_to_storage_factor\n@SUP-01,@Nobody,box,2\n@SUP-01,@SKU-001,box,2\n',
  );
  writeFileSync(
    path('tags.yaml'),
    'tags:\n  - name: Here\n    type: customer\n  - name: There\n    type: customer\n',
  );
});

/** Command lines and their exit codes. They share a sandbox: no command line depends on the changes of another. */
const lines: readonly [line: string, exitCode: number][] = [
  ['tags import one-bad.csv --key name --skip-invalid', 9],
  ['tags import one-bad.csv --key name', 2],
  ['tags import all-bad.csv --key name --skip-invalid', 2],
  ['tags import good.csv --key name --max-changes 0', 2],
  ['tags import good.csv --key name', 0],
  ['suppliers import-links item links.csv --skip-invalid', 9],
  ['tags upsert --key name --name Near --type supplier', 2],
  ['tags upsert --key name --name Nearer --type supplier', 0],
  ['tags update --where name=Near --name Nearby --max-changes 0', 2],
  ['tags delete --where name=Nobody', 0],
  ['apply tags.yaml --max-changes 1', 2],
  ['apply tags.yaml --outputs nowhere/ids.json', 8],
  ['apply tags.yaml', 0],
];

/** A token with claims that allow none of these commands. */
const tokenWithoutScopes = [
  'e30',
  Buffer.from('{"scopes":["nothing.at.all"]}').toString('base64url'),
  'x',
].join('.');

describe('exit code of --dry-run', () => {
  it.each([
    'suppliers create --name x',
    'suppliers update 1 2 --name x',
    'suppliers delete 1',
    'suppliers delete --where name=x',
    'api POST /suppliers --data {"name":"x"}',
  ])('%s outside the scopes of the token: exits with 4, like the real run', async (line) => {
    // No service listens there: any request would end with exit code 8.
    const env = {
      BOH_TOKEN: tokenWithoutScopes,
      BOH_BASE_URL: 'http://127.0.0.1:1',
      BOH_CONFIG_DIR: demo.folder,
    };
    for (const flag of ['--dry-run', '--yes']) {
      const result = await runBoh([...line.split(' '), flag], { env });
      expect(result.exitCode).toBe(4);
      expect(failureOf(result)).toMatchObject({ category: 'not_allowed', outcome: 'not_sent' });
    }
  });

  it.each(lines)('%s: exits with %i, like the real run', async (line, exitCode) => {
    const lineWithPaths = line.replaceAll(/\S+\.(csv|yaml|json)\b/g, path);
    const dryRunResult = await demo.boh(`${lineWithPaths} --dry-run`);
    const realResult = await demo.boh(`${lineWithPaths} --yes`);
    expect({ dry: dryRunResult.exitCode, real: realResult.exitCode, stderr: '' }).toEqual({
      dry: exitCode,
      real: exitCode,
      stderr:
        exitCode === dryRunResult.exitCode && exitCode === realResult.exitCode
          ? ''
          : dryRunResult.stderr + realResult.stderr,
    });
    if (exitCode !== 0) expect(failureOf(dryRunResult)).toMatchObject({ outcome: 'not_sent' });
  });

  it('undo of a record that was changed since: exits with 9, like the real run', async () => {
    const { id } = await demo.json<{ id: string }>('suppliers create --name Undone --phone 1');
    await demo.boh(`suppliers update ${id} --phone 2`);
    await demo.boh(`suppliers update ${id} --phone 3`);
    const [, write] = await demo.json<{ number: number }[]>(`history suppliers ${id}`);
    const dryRunResult = await demo.boh(`undo ${write?.number} --dry-run`);
    const realResult = await demo.boh(`undo ${write?.number} --yes`);
    expect([dryRunResult.exitCode, realResult.exitCode]).toEqual([9, 9]);
  });
});

it.each(['tags import FILE --key name', 'apply FILE'])(
  '%s --dry-run: a plan that exceeds a limit is printed completely, and the exit code is 2',
  async (line) => {
    const file = path(line.startsWith('apply') ? 'limited.yaml' : 'limited.csv');
    writeFileSync(path('limited.yaml'), 'tags: [{ name: One, type: order }, { name: Two, type: order }]\n');
    writeFileSync(path('limited.csv'), 'name,type\nOne,order\nTwo,order\n');
    const dryRunResult = await demo.boh(`${line.replace('FILE', file)} --max-changes 50% --dry-run`);
    expect(dryRunResult.exitCode).toBe(2);
    expect(dryRunResult.stdout).toContain('One');
    expect(dryRunResult.stdout).toContain('Two');
    expect(failureOf(dryRunResult)).toMatchObject({
      fields: { 'max-changes': ['Would change 2 of 2 records; the limit is 1'] },
      hint: expect.stringContaining('--max-changes 2'),
    });
  },
);

it('--dry-run with a partly skipped plan: prints every row', async () => {
  const dryRunResult = await demo.boh(
    `tags import ${path('one-bad.csv')} --key name --skip-invalid --dry-run`,
  );
  const rows = dryRunResult.stdout
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(rows.map(({ outcome }) => outcome).toSorted()).toContain('failed');
  expect(failureOf(dryRunResult).message).toBe('1 of 2 rows would be skipped; nothing was sent.');
});
