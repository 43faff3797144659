import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runLine } from '../harness/run-line.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';
import { quotedProgram } from '../harness/spawn-boh.ts';
import { openTerminal, terminalTest } from '../harness/terminal.ts';
import { newScene, phones } from './locked-scene.ts';

interface Result {
  key: string;
  action: string;
  outcome: string;
  error: { category: string; message: string } | null;
}

/** Creates an account with a served sandbox, in which runs can be stopped at their third write. */
async function newAccount() {
  const { config, env, boh, json } = await serveSandbox();
  const runFaults = (...line: string[]) => boh('sandbox', 'faults', ...line, '--name', 'served');
  const file = (name: string, text: string) => {
    writeFileSync(join(config, name), text);
    return join(config, name);
  };
  return {
    boh,
    json,
    file,
    /** Runs a command that isn't recorded in the history, like a change in the web console. */
    bohWithoutHistory: (...line: string[]) => runLine(line, { env: { ...env, BOH_HISTORY_JOURNAL: 'off' } }),
    /** Starts a run that stops, and returns its ID. */
    async startStoppedRun(...line: string[]): Promise<string> {
      const rules = ['POST /**', 'PUT /**', 'DELETE /**'].map((route) => ({
        route,
        fault: 'status',
        status: 403,
        nth: [3],
      }));
      await runFaults('set', ...rules.flatMap((rule) => ['--rule', JSON.stringify(rule)]));
      const result = await boh(...line, '--yes', '--concurrency', '1');
      expect([result.exitCode, result.stderr]).toEqual([4, expect.stringContaining('boh runs resume')]);
      await runFaults('clear');
      return (await json('runs', 'list'))[0].id;
    },
    async resume(run: string): Promise<{ exitCode: number | null; stderr: string; results: Result[] }> {
      const result = await boh('runs', 'resume', run, '-o', 'ndjson', '--verbose');
      const lines = result.stdout.split('\n').filter((line) => line !== '');
      return {
        exitCode: result.exitCode,
        stderr: result.stderr,
        results: lines.map((line) => JSON.parse(line)),
      };
    },
  };
}

const header =
  'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,category';
const skus = Array.from({ length: 8 }, (_, index) => `RS-${index}`);
const pricesCsv = (factor: number) =>
  [
    header,
    ...skus.map((sku, index) => `${sku},Item ${sku},kg,g,1000,fixed cost,${(index + 1) * factor},Vegetables`),
  ].join('\n');

type Account = Awaited<ReturnType<typeof newAccount>>;

async function readCosts({ json }: Account): Promise<Record<string, number>> {
  const items: { sku: string; cost: number }[] = await json(
    'inventory-items',
    'list',
    '--sku',
    skus.join(','),
  );
  return Object.fromEntries(items.map(({ sku, cost }) => [sku, cost]));
}

const countPuts = (stderr: string) => stderr.match(/^PUT /gm)?.length ?? 0;

async function setPrices(account: Account, factor: number): Promise<void> {
  const line = [
    'inventory-items',
    'import',
    account.file('pricesCsv.csv', pricesCsv(factor)),
    '--key',
    'sku',
  ];
  expect((await account.boh(...line, '--yes')).exitCode).toBe(0);
}

test('runs resume of an undo: skips records that another user has changed, names the user, and sends the rest', async () => {
  const account = await newAccount();
  await setPrices(account, 1);
  await setPrices(account, 100);
  const [{ id: wrongRun }] = await account.json('runs', 'list');
  const run = await account.startStoppedRun('undo', wrongRun);
  const before = await readCosts(account);
  const unrestoredSkus = skus.filter((sku, index) => before[sku] === (index + 1) * 100);
  expect(unrestoredSkus).toHaveLength(6);
  const [skuChangedWithBoh = '', skuChangedInConsole = '', restoredSku = ''] = unrestoredSkus;
  await account.boh('inventory-items', 'update', `@${skuChangedWithBoh}`, '--cost', '7');
  await account.bohWithoutHistory('inventory-items', 'update', `@${skuChangedInConsole}`, '--cost', '8');
  const cost = skus.indexOf(restoredSku) + 1;
  await account.boh('inventory-items', 'update', `@${restoredSku}`, '--cost', `${cost}`);
  const { exitCode, results, stderr } = await account.resume(run);
  expect(exitCode).toBe(9);
  const resultOf = (sku: string) => results.find(({ key }) => key.includes(`Item ${sku}"`));
  expect(resultOf(skuChangedWithBoh)).toMatchObject({ outcome: 'failed', error: { category: 'partial' } });
  expect(resultOf(skuChangedWithBoh)?.error?.message).toMatch(
    /^Cost left unchanged: it was changed since the run was planned, by .*entry \d+ \(boh inventory-items update @RS-\d --cost 7\) at .* UTC\.$/,
  );
  expect(resultOf(skuChangedInConsole)?.error?.message).toMatch(/, by someone else at .* UTC\.$/);
  expect(resultOf(restoredSku)).toMatchObject({ action: 'skip', outcome: 'done' });
  expect(results).toHaveLength(6);
  expect(countPuts(stderr)).toBe(3);
  const expectedCosts = Object.fromEntries(skus.map((sku, index) => [sku, index + 1]));
  expect(await readCosts(account)).toEqual({
    ...expectedCosts,
    [skuChangedWithBoh]: 7,
    [skuChangedInConsole]: 8,
  });
  expect((await account.json('runs', 'list'))[0]).toMatchObject({ state: 'finished', failed: 2, done: 6 });
});

