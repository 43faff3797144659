/** Tests that the number of requests in a plan is the number that is sent, and that an empty plan leaves no run. */
import { expect, test } from 'vitest';
import { openImportSandbox } from './import-sandbox.ts';

test.each([
  ['update of several records', 'sku,cost\nSKU-001,31\nSKU-002,32\nSKU-003,33\n'],
  ['update of one record', 'sku,cost\nSKU-001,41\n'],
])('%s: the plan counts the reads before updates, too', async (_, csv) => {
  const sandbox = openImportSandbox();
  const { stderr, exitCode } = await sandbox.import('a.csv', csv, 'inventory-items --key sku --yes -v');
  expect(exitCode).toBe(0);
  const [, count = '', sent = ''] = /\n(\d+) requests?\.\n(.*)/s.exec(stderr) ?? [];
  expect(sent.match(/^(GET|PUT) /gm)).toHaveLength(Number(count));
});

test('delete --where without a match: leaves no run', async () => {
  const sandbox = openImportSandbox();
  expect((await sandbox.boh('suppliers delete --where name=Nomatch --yes')).exitCode).toBe(0);
  expect(await sandbox.json('runs list')).toEqual([]);
});
