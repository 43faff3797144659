/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import { Failure, usage } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import type { Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

/** Throws where the mirror is another account’s; a new one becomes this account’s. */
export async function demandOwn(session: Session, store: Store): Promise<void> {
  const account = await accountOf(session);
  const before = await readFact(store, 'account');
  if (before === undefined) {
    await store.write([keepFact('account', account.id), keepFact('business', account.name)]);
    return;
  }
  if (before === account.id) return;
  const name = (await readFact(store, 'business')) || before;
  throw usage(`${store.called} is the mirror of another account: ${name}.`, {
    hint: 'Name a place of its own for each account: --to sqlite:FILE',
  });
}

/** By the business where the service tells which it is, else by the address. */
async function accountOf(session: Session): Promise<{ id: string; name: string }> {
  const { baseUrl = '', sandbox, apiPrefix } = session.settings;
  const place = sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
  try {
    const { businessId, businessName } = await session.whoami();
    return { id: businessId === undefined ? place : `${place} ${businessId}`, name: businessName ?? place };
  } catch (error) {
    const isAnswer =
      error instanceof Failure && ['not_allowed', 'not_found', 'refused'].includes(error.category);
    if (!isAnswer) throw error;
    return { id: place, name: place };
  }
}
