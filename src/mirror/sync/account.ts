/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import { type Failure, usage } from '../../errors.ts';
import { accountIfTold } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

/**
 * Throws where the mirror is another account’s; a new one becomes this account’s. Where the service doesn’t say which
 * business it is, it throws, too: what was mixed by mistake can’t be told apart again.
 */
export async function demandOwn(session: Session, store: Store): Promise<void> {
  const account = await accountOf(session);
  const whose = await whoseIs(account, store);
  if (whose === 'own') return;
  if (whose === 'unknown') throw await perhapsAnothers(store);
  await store.write([keepFact('account', account.id), keepFact('business', account.name)]);
}

/**
 * Throws where the mirror is another account’s: nothing that is said of both would be true. Answers the name of the
 * business whose mirror it is where the service doesn’t say whether the account in use is that one.
 */
export async function refuseOther(session: Session, reader: FactReader): Promise<string | undefined> {
  const whose = await whoseIs(await accountOf(session), reader);
  return whose === 'unknown' ? businessOf(reader) : undefined;
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
  if (isHere && businessId === undefined) return businessOf(reader);
  if (before !== `${place} ${businessId}`) throw await anothers(reader);
  return undefined;
}

type Settings = Session['settings'];

export type FactReader = Pick<Reader, 'read' | 'queries' | 'called'>;

interface Account {
  /** The place, and the business behind it where the service told it. */
  id: string;
  place: string;
  name: string;
  isTold: boolean;
}

/** Throws where it is another account’s. */
async function whoseIs(account: Account, reader: FactReader): Promise<'own' | 'nobodys' | 'unknown'> {
  const before = await readFact(reader, 'account');
  if (before === undefined) return 'nobodys';
  if (before === account.id) return 'own';
  // It was told once which business this is, and isn’t now: a token that may not ask is no other account.
  if (!account.isTold && before.startsWith(`${account.place} `)) return 'unknown';
  throw await anothers(reader);
}

async function anothers(reader: FactReader): Promise<Failure> {
  return usage(`${reader.called} is the mirror of another account: ${await businessOf(reader)}.`, {
    hint: placeOfItsOwn,
  });
}

async function perhapsAnothers(reader: FactReader): Promise<Failure> {
  return usage(
    `${reader.called} is the mirror of ${await businessOf(reader)}, and the service doesn’t say whether the account in use is that one.`,
    { hint: `Sign in with a token that may ask who it is: boh whoami. ${placeOfItsOwn}` },
  );
}

const placeOfItsOwn = 'Give each account a place of its own: boh mirror sync --to sqlite:FILE, or BOH_MIRROR';

/** By its name where that is known. */
async function businessOf(reader: FactReader): Promise<string> {
  return (await readFact(reader, 'business')) || (await readFact(reader, 'account')) || 'another account';
}

/** By the business where the service tells which it is, else by the address. */
async function accountOf(session: Session): Promise<Account> {
  const place = placeIn(session.settings);
  const { businessId, businessName } = await accountIfTold(session);
  const isTold = businessId !== undefined;
  return { id: isTold ? `${place} ${businessId}` : place, place, name: businessName ?? place, isTold };
}

function placeIn({ baseUrl = '', sandbox, apiPrefix }: Settings): string {
  return sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
}
