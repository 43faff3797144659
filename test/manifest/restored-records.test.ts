/** Applies files that restore records: records that refer to them are sent after the service has restored them. */
import { expect, test } from 'vitest';
import { Session } from '../../src/account/session/session.ts';
import { api } from '../../src/api/resources/index.ts';
import { applyPlan } from '../../src/engine/manifest/apply/apply-plan.ts';
import { parseDeclaration } from '../../src/engine/manifest/declared/parse-records.ts';
import { makePlan } from '../../src/engine/manifest/plan/make-plan.ts';
import { waitForTurns } from '../harness/wait-until.ts';
import { openClient } from '../sandbox/client.ts';
import { settings } from '../session/test-session.ts';

test('relations and links to a restored record: are sent after the record is restored', async () => {
  const { sandbox, get, post, delete: remove } = await openClient({ empty: true });
  const tag = post('/tags', { name: 'Regular', type: 1 }).json.data.id;
  const unit = { storage_unit: 'kg', ingredient_unit: 'g', storage_to_ingredient_factor: 1000 };
  const item = post('/inventory_items', { name: 'Tomato', sku: 'T-1', costing_method: 1, ...unit }).json.data
    .id;
  post('/customers', { name: 'Huda', phone: '51' });
  post('/suppliers', { name: 'Farms', code: 'F' });
  for (const path of [`/tags/${tag}`, `/inventory_items/${item}`]) expect(remove(path).status).toBe(200);
  const requests: string[] = [];
  const session = new Session({
    api,
    settings,
    env: {},
    concurrency: 8,
    embedded: async () => ({
      handle: async (request) => {
        if (request.target.endsWith('/restore')) await waitForTurns();
        if (request.method !== 'GET') requests.push(`${request.method} ${request.target.split('/')[1]}`);
        return sandbox.handle(request);
      },
      ownerToken: () => sandbox.ownerToken(),
    }),
  });
  const declaration = await parseDeclaration(
    {
      tags: [{ name: 'Regular', type: 'customer' }],
      'inventory-items': [{ sku: 'T-1', name: 'Tomato' }],
      customers: [{ phone: '51', tags: ['Regular'] }],
      suppliers: [
        { code: 'F', name: 'Farms', items: [{ item: 'T-1', order_unit: 'box', order_to_storage_factor: 2 }] },
      ],
    },
    'test',
    api,
  );
  const { signal } = new AbortController();
  const plan = await makePlan({ session, declaration, prune: [], signal });
  const { results } = await applyPlan(plan, { session, env: {}, signal, now: () => Date.now() });
  expect(results.map(({ key, outcome, error }) => [key, outcome, error?.message])).toEqual(
    results.map(({ key }) => [key, 'done', undefined]),
  );
  expect(results).toHaveLength(4);
  expect(get('/customers?include=tags').json.data).toMatchObject([{ tags: [{ id: tag }] }]);
  expect(get('/suppliers?include=items').json.data).toMatchObject([{ items: [{ id: item }] }]);
  // Each request waits only for the record that it refers to.
  const firstIndexOf = (line: string) => requests.indexOf(line);
  expect(firstIndexOf('PUT tags')).toBeLessThan(firstIndexOf('PUT customers'));
  expect(firstIndexOf('PUT inventory_items')).toBeLessThan(
    requests.findIndex((line) => line.endsWith(' suppliers')),
  );
  sandbox.close();
});
