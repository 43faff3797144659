import { describe, expect, it } from 'vitest';
import { LintAccount } from '../../src/lint/account.ts';
import { rules } from '../../src/lint/rules/index.ts';
import { checksOf, runChecks, runnableChecks } from '../../src/lint/run-rules.ts';
import { api } from '../../src/resources/index.ts';
import { createDirtyAccount, today } from './dirty-accounts.ts';

/** The number of mistakes of each rule in each account. */
const mistakesPerRule = 4;

async function findIn({ rows }: ReturnType<typeof createDirtyAccount>) {
  const account = new LintAccount(api, today, rows);
  const findings = await runChecks(runnableChecks(checksOf(rules, api), account), account);
  return new Set(findings.map(({ rule, id }) => `${rule} ${id}`));
}

describe('boh lint rules in generated accounts', () => {
  it('without mistakes: find nothing', async () => {
    expect([...(await findIn(createDirtyAccount(1, 0)))]).toEqual([]);
  });

  it('with at least 500 mistakes: find at least 95%, and at most 5% of the findings are false', async () => {
    let [plantedCount, foundCount, falsePositiveCount] = [0, 0, 0];
    const missedFindings: string[] = [];
    const falseFindings: string[] = [];
    for (const seed of [11, 22, 33]) {
      const account = createDirtyAccount(seed, mistakesPerRule);
      const foundFindings = await findIn(account);
      missedFindings.push(...[...account.planted].filter((finding) => !foundFindings.has(finding)));
      falseFindings.push(...[...foundFindings].filter((finding) => !account.planted.has(finding)));
      plantedCount += account.planted.size;
      foundCount += [...account.planted].filter((finding) => foundFindings.has(finding)).length;
      falsePositiveCount += [...foundFindings].filter((finding) => !account.planted.has(finding)).length;
    }
    expect(plantedCount).toBeGreaterThanOrEqual(500);
    expect([foundCount / plantedCount >= 0.95, missedFindings]).toEqual([true, expect.any(Array)]);
    expect([falsePositiveCount / (foundCount + falsePositiveCount) <= 0.05, falseFindings]).toEqual([
      true,
      expect.any(Array),
    ]);
  });

  it('the accounts have mistakes of every rule', () => {
    const names = new Set(
      [...createDirtyAccount(11, mistakesPerRule).planted].map((finding) => finding.split(' ')[0]),
    );
    expect([...names].sort()).toEqual(rules.map(({ name }) => name).sort());
  });
});
