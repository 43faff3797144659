import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Demo, startDemo } from '../harness/demo.ts';
import { failureOf } from '../harness/run-boh.ts';

let demo: Demo;
beforeAll(async () => {
  demo = startDemo();
  await demo.boh('inventory-items update inventory-item-1 --minimum-level 30');
  await demo.boh('mirror sync');
});
afterAll(() => demo.remove());

const fileWith = (name: string, text: string) => {
  const file = join(demo.folder, name);
  writeFileSync(file, text);
  return file;
};

describe('boh lint --mirror', () => {
  it('prints the same findings as for the account, without requests', async () => {
    const live = await demo.json<object[]>('lint');
    const mirrored = await demo.json<object[]>('lint --mirror');
    const sorted = (findings: object[]) => findings.map((finding) => JSON.stringify(finding)).sort();
    expect(live.length).toBeGreaterThan(20);
    expect(sorted(mirrored)).toEqual(sorted(live));
  });
});

describe('boh lint PATH', () => {
  it('checks declared records without an account, and reports their location in the file', async () => {
    const file = fileWith(
      'items.yaml',
      `inventory-items:
  - { sku: A, name: Flour, storage_unit: kg, ingredient_unit: g, storage_to_ingredient_factor: 10 }
  - { sku: B, name: Bread, minimum_level: "9", par_level: "3", category: Bakery }
`,
    );
    const result = await demo.boh(`lint ${file} --json`);
    expect([result.exitCode, JSON.parse(result.stdout)]).toMatchObject([
      10,
      [
        { rule: 'item-levels-disordered', name: 'Bread', file, line: 3, fix: `${file}:3` },
        { rule: 'item-factor-implausible', name: 'Flour', file, line: 2 },
      ],
    ]);
  });

  it("reports a file that doesn't exist", async () => {
    const result = await demo.boh('lint seeds/missing.yaml --json');
    expect([result.exitCode, failureOf(result).message]).toEqual([
      2,
      expect.stringContaining('missing.yaml'),
    ]);
    expect(failureOf(result).message).not.toContain('resource');
  });

  it('finds circular references by name, and ignores fields that files omit', async () => {
    const file = fileWith(
      'recipes.yaml',
      `inventory-items:
  - { sku: A, name: Stock, ingredients: [{ ingredient: B, quantity: 2 }] }
  - { sku: B, name: Soup, ingredients: [{ ingredient: A, quantity: 2 }] }
`,
    );
    const result = await demo.boh(`lint ${file} --json`);
    expect(JSON.parse(result.stdout || result.stderr)).toMatchObject([{ rule: 'item-ingredient-circle' }]);
  });
});

