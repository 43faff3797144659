/** Relations that are asked for as a favour are left out where the token may not see them; those that were named are not. */
import { expect, it } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { costAdjustments } from '../../src/resources/cost-adjustments.ts';
import { Secret } from '../../src/settings/secret.ts';
import { sessionOver, settings } from './open.ts';

const [list, get] = [operation(costAdjustments, 'list'), operation(costAdjustments, 'get')];
if (!list || !get) throw new Error('cost adjustments can be read');

const rows = [{ id: 'a' }];
/** A service that shows users to no token. */
const closed = ({ target }: { target: string }) =>
  target.includes('creator')
    ? { status: 403, body: '{"message":"This action is unauthorized."}' }
    : { data: target.includes('/cost_adjustments/') ? rows[0] : rows, meta: { last_page: 1 } };

const limited = {
  settings: { ...settings, token: new Secret('t'), tokenScopes: ['inventory.transactions.read'] },
};

it('are requested again without them if the service refuses', async () => {
  const { session, asked } = sessionOver(closed);
  const query = { include: ['branch'], optional: ['creator'] };
  expect(await Array.fromAsync(session.list({ operation: list, query }).rows())).toEqual(rows);
  expect((await session.get({ operation: get, ids: ['a'], query })).record).toEqual(rows[0]);
  expect(asked.map(({ target }) => target)).toEqual([
    '/cost_adjustments?include=branch,creator',
    '/cost_adjustments?include=branch',
    '/cost_adjustments/a?include=branch,creator',
    '/cost_adjustments/a?include=branch',
  ]);
});

it("are not requested if the token certainly doesn't allow it", async () => {
  const { session, asked } = sessionOver(closed, limited);
  const query = { optional: ['creator', 'branch'] };
  await session.get({ operation: get, ids: ['a'], query });
  expect(asked.map(({ target }) => target)).toEqual(['/cost_adjustments/a?include=branch']);
});

it('are refused before anything is sent if they were named', async () => {
  const { session, asked } = sessionOver(closed, limited);
  const reading = session.get({ operation: get, ids: ['a'], query: { include: ['creator'] } });
  await expect(reading).rejects.toMatchObject({
    category: 'not_allowed',
    details: { fields: { 'include creator': ['needs the scope users.read'] } },
  });
  expect(asked).toEqual([]);
});
