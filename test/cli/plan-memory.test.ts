/** The memory of a plan depends on the declared records, not on the other records of the account. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMeasured } from '../harness/measured-boh.ts';
import { home } from '../harness/spawn-boh.ts';

const declaredCount = 100;
const perPage = 50;

/** These records don't have the usual keys of customers, so each of them could match a declared record. */
const record = (number: number) => ({
  id: `customer-${number}`,
  name: `Customer ${number}`,
  phone: null,
  email: null,
  notes: 'x'.repeat(500),
  house_account_limit: number,
  is_blacklisted: false,
  deleted_at: null,
});

/** The API cannot filter by limits, so the whole list is read. */
const manifest = JSON.stringify({
  customers: Array.from({ length: declaredCount }, (_, number) => ({
    $key: ['house_account_limit'],
    house_account_limit: number,
    is_blacklisted: false,
  })),
});

/** Returns the peak memory of a plan in an account of n records, in MB. */
async function peakOf(total: number): Promise<number> {
  const lastPage = total / perPage;
  const requestedPages = new Set<number>();
  const server = createServer(({ url = '' }, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    requestedPages.add(page);
    const data = Array.from({ length: perPage }, (_, index) => record((page - 1) * perPage + index));
    response.end(JSON.stringify({ data, meta: { current_page: page, last_page: lastPage, total } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const file = join(home, 'customers.json');
  writeFileSync(file, manifest);
  // A small young generation keeps garbage out of the measurement.
  const nodeArgs = ['--max-semi-space-size=1'];
  const { child, usage } = startMeasured(['plan', file], { port, nodeArgs });
  child.stdout.resume();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining('100 unchanged') });
  expect(requestedPages.size).toBe(lastPage);
  return usage().peakMb;
}

test('plan in an account of 150,000 records: takes hardly more memory than with 2,000', async () => {
  await peakOf(perPage * 4);
  const smallPeak = await peakOf(2_000);
  // Garbage that isn't collected yet varies; records that are kept are in every measurement.
  const largePeak = Math.min(await peakOf(150_000), await peakOf(150_000), await peakOf(150_000));
  // 25 MB are for the fingerprint of each record and some garbage. The records themselves would add 100 MB.
  expect(largePeak).toBeLessThan(smallPeak + 25);
});
