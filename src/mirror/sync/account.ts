/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import type { Environment } from '../../base/environment.ts';
import {
  type AccountInUse,
  accountPlace,
  demandOwner,
  type FileOwner,
  notOwner,
} from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

type Settings = Session['settings'];

export type FactReader = Pick<Reader, 'read' | 'called'>;

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
 * Throws unless the mirror is certainly the account's own, or the line says so by `isAny`; a new one becomes the account's
 * own. What was mixed by mistake can’t be told apart again: the mirror of another account is never synced.
 */
export async function demandOwn(
  session: Session,
  store: Store,
  { env, isAny }: { env: Environment; isAny?: boolean | undefined },
): Promise<void> {
  const { settings } = session;
  const kept = await readKept(store);
  const owner = ownerIn(kept, settings);
  const { called } = store;
  const { account, match } = await demandOwner(session, owner, { called, kind, override, env, isAny });
  if (owner && match === 'other')
    throw notOwner(match, owner, account, { called, kind, override: placeOfItsOwn });
  const next = keptOf(account, kept, settings);
  const changed = factNames.filter((name) => next[name] !== undefined && next[name] !== kept[name]);
  if (changed.length > 0) await store.write(changed.map((name) => keepFact(facts[name], next[name] ?? '')));
}

const kind = 'mirror';

const placeOfItsOwn =
  'Give each account a place of its own: boh mirror sync --to sqlite:FILE, or BOH_MIRROR. To begin anew: boh mirror reset --any-account';

const override = `${placeOfItsOwn}. If it is of the account in use: --any-account`;

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
