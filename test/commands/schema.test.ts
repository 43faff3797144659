import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { exitCodes } from '../../src/base/errors.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

const schema = (...words: string[]) => runBoh(['schema', ...words]);

describe('boh schema', () => {
  it('prints the record, with its inputs under $defs', async () => {
    const { stdout, exitCode } = await schema('suppliers');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'supplier',
      $defs: { create: { required: ['name'], additionalProperties: false }, 'link-item': {} },
    });
  });

  it('--input: prints one input; -o yaml: prints YAML', async () => {
    const { stdout } = await schema('supplier', '--input', 'update');
    expect(JSON.parse(stdout)).toMatchObject({ title: 'supplier update', required: [] });
    expect((await schema('tags', '-o', 'yaml')).stdout).toMatch(/^\$schema: /);
    expect((await schema('tags', '-o', 'table')).stdout).toMatch(/^{/);
  });

  it('whoami: has no inputs', async () => {
    expect(JSON.parse((await schema('whoami')).stdout)).not.toHaveProperty('$defs');
    expect(failureOf(await schema('whoami', '--input', 'create')).hint).toBe(
      'No verb of whoami takes input.',
    );
  });

  it('unknown name: suggests the most similar name', async () => {
    expect(failureOf(await schema('supliers')).message).toContain('Did you mean "suppliers"?');
    expect(failureOf(await schema('suppliers', '--input', 'creat')).message).toContain(
      'Did you mean "create"?',
    );
  });

  it('output: lists what commands print, and prints the JSON Schema of one', async () => {
    const outputs = JSON.parse((await schema('output')).stdout) as { name: string; commands: string[] }[];
    expect(outputs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['error', 'row', 'run', 'mirror-status']),
    );
    for (const { name } of outputs)
      expect(JSON.parse((await schema('output', name)).stdout)).toMatchObject({ type: 'object' });
    expect(JSON.parse((await schema('output', 'run')).stdout).required).toContain('remaining');
    expect(failureOf(await schema('output', 'rows')).message).toContain('Did you mean "row"?');
    expect((await schema('suppliers', 'row')).exitCode).toBe(2);
  });
});

describe('for agents', () => {
  const asAgent = (line: string, env = {}) =>
    runBoh(['--sandbox', ...line.split(' ')], { env: { CLAUDECODE: '1', ...env } });

  it('a list is compact: a header with the number of rows and columns, then a line for each record', async () => {
    const list = await asAgent('inventory-items list');
    const [header, ...lines] = list.stdout.trimEnd().split('\n');
    expect(header).toBe('60 rows: id|sku|name|storage_unit|cost|minimum_level|par_level');
    expect(lines).toHaveLength(60);
    expect(list.stdout.length).toBeLessThan(2800);
    expect((await asAgent('inventory-items get @SKU-001')).stdout).toContain('\nname: Tomatoes\n');
    expect((await asAgent('tags list --columns name --limit 1')).stdout).toMatch(/^1 row: name\n.+\n$/);
    const withAgentless = await runBoh(['--sandbox', 'tags', 'list', '--limit', '1', '-o', 'compact']);
    expect(withAgentless.stdout).toMatch(/^1 row: id\|/);
  });

  it('a format that was asked for is used, and errors and exit codes are the same', async () => {
    expect(JSON.parse((await asAgent('tags list -o json')).stdout)).toBeInstanceOf(Array);
    expect(JSON.parse((await asAgent('tags list', { BOH_OUTPUT: 'json' })).stdout)).toBeInstanceOf(Array);
    expect(JSON.parse((await asAgent('tags list --query [].name')).stdout)).toBeInstanceOf(Array);
    const failed = await asAgent('tags get nope');
    expect([failed.exitCode, failureOf(failed).category]).toEqual([5, 'not_found']);
  });

  it.each(['--help', 'customers --help', 'customers import --help', 'apply --help', 'sandbox --help'])(
    '%s: has at most 400 tokens',
    async (line) => {
      const { stdout } = await asAgent(line);
      expect(stdout).toContain('boh skill');
      expect(stdout.length).toBeLessThanOrEqual(1600);
    },
  );

  it('skill: is one page with every resource and exit code', async () => {
    const { stdout } = await runBoh(['skill']);
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
    for (const { command } of api.resources) expect(stdout).toContain(`- ${command}: `);
    for (const category of Object.keys(exitCodes)) expect(stdout).toContain(category);
  });
});
