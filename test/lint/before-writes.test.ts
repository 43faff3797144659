import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
import { failureOf } from '../harness/run-boh.ts';
import { runLine } from '../harness/run-line.ts';

let demo: Demo;
beforeAll(() => {
  demo = startDemo();
});
afterAll(() => demo.remove());

const fileWith = (name: string, text: string) => {
  const file = join(demo.folder, name);
  writeFileSync(file, text);
  return file;
};
const item = async (sku: string) =>
  demo.json<{ minimum_level: string; maximum_level: string }>(`inventory-items get @${sku}`);
const levels = (name: string, minimum: number) =>
  fileWith(name, `sku,minimum_level\nSKU-001,${minimum}\nSKU-002,8\n`);

describe('before a write of several records', () => {
  it('an import reports what its values make wrong, as they would be, and sends them', async () => {
    const ran = await demo.boh(
      `inventory-items import ${levels('a.csv', 40)} --key sku --fail-on warning --dry-run --json`,
    );
    expect(ran.stderr).toContain(
      'error item-levels-disordered: Tomatoes: The minimum level 40 is above the par level 6.',
    );
    const sent = await demo.boh(`inventory-items import ${levels('a.csv', 40)} --key sku --yes`);
    expect([sent.exitCode, (await item('SKU-001')).minimum_level]).toEqual([0, '40']);
  });

  it('reports nothing that was wrong before', async () => {
    const file = fileWith('b.csv', 'sku,cost\nSKU-001,4.75\n');
    const ran = await demo.boh(`inventory-items import ${file} --key sku --fail-on warning --yes`);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.not.stringContaining('boh lint would find')]);
  });

  it('--fail-on stops it, with the rule, unless --allow names it', async () => {
    const line = `inventory-items update --where sku=SKU-002 --minimum-level 600 --yes --json`;
    const stopped = await demo.boh(`${line} --fail-on error`);
    expect([stopped.exitCode, failureOf(stopped)]).toMatchObject([
      2,
      {
        fields: { 'item-levels-disordered': [expect.stringContaining('minimum level 600')] },
        hint: expect.stringContaining('--allow item-levels-disordered'),
      },
    ]);
    expect((await item('SKU-002')).minimum_level).not.toBe('600');
    const allowed = await demo.boh(`${line} --fail-on error --allow item-levels-disordered`);
    expect([allowed.exitCode, (await item('SKU-002')).minimum_level]).toEqual([0, '600']);
  });

  it('--fail-on also finds what shows only among several records', async () => {
    const file = fileWith('c.csv', 'name,email\nFirst,twice@example.com\nSecond,TWICE@example.com\n');
    const ran = await demo.boh(`customers import ${file} --mode create --fail-on warning --yes --json`);
    expect([ran.exitCode, failureOf(ran)]).toMatchObject([
      2,
      { fields: { 'customer-same-email': [expect.any(String)] } },
    ]);
  });

  it('an apply stops on errors on a protected profile, unless --allow names the rule', async () => {
    const file = fileWith('d.yaml', 'inventory-items:\n  - { sku: SKU-003, minimum_level: "900" }\n');
    const run = (line: string) =>
      runLine(line.split(' '), {
        env: { HOME: demo.folder, BOH_CONFIG_DIR: join(demo.folder, 'config'), BOH_SANDBOX: 'default' },
      });
    expect((await run('profiles add main --sandbox --protected')).exitCode).toBe(0);
    const stopped = await run(`apply ${file} --profile main --dry-run --json`);
    expect([stopped.exitCode, failureOf(stopped).fields]).toMatchObject([
      2,
      { 'item-levels-disordered': [expect.any(String)] },
    ]);
    const allowed = await demo.boh(
      `apply ${file} --profile main --dry-run --allow item-levels-disordered --json`,
    );
    expect(allowed.exitCode).toBe(0);
  });
});