test('runs resume of an undo: keeps the field that was changed, and restores the other fields of its record', async () => {
  const account = await newAccount();
  const ids: string[] = (await account.json('suppliers', 'list', '--limit', '4')).map(
    ({ id }: { id: string }) => id,
  );
  const before = await account.json('suppliers', 'list', '--limit', '4');
  await account.boh('suppliers', 'update', ...ids, '--phone', '1', '--code', 'A', '--yes');
  const run = await account.startStoppedRun('undo', '--last');
  const currentSuppliers: { id: string; phone: string }[] = await account.json(
    'suppliers',
    'list',
    '--limit',
    '4',
  );
  const [changedSupplier = { id: '' }, deletedSupplier = { id: '' }] = currentSuppliers.filter(
    ({ phone }) => phone === '1',
  );
  await account.boh('suppliers', 'update', changedSupplier.id, '--code', 'B');
  await account.boh('suppliers', 'delete', deletedSupplier.id, '--yes');
  const { exitCode, results } = await account.resume(run);
  expect(exitCode).toBe(9);
  expect(results.map(({ outcome, error }) => [outcome, error?.message])).toEqual(
    expect.arrayContaining([
      ['failed', expect.stringMatching(/^Code left unchanged: it was changed since/)],
      ['failed', 'Left unchanged: it is deleted.'],
      ['done', undefined],
    ]),
  );
  const { phone } = before.find(({ id }: { id: string }) => id === changedSupplier.id);
  expect(await account.json('suppliers', 'get', changedSupplier.id)).toMatchObject({ phone, code: 'B' });
  expect(await account.json('suppliers', 'get', deletedSupplier.id)).toMatchObject({ phone: '1' });
});

test('runs resume of an import: skips records that another user has changed, unless --stale overwrite is given', async () => {
  const account = await newAccount();
  for (const [factor, flags, failedCount] of [
    [10, [], 1],
    [20, ['--stale', 'overwrite'], 0],
  ] as const) {
    await setPrices(account, 1);
    const line = ['inventory-items', 'import', account.file('new.csv', pricesCsv(factor)), '--key', 'sku'];
    const run = await account.startStoppedRun(...line, ...flags);
    await account.boh('inventory-items', 'update', '@RS-5', '--cost', '3.5');
    const { exitCode, results } = await account.resume(run);
    expect(exitCode).toBe(failedCount === 1 ? 9 : 0);
    expect(results.filter(({ outcome }) => outcome === 'failed').map(({ key }) => key)).toEqual(
      failedCount === 1 ? ['RS-5'] : [],
    );
    const expectedCosts = Object.fromEntries(skus.map((sku, index) => [sku, (index + 1) * factor]));
    expect(await readCosts(account)).toEqual(
      failedCount === 1 ? { ...expectedCosts, 'RS-5': 3.5 } : expectedCosts,
    );
  }
});

test('runs resume of an import: creates nothing that another user has created meanwhile', async () => {
  const account = await newAccount();
  const line = ['inventory-items', 'import', account.file('new.csv', pricesCsv(1)), '--key', 'sku'];
  const run = await account.startStoppedRun(...line);
  expect(Object.keys(await readCosts(account))).toHaveLength(2);
  const unitFlags = [
    '--storage-unit',
    'kg',
    '--ingredient-unit',
    'g',
    '--storage-to-ingredient-factor',
    '1000',
  ];
  const otherFlags = ['--name', 'By hand', '--costing-method', 'fixed cost', '--cost', '9'];
  expect(
    (await account.boh('inventory-items', 'create', '--sku', 'RS-5', ...unitFlags, ...otherFlags)).exitCode,
  ).toBe(0);
  const { exitCode, results } = await account.resume(run);
  expect(exitCode).toBe(9);
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ key }) => key)).toEqual(['RS-5']);
  expect(failed[0]?.error?.message).toMatch(
    /^Left unchanged: the inventory item \w+ with its key was created since the run was planned, by .*entry \d+ \(boh/,
  );
  const expectedCosts = Object.fromEntries(skus.map((sku, index) => [sku, index + 1]));
  expect(await readCosts(account)).toEqual({ ...expectedCosts, 'RS-5': 9 });
  expect(await account.json('inventory-items', 'list', '--sku', skus.join(','))).toHaveLength(8);
});

