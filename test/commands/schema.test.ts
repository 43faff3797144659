import { describe, expect, it } from 'vitest';
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
});
