import { describe, expect, it } from 'vitest';
import { LintAccount } from '../../src/lint/account.ts';
import { rules } from '../../src/lint/rules/index.ts';
import { checksOf, runChecks, runnableChecks } from '../../src/lint/run-rules.ts';
import { api } from '../../src/resources/index.ts';
import { dirtyAccount, today } from './dirty-accounts.ts';

/** The number of mistakes of each rule in each account. */
const each = 4;

async function foundIn({ rows }: ReturnType<typeof dirtyAccount>) {
  const account = new LintAccount(api, today, rows);
  const findings = await runChecks(runnableChecks(checksOf(rules, api), account), account);
  return new Set(findings.map(({ rule, id }) => `${rule} ${id}`));
}

describe('accounts with planted mistakes', () => {
  it('have no findings without planted mistakes', async () => {
    expect([...(await foundIn(dirtyAccount(1, 0)))]).toEqual([]);
  });

  it('are checked: at least 95 % of 500 mistakes are found, and at most 5 % of the findings are false', async () => {
    let [planted, found, false_] = [0, 0, 0];
    const missed: string[] = [];
    const wrong: string[] = [];
    for (const seed of [11, 22, 33]) {
      const account = dirtyAccount(seed, each);
      const all = await foundIn(account);
      missed.push(...[...account.planted].filter((one) => !all.has(one)));
      wrong.push(...[...all].filter((one) => !account.planted.has(one)));
      planted += account.planted.size;
      found += [...account.planted].filter((one) => all.has(one)).length;
      false_ += [...all].filter((one) => !account.planted.has(one)).length;
    }
    expect(planted).toBeGreaterThanOrEqual(500);
    expect([found / planted >= 0.95, missed]).toEqual([true, expect.any(Array)]);
    expect([false_ / (found + false_) <= 0.05, wrong]).toEqual([true, expect.any(Array)]);
  });

  it('have mistakes of every rule', () => {
    const names = new Set([...dirtyAccount(11, each).planted].map((one) => one.split(' ')[0]));
    expect([...names].sort()).toEqual(rules.map(({ name }) => name).sort());
  });
});
