import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type BohResult, failureOf } from '../harness/run-boh.ts';
import { type Accounts, openAccounts } from './backups.ts';

const mistake = 'error item-levels-disordered: Flour: The minimum level 90 is above the maximum level 4.';
const suppliers = 'warning supplier-item-cost-implausible';

let accounts: Accounts;
/** The commands that transfer an account with a mistake to an empty, protected account. */
let transfers: Record<string, (flags: string) => Promise<BohResult>>;

beforeEach(async () => {
  accounts = openAccounts();
  await accounts.bohWithoutSandbox('profiles add main --sandbox', { BOH_SANDBOX: 'main' });
  await accounts.bohWithoutSandbox('profiles add new --sandbox --protected', { BOH_SANDBOX: 'new' });
  accounts.createDemoSandbox('main');
  accounts.createEmptySandbox('new');
  const createLine =
    'inventory-items create --name Flour --sku FLO-1 --storage-unit kg --ingredient-unit g --storage-to-ingredient-factor 1000 --costing-method 1 --minimum-level 90 --maximum-level 4';
  const result = await accounts.boh('main', createLine);
  if (result.exitCode !== 0) throw new Error(result.stderr);
  await accounts.backup('main', 'backup');
  const folder = join(accounts.folder, 'backup');
  transfers = {
    copy: (flags) =>
      accounts.bohWithoutSandbox(
        `copy inventory-items suppliers --from main --to new --with-references ${flags}`,
      ),
    'backup restore': (flags) =>
      accounts.bohWithoutSandbox(
        `backup restore ${folder} --resource inventory-items,suppliers --with-references --same-references --profile new ${flags}`,
      ),
  };
});

const writtenItems = async () => accounts.json('new', 'inventory-items list --sku FLO-1');

describe.each(['copy', 'backup restore'])('%s to a protected profile', (name) => {
  const transfer = (flags: string) => transfers[name]?.(flags) ?? Promise.reject(new Error(name));

  test('shows new findings in the preview, also between two new records, and stops on errors', async () => {
    const planResult = await transfer('--dry-run --json');
    expect(planResult.stderr).toContain(mistake);
    expect(planResult.stderr).toContain(`${suppliers}: Prime Butchers: Lamb Shoulder costs`);
    const stoppedResult = await transfer('--yes --json');
    expect([stoppedResult.exitCode, failureOf(stoppedResult)]).toMatchObject([
      2,
      {
        fields: { 'item-levels-disordered': ['Flour: The minimum level 90 is above the maximum level 4.'] },
        hint: expect.stringContaining('--allow item-levels-disordered'),
        outcome: 'not_sent',
      },
    ]);
    expect(await writtenItems()).toEqual([]);
  });

  test('sends records with findings that --allow names, and stops on warnings with --fail-on warning', async () => {
    const allow = '--allow item-levels-disordered';
    const warned = await transfer(`${allow} --fail-on warning --dry-run --json`);
    expect([warned.exitCode, Object.keys(failureOf(warned).fields ?? {})]).toEqual([
      2,
      expect.arrayContaining(['supplier-item-cost-implausible']),
    ]);
    const result = await transfer(`${allow} --yes`);
    expect([result.exitCode, result.stderr]).toEqual([0, expect.not.stringContaining(mistake)]);
    expect(await writtenItems()).toHaveLength(1);
  });
});
