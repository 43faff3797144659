/** Tests the sync of a list that changes with every request, so that no reading of it is complete. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { openWorkspace } from './workspace.ts';

const perPage = 5;

/** Serves customers, newest first. A customer is created before each response, until `isAtRest` is set. */
async function serveChanging() {
  let createdCount = 0;
  const service = { url: '', isAtRest: false, total: () => 20 + createdCount };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    if (pathname === '/whoami') {
      response.end(JSON.stringify({ data: { business: { id: 'b', name: 'B' }, user: { id: 'u' } } }));
      return;
    }
    if (!service.isAtRest) createdCount += 1;
    const isDeletedList = searchParams.get('filter[is_deleted]') === 'true';
    const ids = isDeletedList
      ? []
      : Array.from({ length: 20 + createdCount }, (_, index) => `customer-${createdCount - index}`);
    const number = Number(searchParams.get('page') ?? 1);
    const data = ids.slice((number - 1) * perPage, number * perPage).map((id) => ({
      ...{ id, name: id, tags: [], addresses: [], deleted_at: null },
      ...{ created_at: '2026-11-20 08:00:00', updated_at: '2026-11-20 08:00:00' },
    }));
    const lastPage = Math.max(1, Math.ceil(ids.length / perPage));
    const meta = { current_page: number, last_page: lastPage, per_page: perPage, total: ids.length };
    response.end(JSON.stringify({ data, meta, links: { next: number < lastPage ? 'x' : null } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

test('first mirror sync of a list that changes constantly: keeps the records that were read, and exits with 9', async () => {
  const service = await serveChanging();
  const workspace = openWorkspace();
  const env = { ...workspace.env, BOH_BASE_URL: service.url, BOH_TOKEN: 'token' };
  const boh = (line: string) => runBoh(line.split(' '), { env });
  const firstResult = await boh('mirror sync --resource customers -o json');
  expect(firstResult.exitCode).toBe(9);
  expect(failureOf(firstResult).message).toContain('customers may be missing: the list kept changing');
  expect(firstResult.stderr).toContain('The records that were read are in the mirror.');
  const storedCount = Number(workspace.sql('SELECT count(*) AS count FROM customers')[0]?.count);
  expect(storedCount).toBeGreaterThan(perPage);
  const list = await boh('customers list --mirror -o id');
  expect(list.exitCode).toBe(0);
  expect(list.stdout.trim().split('\n')).toHaveLength(storedCount);
  expect(list.stderr).toContain('The last sync of customers failed');
  service.isAtRest = true;
  expect((await boh('mirror sync --resource customers')).exitCode).toBe(0);
  expect(workspace.sql('SELECT count(*) AS count FROM customers')).toEqual([{ count: service.total() }]);
});

test('mirror sync --quiet: prints nothing without --output, and the result with it', async () => {
  const workspace = openWorkspace();
  expect(await workspace.boh('mirror sync --quiet --resource tags')).toMatchObject({
    ...{ exitCode: 0, stdout: '', stderr: '' },
  });
  const result = await workspace.boh('mirror sync --quiet --resource tags -o json');
  expect(JSON.parse(result.stdout)).toHaveLength(1);
});
