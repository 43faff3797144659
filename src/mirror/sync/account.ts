/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import { type Failure, usage } from '../../errors.ts';
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

/**
 * The same as far as it is known without asking. Answers the name of the business whose mirror it is where it can’t be
 * told whether the account in use is that one: another business may be at the same address.
 */
export async function refuseOtherKnown(settings: Settings, reader: FactReader): Promise<string | undefined> {
  const before = await readFact(reader, 'account');
  const place = placeIn(settings);
  const { sandbox, businessId } = settings;
  if (before === undefined || before === place) return undefined;
  const isHere = before.startsWith(`${place} `);
  // A sandbox is one business, whoever signs in to it.
  if (isHere && sandbox !== undefined) return undefined;
  if (isHere && businessId === undefined) return (await readFact(reader, 'business')) || before;
  if (before !== `${place} ${businessId}`) throw await anothers(reader, before);
  return undefined;
}

type Settings = Session['settings'];

export type FactReader = Pick<Reader, 'read' | 'queries' | 'called'>;

/** False where it is nobody’s yet. */
async function isOwn(account: { id: string }, reader: FactReader): Promise<boolean> {
  const before = await readFact(reader, 'account');
  if (before === undefined) return false;
  if (before === account.id) return true;
  throw await anothers(reader, before);
}

async function anothers(reader: FactReader, id: string): Promise<Failure> {
  const name = (await readFact(reader, 'business')) || id;
  return usage(`${reader.called} is the mirror of another account: ${name}.`, {
    hint: 'Give each account a place of its own: boh mirror sync --to sqlite:FILE, or BOH_MIRROR',
  });
}

/** By the business where the service tells which it is, else by the address. */
async function accountOf(session: Session): Promise<{ id: string; name: string }> {
  const place = placeIn(session.settings);
  const { businessId, businessName } = await accountIfTold(session);
  return { id: businessId === undefined ? place : `${place} ${businessId}`, name: businessName ?? place };
}

function placeIn({ baseUrl = '', sandbox, apiPrefix }: Settings): string {
  return sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
}
