/** Tests relations that a query includes only if the token may read them, and relations that it requires. */
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/account/settings/secret.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { costAdjustments } from '../../src/api/resources/cost-adjustments.ts';
import { openTestSession, settings } from './test-session.ts';

const [list, get] = [operation(costAdjustments, 'list'), operation(costAdjustments, 'get')];
if (!list || !get) throw new Error('cost-adjustments has no list or get');

const rows = [{ id: 'a' }];
/** Responds like a service that refuses every request that includes users. */
const refuseUsers = ({ target }: { target: string }) =>
  target.includes('creator')
    ? { status: 403, body: '{"message":"This action is unauthorized."}' }
    : { data: target.includes('/cost_adjustments/') ? rows[0] : rows, meta: { last_page: 1 } };

const limitedToken = {
  settings: { ...settings, token: new Secret('t'), tokenScopes: ['inventory.transactions.read'] },
};

describe('optional relations', () => {
  it('a refused list: is requested again without them, and a record is not requested with them', async () => {
    const { session, requests } = openTestSession(refuseUsers);
    const query = { include: ['branch'], optional: ['creator'] };
    expect(await Array.fromAsync(session.list({ operation: list, query }).rows())).toEqual(rows);
    expect((await session.get({ operation: get, ids: ['a'], query })).record).toEqual(rows[0]);
    expect(requests.map(({ target }) => target)).toEqual([
      '/cost_adjustments?include=branch,creator',
      '/cost_adjustments?include=branch',
      '/cost_adjustments/a?include=branch',
    ]);
  });

  it('outside the scopes of the token: are not requested', async () => {
    const { session, requests } = openTestSession(refuseUsers, limitedToken);
    const query = { optional: ['creator', 'branch'] };
    await session.get({ operation: get, ids: ['a'], query });
    expect(requests.map(({ target }) => target)).toEqual(['/cost_adjustments/a?include=branch']);
  });

  it('required relations outside the scopes of the token: are refused before a request is sent', async () => {
    const { session, requests } = openTestSession(refuseUsers, limitedToken);
    const result = session.get({ operation: get, ids: ['a'], query: { include: ['creator'] } });
    await expect(result).rejects.toMatchObject({
      category: 'not_allowed',
      details: { fields: { 'include creator': ['needs the scope users.read'] } },
    });
    expect(requests).toEqual([]);
  });
});
