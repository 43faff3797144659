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

const protectedRun = (line: string) =>
  runLine(line.split(' '), {
    env: { HOME: demo.folder, BOH_CONFIG_DIR: join(demo.folder, 'config'), BOH_SANDBOX: 'default' },
  });

describe('boh lint before a write of several records', () => {
  it('an import reports the findings that its values cause, and sends them', async () => {
    const result = await demo.boh(
      `inventory-items import ${levels('a.csv', 40)} --key sku --fail-on warning --dry-run --json`,
    );
    expect(result.stderr).toContain(
      'error item-levels-disordered: Tomatoes: The minimum level 40 is above the par level 6.',
    );
    const importResult = await demo.boh(`inventory-items import ${levels('a.csv', 40)} --key sku --yes`);
    expect([importResult.exitCode, (await item('SKU-001')).minimum_level]).toEqual([0, '40']);
  });

  it('plan reports the findings of records, as apply --dry-run does', async () => {
    const file = fileWith('a.yaml', 'customers:\n  - name: Huda Nasser\n    phone: 51x\n');
    for (const line of [`plan ${file}`, `apply ${file} --dry-run`])
      expect((await demo.boh(line)).stderr).toContain('warning phone-has-letters: Huda Nasser');
  });

  it("doesn't report existing findings", async () => {
    const file = fileWith('b.csv', 'sku,cost\nSKU-001,4.75\n');
    const result = await demo.boh(`inventory-items import ${file} --key sku --fail-on warning --yes`);
    expect([result.exitCode, result.stderr]).toEqual([
      0,
      expect.not.stringContaining('These changes add boh lint findings'),
    ]);
  });

  it('--fail-on: stops the write and names the rule, unless --allow contains the rule', async () => {
    const line = `inventory-items update --where sku=SKU-002 --minimum-level 600 --yes --json`;
    const stoppedResult = await demo.boh(`${line} --fail-on error`);
    expect([stoppedResult.exitCode, failureOf(stoppedResult)]).toMatchObject([
      2,
      {
        fields: { 'item-levels-disordered': [expect.stringContaining('minimum level 600')] },
        hint: expect.stringContaining('--allow item-levels-disordered'),
      },
    ]);
    expect((await item('SKU-002')).minimum_level).not.toBe('600');
    const allowedResult = await demo.boh(`${line} --fail-on error --allow item-levels-disordered`);
    expect([allowedResult.exitCode, (await item('SKU-002')).minimum_level]).toEqual([0, '600']);
  });

  it('--fail-on: also checks rules that compare several records', async () => {
    const file = fileWith('c.csv', 'name,email\nFirst,twice@example.com\nSecond,TWICE@example.com\n');
    const result = await demo.boh(`customers import ${file} --mode create --fail-on warning --yes --json`);
    expect([result.exitCode, failureOf(result)]).toMatchObject([
      2,
      { fields: { 'customer-same-email': [expect.any(String)] } },
    ]);
  });

  it('--allow with an unknown rule: is refused with a suggestion, and nothing is sent', async () => {
    const line = `inventory-items import ${levels('unknown.csv', 41)} --key sku --yes --allow item-levels-disorderd`;
    const refusedResult = await demo.boh(line);
    expect([refusedResult.exitCode, failureOf(refusedResult).message]).toEqual([
      2,
      'Unknown rule "item-levels-disorderd". Did you mean "item-levels-disordered"?',
    ]);
    expect((await item('SKU-001')).minimum_level).not.toBe('41');
  });

  it('an apply stops on errors on a protected profile, unless --allow contains the rule', async () => {
    const file = fileWith('d.yaml', 'inventory-items:\n  - { sku: SKU-003, minimum_level: "900" }\n');
    expect((await protectedRun('profiles add main --sandbox --protected')).exitCode).toBe(0);
    const stoppedResult = await protectedRun(`apply ${file} --profile main --dry-run --json`);
    expect([stoppedResult.exitCode, failureOf(stoppedResult).fields]).toMatchObject([
      2,
      { 'item-levels-disordered': [expect.any(String)] },
    ]);
    const allowedResult = await demo.boh(
      `apply ${file} --profile main --dry-run --allow item-levels-disordered --json`,
    );
    expect(allowedResult.exitCode).toBe(0);
  });
});

describe('boh lint before a write of single records', () => {
  const item4 = async () => (await item('SKU-004')).minimum_level;
  const levels4 = '--profile main --yes --minimum-level 901';

  it.each([
    ['an update', 'inventory-items update @SKU-004'],
    ['an update of two records', 'inventory-items update @SKU-004 @SKU-005'],
    ['an upsert', 'inventory-items upsert --sku SKU-004 --key sku'],
  ])('%s stops on errors on a protected profile, unless --allow contains the rule', async (_, line) => {
    const before = await item4();
    const stoppedResult = await protectedRun(`${line} ${levels4} --json`);
    expect([stoppedResult.exitCode, failureOf(stoppedResult)]).toMatchObject([
      2,
      {
        message: expect.stringContaining('--allow item-levels-disordered'),
        fields: { 'item-levels-disordered': expect.any(Array) },
        outcome: 'not_sent',
      },
    ]);
    expect(await item4()).toBe(before);
    const allowedResult = await protectedRun(
      `${line} ${levels4} --allow item-levels-disordered --dry-run --json`,
    );
    expect([allowedResult.exitCode, allowedResult.stdout]).toEqual([0, expect.stringContaining('901')]);
  });

  it('reports warnings with the confirmation, and sends the values', async () => {
    const result = await protectedRun('customers create --name Reemtest --phone 05O --profile main --yes');
    expect(result.stderr).toContain(
      'warning phone-has-letters: Reemtest: The phone number has letters: 05O.',
    );
    expect(await demo.json<object[]>('customers list --name Reemtest')).toHaveLength(1);
  });

  it('--fail-on: also reads the lists that the rules need', async () => {
    const line = 'users create --name Reem --lang en --yes --profile main';
    const email = (await demo.json<{ email: string }[]>('users list --limit 1'))[0]?.email ?? '';
    const stoppedResult = await protectedRun(
      `${line} --email ${email.toUpperCase()} --dry-run --fail-on error --json`,
    );
    expect([stoppedResult.exitCode, failureOf(stoppedResult).fields]).toMatchObject([
      2,
      { 'user-email-twice': [expect.any(String)] },
    ]);
  });

  it('--fail-on never: skips the checks', async () => {
    const result = await protectedRun(`inventory-items update @SKU-004 ${levels4} --fail-on never --dry-run`);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining('boh lint')]);
  });
});
