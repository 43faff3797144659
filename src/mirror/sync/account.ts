/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import {
  type AccountInUse,
  accountInUse,
  accountPlace,
  type FileOwner,
  knownAccount,
  matchOwner,
  notOwner,
  ownerName,
} from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

type Settings = Session['settings'];

export type FactReader = Pick<Reader, 'read' | 'queries' | 'called'>;

/** The facts of a mirror about its account; empty where it is new. */
interface Kept {
  /** The place, and the business behind it where the service told it. */
  account?: string | undefined;
  /** The business by its name, else the place. */
  business?: string | undefined;
  /** Stands for the token of the last sync. */
  key?: string | undefined;
}

/**
 * Throws where the mirror is another account’s; a new one becomes this account’s. Where nothing tells which business it
 * is, it throws, too: what was mixed by mistake can’t be told apart again. A token that has synced it before is known
 * by itself, whatever the service says of it now.
 */
export async function demandOwn(session: Session, store: Store): Promise<void> {
  const { settings } = session;
  const kept = await readKept(store);
  const owner = ownerIn(kept, settings);
  const inUse = await accountInUse(session, owner);
  const match = owner ? matchOwner(owner, inUse) : 'own';
  if (owner && match !== 'own') {
    const override = match === 'unclear' ? syncedOnce : placeOfItsOwn;
    throw notOwner(match, owner, inUse, { called: store.called, kind, override });
  }
  const next = keptOf(inUse, kept, settings);
  const changed = factNames.filter((name) => next[name] !== undefined && next[name] !== kept[name]);
  if (changed.length > 0) await store.write(changed.map((name) => keepFact(facts[name], next[name] ?? '')));
}

const kind = 'mirror';

const placeOfItsOwn = 'Give each account a place of its own: boh mirror sync --to sqlite:FILE, or BOH_MIRROR';

const syncedOnce =
  'Sync it once with that token, if that may ask by now (boh whoami), or begin anew: boh mirror reset --any-account';

/**
 * Throws where the mirror is another account’s: nothing that is said of both would be true. Answers the name of the
 * business whose mirror it is where the service doesn’t say whether the account in use is that one. With `isInHaste`
 * the service is not waited for.
 */
export async function refuseOther(
  session: Session,
  reader: FactReader,
  { isInHaste = false } = {},
): Promise<string | undefined> {
  const owner = await readOwner(session.settings, reader);
  return owner && refusing(owner, await accountInUse(session, owner, { isInHaste }), reader);
}

/**
 * The same as far as it is known without asking. Answers the name of the business whose mirror it is where it can’t be
 * told whether the account in use is that one: another business may be at the same address.
 */
export async function refuseOtherKnown(settings: Settings, reader: FactReader): Promise<string | undefined> {
  const owner = await readOwner(settings, reader);
  return owner && refusing(owner, knownAccount(settings), reader);
}

function refusing(owner: FileOwner, inUse: AccountInUse, { called }: FactReader): string | undefined {
  const match = matchOwner(owner, inUse);
  if (match === 'other') throw notOwner(match, owner, inUse, { called, kind, override: placeOfItsOwn });
  return match === 'own' ? undefined : ownerName(owner);
}

/** The account that a mirror is of; undefined where it is new. */
export async function readOwner(settings: Settings, reader: FactReader): Promise<FileOwner | undefined> {
  return ownerIn(await readKept(reader), settings);
}

function ownerIn({ account, business: name, key }: Kept, settings: Settings): FileOwner | undefined {
  if (account === undefined) return undefined;
  const [own, place] = [placeInMirror(settings), accountPlace(settings)];
  if (account === own) return { place, key };
  if (account.startsWith(`${own} `))
    return { place, business: { id: account.slice(own.length + 1), name }, key };
  const [, elsewhere = account, id] = /^(https?:\S+) (.+)$/s.exec(account) ?? [];
  return { place: elsewhere, key, ...(id !== undefined && { business: { id, name } }) };
}

/** The place as mirrors keep it. */
function placeInMirror({ baseUrl = '', sandbox, apiPrefix }: Settings): string {
  return sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
}

const facts = { account: 'account', business: 'business', key: 'account_key' } as const;

const factNames = Object.keys(facts) as (keyof typeof facts)[];

async function readKept(reader: FactReader): Promise<Kept> {
  const read = factNames.map(async (name) => [name, await readFact(reader, facts[name])]);
  return Object.fromEntries(await Promise.all(read));
}

/** What was told once stays. */
function keptOf({ key, business }: AccountInUse, kept: Kept, settings: Settings): Kept {
  const place = placeInMirror(settings);
  const { account = place, business: name = place } = kept;
  if (!business) return { account, business: name, key };
  return { account: `${place} ${business.id}`, business: business.name ?? place, key };
}