describe('boh lint --sarif', () => {
  // The required parts of the schema of SARIF 2.1.0 (sections 3.13 to 3.33), because no package contains the whole schema.
  const text = { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } };
  const level = { enum: ['none', 'note', 'warning', 'error'] };
  const list = (items: object) => ({ type: 'array', items });
  const object = (properties: object, required: string[] = []) => ({
    type: 'object',
    additionalProperties: false,
    required,
    properties,
  });
  const number = { type: 'integer', minimum: 1 };
  const rule = object(
    {
      ...{ id: { type: 'string' }, shortDescription: text, fullDescription: text },
      defaultConfiguration: object({ level }),
    },
    ['id'],
  );
  const location = object({
    physicalLocation: object({
      artifactLocation: object({ uri: { type: 'string', format: 'uri-reference' } }),
      region: object({ startLine: number, startColumn: number }),
    }),
    logicalLocations: list(
      object({ name: { type: 'string' }, fullyQualifiedName: { type: 'string' }, kind: { type: 'string' } }),
    ),
  });
  const result = object(
    {
      ...{ ruleId: { type: 'string' }, ruleIndex: { type: 'integer', minimum: 0 }, level, message: text },
      ...{
        locations: list(location),
        partialFingerprints: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    ['message'],
  );
  const driver = object(
    { name: { type: 'string' }, semanticVersion: { type: 'string' }, rules: list(rule) },
    ['name'],
  );
  const run = object({ tool: object({ driver }, ['driver']), results: list(result) }, ['tool']);
  const schema = object({ $schema: { type: 'string' }, version: { const: '2.1.0' }, runs: list(run) }, [
    'version',
    'runs',
  ]);

  it.each([
    ['of an account', ''],
    ['of files', 'items.yaml'],
  ])('is valid %s', async (_, name) => {
    const path = name === '' ? '' : join(demo.folder, name);
    const { stdout, exitCode } = await demo.boh(`lint ${path} --sarif`.replace('  ', ' '));
    const document = JSON.parse(stdout);
    const validate = new Ajv({ formats: { 'uri-reference': true } }).compile(schema);
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(exitCode).toBe(10);
    const [{ results, tool }] = document.runs;
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(
      new Set(
        results.map((each: { partialFingerprints: object }) => JSON.stringify(each.partialFingerprints)),
      ).size,
    ).toBe(results.length);
  });
});

describe('boh lint --fix', () => {
  it('plans unambiguous fixes without writing them, and saves them for apply --plan', async () => {
    await demo.boh('customers create --name Zubaida --phone 555-765-4321 --dial-code 966');
    const phone = async () =>
      (await demo.json<{ phone: string }[]>('customers list --name Zubaida'))[0]?.phone;
    const plan = join(demo.folder, 'fixes.plan');
    const rule = 'customers --rule customer-phone-spelling';
    const showResult = await demo.boh(`lint ${rule} --fix`);
    expect(showResult.stderr).toContain('1 to update');
    const saveResult = await demo.boh(`lint ${rule} --fix --out ${plan}`);
    expect([saveResult.exitCode, await phone()]).toEqual([0, '555-765-4321']);
    const applyResult = await demo.boh(`apply --plan ${plan} --yes`);
    expect([applyResult.exitCode, await phone()]).toEqual([0, '5557654321']);
    expect(await demo.json(`lint ${rule}`)).toEqual([]);
    expect(await demo.boh('undo --last --yes')).toMatchObject({ exitCode: 0 });
    expect(await phone()).toBe('555-765-4321');
  });

  it('is refused if values may be out of date', async () => {
    expect(await demo.boh('lint --fix --mirror')).toMatchObject({ exitCode: 2 });
    expect(await demo.boh('lint --out x.plan')).toMatchObject({ exitCode: 2 });
  });
});

describe('boh lint --rules: user-defined rules', () => {
  const text = `name: item-without-barcode
severity: warning
resource: inventory-items
message: "{name} has no barcode {nothing}."
sql: select id, name, sku from inventory_items where sku = 'SKU-001'
`;

  it('report the rows of their query together with the findings of other rules', async () => {
    const file = fileWith('own.yaml', text);
    const findings = await demo.json(`lint --rules ${file} --rule item-without-barcode`);
    expect(findings).toMatchObject([
      { rule: 'item-without-barcode', id: 'inventory-item-1', message: 'Tomatoes has no barcode {nothing}.' },
    ]);
    const allFindings = await demo.json<{ rule: string }[]>(`lint inventory-items --rules ${file}`);
    expect(new Set(allFindings.map(({ rule }) => rule))).toContain('item-levels-disordered');
  });

  it('with a query that writes: fail with exit code 2', async () => {
    const file = fileWith('own.yaml', text.replace(/^sql: .*$/m, 'sql: delete from inventory_items'));
    const result = await demo.boh(`lint --rules ${file} --rule item-without-barcode --json`);
    expect([result.exitCode, failureOf(result).message]).toEqual([
      2,
      expect.stringContaining('only SELECT is allowed'),
    ]);
  });

  it('are refused if they return a row without an id', async () => {
    const file = fileWith('own.yaml', text.replace(/^sql: .*$/m, 'sql: select null as id'));
    const result = await demo.boh(`lint --rules ${file} --rule item-without-barcode --json`);
    expect([result.exitCode, failureOf(result).message]).toEqual([
      2,
      expect.stringContaining('without an "id"'),
    ]);
  });

  it('are refused with all their problems before any request', async () => {
    const file = fileWith('own.yaml', 'name: Own Rule\nseverity: bad\n---\nsql: select 1\n');
    const result = await demo.boh(`lint --rules ${file} --json`);
    expect(result.exitCode).toBe(2);
    expect(
      Object.values(failureOf(result).fields as Record<string, string[]>).map((each) => each.length),
    ).toEqual([5, 4]);
    expect(readFileSync(file, 'utf8')).toContain('Own Rule');
  });
});
