/** Lists that a service ends after some pages: they are read completely with the cursor of the resource. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { deployedApi } from '../../src/api/deployments/deployment.ts';
import { foodicsV5 } from '../../src/api/deployments/foodics-v5.ts';
import { api } from '../../src/api/resources/index.ts';
import { createTestClient } from './test-client.ts';

const maxPages = 10;

/** Opens the list of orders of a service that ends each list after ten pages, and returns its pages and requests. */
async function openOrders(count: number, perPage: number, { hasTotals = true } = {}) {
  const deployed = await deployedApi(api, foodicsV5);
  const orders = deployed.listOfReference('orders');
  const list = orders && operation(orders, 'list');
  if (!list) throw new Error('no list of orders');
  const targets: string[] = [];
  const client = createTestClient(async ({ target }) => {
    targets.push(decodeURIComponent(target));
    const query = new URL(target, 'http://localhost').searchParams;
    const after = Number(query.get('filter[reference_after]') ?? 0);
    const matching = Array.from({ length: count }, (_, index) => index + 1).filter(
      (number) => number > after,
    );
    const page = Number(query.get('page') ?? 1);
    const rows = page > maxPages ? [] : matching.slice((page - 1) * perPage, page * perPage);
    const meta = hasTotals
      ? {
          total: matching.length,
          last_page: Math.max(1, Math.ceil(matching.length / perPage)),
          per_page: perPage,
        }
      : {};
    const data = rows.map((reference) => ({ id: `order-${reference}`, reference }));
    return {
      status: 200,
      headers: {},
      body: JSON.stringify({ data, meta, links: { next: rows.length === perPage ? 'x' : null } }),
    };
  });
  return { client, list, targets };
}

it.each([true, false])(
  'a list of orders, totals %s: every order is returned once, in order',
  async (hasTotals) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 70 }),
        fc.integer({ min: 1, max: 3 }),
        async (count, perPage) => {
          const { client, list, targets } = await openOrders(count, perPage, { hasTotals });
          const pages = await Array.fromAsync(client.pages({ operation: list, query: {} }));
          const references = pages.flatMap(({ rows }) => rows.map(({ reference }) => reference));
          expect(references).toEqual(Array.from({ length: count }, (_, index) => index + 1));
          expect(targets.every((target) => !/[?&]page=(1[1-9]|[2-9]\d)/.test(target))).toBe(true);
          expect(targets.every((target) => target.includes('sort=reference'))).toBe(true);
          const numbers = pages.map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        },
      ),
      { numRuns: 60 },
    );
  },
);

it('a list of orders with another sort: fails instead of returning a part', async () => {
  const { client, list } = await openOrders(30, 2);
  const reading = Array.fromAsync(client.pages({ operation: list, query: { sort: ['-created_at'] } }));
  await expect(reading).rejects.toMatchObject({ category: 'unavailable' });
});

it('a single page of orders: is requested as it is', async () => {
  const { client, list, targets } = await openOrders(30, 2);
  const pages = await Array.fromAsync(client.pages({ operation: list, query: { page: 3 } }));
  expect(pages.flatMap(({ rows }) => rows.map(({ reference }) => reference))).toEqual([5, 6]);
  expect(targets).toEqual(['/orders?page=3']);
});
