import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { LintAccount } from '../../src/engine/lint/account.ts';
import { checkedFields, exampleRecords, neededFields, type Rule } from '../../src/engine/lint/rule.ts';
import { rules } from '../../src/engine/lint/rules/index.ts';
import { checksOf, readsOf, runChecks, runnableChecks } from '../../src/engine/lint/run-rules.ts';

const today = '2026-11-23';

async function findIn(rule: Rule, isCorrect: boolean) {
  const rows = exampleRecords(rule, api, isCorrect);
  for (const name of Object.keys(neededFields(rule, api))) if (!rows.has(name)) rows.set(name, []);
  const account = new LintAccount(api, today, rows);
  return runChecks(runnableChecks(checksOf([rule], api), account), account);
}

describe.each(rules.map((rule) => [rule.name, rule] as const))('lint rule %s', (_, rule) => {
  it('finds the mistake in the bad example, and nothing in the good example', async () => {
    const [checkedResource = ''] = [...exampleRecords(rule, api, false).keys()];
    const lastId = exampleRecords(rule, api, false).get(checkedResource)?.at(-1)?.id;
    const findings = await findIn(rule, false);
    expect(findings.map(({ id }) => id)).toContain(lastId);
    expect(await findIn(rule, true)).toEqual([]);
  });

  it('reads only fields of the contract, and has a message and a fix', async () => {
    for (const reads of [checkedFields(rule, api), neededFields(rule, api)])
      for (const [name, fields] of Object.entries(reads)) {
        const contractFields = api.resource(name)?.fields ?? {};
        expect(Object.keys(contractFields), name).toEqual(expect.arrayContaining([...fields]));
      }
    for (const { message, resource, fix } of await findIn(rule, false)) {
      expect(message).toMatch(/^\S.*\.$/);
      expect(message).not.toMatch(/undefined|NaN|\[object/);
      const [verb = ''] = (fix as { command: string }).command.split(' ').slice(1);
      const verbs = api.operations
        .filter((operation) => operation.resource === resource)
        .map(({ verb }) => verb);
      expect(verbs).toContain(verb);
    }
  });
});

describe('rules', () => {
  it('are at least 40, with unique names in kebab case', () => {
    const names = rules.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(40);
    for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
  });

  it('find nothing in records that contain only their IDs, because missing fields are unknown', async () => {
    // Missing supplier items, counts or tags of other lists are found without any field of the record.
    const rows = new Map(api.collections.map(({ name }) => [name, [{ id: `${name}-1` }]]));
    const account = new LintAccount(api, today, rows);
    const findings = await runChecks(checksOf(rules, api), account);
    expect(findings.map(({ rule, id }) => `${rule} ${id}`)).toEqual([]);
  });

  it('read each list once, with the fields that all rules need', () => {
    const reads = readsOf(checksOf(rules, api), api);
    const items = [...reads].find(([resource]) => resource.name === 'inventory_items')?.[1];
    const names = [...reads].map(([{ name }]) => name);
    expect(names).toEqual([...new Set(names)]);
    expect([...(items ?? [])]).toEqual(expect.arrayContaining(['sku', 'ingredients', 'cost']));
  });
});
