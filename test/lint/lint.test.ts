import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '../../src/engine/lint/rules/index.ts';
import { type Demo, startDemo } from '../harness/demo.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

interface FindingRow {
  severity: string;
  rule: string;
  resource: string;
  id: string;
  name: string;
  message: string;
  fix: string;
}

let demo: Demo;
beforeAll(async () => {
  demo = startDemo();
  for (const line of [
    'inventory-items update inventory-item-1 --minimum-level 30 --par-level 6',
    'customers create --name Rana --phone 555-123-4567 --dial-code 966 --email rana@example.com',
    'customers create --name Rania --phone +9665551234567 --email RANA@example.com',
  ])
    expect(await demo.boh(line)).toMatchObject({ exitCode: 0 });
});
afterAll(() => demo.remove());

const lint = (line: string) => demo.json<FindingRow[]>(`lint ${line}`.trim());

describe('boh lint', () => {
  it('prints each finding with its record, its problem, and the command that fixes it', async () => {
    expect(await lint('inventory-items --rule item-levels-disordered')).toEqual([
      {
        severity: 'error',
        rule: 'item-levels-disordered',
        resource: 'inventory-items',
        id: 'inventory-item-1',
        name: 'Tomatoes',
        part: null,
        message: 'The minimum level 30 is above the par level 6.',
        fix: 'boh --sandbox inventory-items update inventory-item-1 --par-level N',
      },
    ]);
  });

  it('finds duplicate customers by phone and email, regardless of spelling', async () => {
    const findings = await lint('customers --rule customer-same-phone,customer-same-email');
    expect(findings.map(({ rule, name }) => [rule, name])).toEqual([
      ['customer-same-phone', 'Rania'],
      ['customer-same-email', 'Rania'],
    ]);
  });

  it('checks only the named resources, without excluded rules', async () => {
    const findings = await lint('inventory-items --exclude-rule item-never-counted');
    expect(new Set(findings.map(({ resource }) => resource))).toEqual(new Set(['inventory-items']));
    expect(findings.map(({ rule }) => rule)).not.toContain('item-never-counted');
  });

  it('exits with 10 for findings with at least the severity of --fail-on', async () => {
    const exitCode = async (flags: string) => (await demo.boh(`lint ${flags}`)).exitCode;
    expect(await exitCode('inventory-items')).toBe(10);
    expect(await exitCode('inventory-items --fail-on never')).toBe(0);
    expect(await exitCode('customers')).toBe(0);
    expect(await exitCode('customers --fail-on warning')).toBe(10);
  });

  it('prints the same findings in every format', async () => {
    const [json, ndjson, csv, table, ids] = await Promise.all(
      ['json', 'ndjson', 'csv', 'table', 'id'].map((format) =>
        demo.boh(`lint inventory-items --rule item-levels-disordered -o ${format}`),
      ),
    );
    expect(JSON.parse(json?.stdout ?? '')).toEqual([JSON.parse(ndjson?.stdout ?? '')]);
    expect(csv?.stdout).toMatch(
      /^severity,rule,resource,id,name,part,message,fix\r?\nerror,item-levels-disordered,/,
    );
    expect(table?.stdout).toContain(
      'error item-levels-disordered: inventory item Tomatoes (inventory-item-1)\n',
    );
    expect(table?.stdout).toContain('Findings: 1 error.');
    expect(ids?.stdout).toBe('inventory-item-1\n');
  });

  it('refuses unknown rules and resources before any request', async () => {
    const rule = await demo.boh('lint --rule item-level-disordered --json');
    expect([rule.exitCode, failureOf(rule).message]).toEqual([
      2,
      expect.stringContaining('Did you mean "item-levels-disordered"?'),
    ]);
    expect(await demo.boh('lint suplier')).toMatchObject({ exitCode: 2 });
  });
});

describe('boh lint of the demo business', () => {
  it('prints the known findings, and no others', async () => {
    const cleanDemo = startDemo();
    const rowsByRule = Map.groupBy(await cleanDemo.json<FindingRow[]>('lint'), ({ rule }) => rule);
    expect(Object.fromEntries([...rowsByRule].map(([rule, findings]) => [rule, findings.length]))).toEqual({
      'supplier-item-cost-implausible': 17,
      'document-left-open': 4,
      'cost-changed-tenfold': 3,
      'tag-unused': 1,
      'role-without-users': 1,
      'item-never-counted': 36,
    });
    cleanDemo.remove();
  });
});

describe('boh explain', () => {
  it('describes each rule, and lists all of them', async () => {
    const list = await demo.json<{ name: string }[]>('explain rules');
    expect(list.map(({ name }) => name)).toEqual(rules.map(({ name }) => name));
    const { stdout } = await demo.boh('explain item-cost-missing -o table');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Dishes that use them look more profitable than they are.',
    );
    expect(stdout).toContain('--write-baseline lint.yaml');
  });
});

describe('boh lint with a token with few scopes', () => {
  let service: TestService;
  beforeAll(async () => {
    const item = { id: '1', name: 'Tomatoes', sku: 'T', minimum_level: '9', par_level: '2', ingredients: [] };
    service = await serve({
      'GET /inventory_items': { data: [item], meta: { last_page: 1, total: 1 } },
      'GET /suppliers': [403, { message: 'This action is unauthorized.' }],
    });
  });
  afterAll(() => service.close());

  it('runs the rules whose lists it can read, and reports the others as skipped', async () => {
    const flags = ['--rule', 'item-levels-disordered,item-without-supplier', '--json'];
    const env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl };
    const result = await runBoh(['lint', 'inventory-items', ...flags], { env });
    expect([result.exitCode, JSON.parse(result.stdout)]).toMatchObject([
      10,
      [{ rule: 'item-levels-disordered' }],
    ]);
    expect(result.stderr).toContain(
      "Rules skipped, because the token can't list suppliers: item-without-supplier.",
    );
  });
});