test('runs resume of an apply: skips what another user has changed or deleted since its plan', async () => {
  const account = await newAccount();
  await setPrices(account, 1);
  const items = skus.map((sku, index) => `  - sku: ${sku}\n    cost: ${(index + 1) * 10}\n`).join('');
  const manifest = account.file('items.yaml', `inventory_items:\n${items}`);
  const planFile = account.file('items.plan', '');
  await account.boh('plan', manifest, '--out', planFile);
  const run = await account.startStoppedRun('apply', '--plan', planFile);
  await account.boh('inventory-items', 'update', '@RS-6', '--cost', '3.5');
  const { exitCode, results } = await account.resume(run);
  expect(exitCode).toBe(9);
  expect(results.filter(({ outcome }) => outcome === 'failed').map(({ key }) => key)).toEqual(['RS-6']);
  const expectedCosts = Object.fromEntries(skus.map((sku, index) => [sku, (index + 1) * 10]));
  expect(await readCosts(account)).toEqual({ ...expectedCosts, 'RS-6': 3.5 });
});

test('runs resume of a run over a filter: skips records that already match, and deletes no changed record', async () => {
  const account = await newAccount();
  for (const name of ['Zed 1', 'Zed 2', 'Zed 3', 'Zed 4', 'Zed 5', 'Zed 6'])
    await account.boh('suppliers', 'create', '--name', name, '--contact-name', 'Nobody');
  const listSuppliers = () => account.json('suppliers', 'list', '--name', 'Zed');
  const deletion = 'suppliers delete --where name=Zed --max-deletes 6'.split(' ');
  const deleteRun = await account.startStoppedRun(...deletion);
  const [changedSupplier, deletedSupplier, ...otherSuppliers] = await listSuppliers();
  expect(otherSuppliers).toHaveLength(2);
  await account.boh('suppliers', 'update', changedSupplier.id, '--contact-name', 'Another');
  await account.boh('suppliers', 'delete', deletedSupplier.id, '--yes');
  const deleteResult = await account.resume(deleteRun);
  expect([deleteResult.exitCode, deleteResult.results.length]).toEqual([9, 4]);
  expect(deleteResult.results.map(({ error }) => error?.message).join('')).toMatch(
    /^Contact_name left unchanged: /,
  );
  expect((await listSuppliers()).map(({ id }: { id: string }) => id)).toEqual([changedSupplier.id]);
  const restoreRun = await account.startStoppedRun('suppliers', 'restore', '--where', 'name=Zed');
  expect(await listSuppliers()).toHaveLength(3);
  const restoreResult = await account.resume(restoreRun);
  expect([restoreResult.exitCode, restoreResult.results.length, countPuts(restoreResult.stderr)]).toEqual([
    0, 3, 3,
  ]);
  expect(await listSuppliers()).toHaveLength(6);
});

test('runs resume --dry-run: lists the remaining rows, and changes nothing', async () => {
  const account = await newAccount();
  await setPrices(account, 1);
  const run = await account.startStoppedRun(
    ...['inventory-items', 'import', account.file('new.csv', pricesCsv(10)), '--key', 'sku'],
  );
  const before = await readCosts(account);
  const planResult = await account.boh('runs', 'resume', run, '--dry-run', '-o', 'ndjson');
  expect([planResult.exitCode, planResult.stdout.trim().split('\n').length]).toEqual([0, 6]);
  expect(await readCosts(account)).toEqual(before);
  expect((await account.json('runs', 'list'))[0]).toMatchObject({ state: 'unfinished', remaining: 6 });
  expect((await account.resume(run)).exitCode).toBe(0);
  expect((await readCosts(account))['RS-7']).toBe(80);
});

terminalTest('runs resume on a terminal: the progress counts the rows that were sent before', async () => {
  const { service, start, files, storedPhones, env } = await newScene();
  const firstDelay = service.delay(/^POST \/customers/);
  const killedRun = start('customers', 'import', files.a, '--key', 'phone', '--yes', '--concurrency', '4');
  await firstDelay.waitForRequests(4);
  killedRun.kill('SIGKILL');
  await killedRun.ended;
  firstDelay.release();
  const resumeDelay = service.delay(/^POST \/customers/);
  const terminal = openTerminal(`${quotedProgram} runs resume "$(${quotedProgram} runs list -o id)"`, {
    env,
  });
  await terminal.waitFor(`0 of ${phones.length}`);
  resumeDelay.release();
  expect(await terminal.ended()).toBe(0);
  expect(await storedPhones()).toEqual([...phones].sort());
});
