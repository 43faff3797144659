/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import { usage } from '../../errors.ts';
import { accountIfTold } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

/** Throws where the mirror is another account’s; a new one becomes this account’s. */
export async function demandOwn(session: Session, store: Store): Promise<void> {
  const account = await accountOf(session);
  if (await isOwn(account, store)) return;
  await store.write([keepFact('account', account.id), keepFact('business', account.name)]);
}

/** Throws where the mirror is another account’s: nothing that is said of both would be true. */
export async function refuseOther(session: Session, reader: FactReader): Promise<void> {
  await isOwn(await accountOf(session), reader);
}

type FactReader = Pick<Reader, 'read' | 'queries' | 'called'>;

/** False where it is nobody’s yet. */
async function isOwn(account: { id: string }, reader: FactReader): Promise<boolean> {
  const before = await readFact(reader, 'account');
  if (before === undefined) return false;
  if (before === account.id) return true;
  const name = (await readFact(reader, 'business')) || before;
  throw usage(`${reader.called} is the mirror of another account: ${name}.`, {
    hint: 'Name a place of its own for each account: --to sqlite:FILE',
  });
}

/** By the business where the service tells which it is, else by the address. */
async function accountOf(session: Session): Promise<{ id: string; name: string }> {
  const { baseUrl = '', sandbox, apiPrefix } = session.settings;
  const place = sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
  const { businessId, businessName } = await accountIfTold(session);
  return { id: businessId === undefined ? place : `${place} ${businessId}`, name: businessName ?? place };
}
