/**
 * Checks that a mirror belongs to the account in use. Otherwise records of two accounts would be mixed, and records
 * of one account would count as deleted.
 */
import type { Environment } from '../../base/environment.ts';
import { boh } from '../../base/hint.ts';
import {
  type AccountInUse,
  type FileOwner,
  ownerFailure,
  requireOwner,
  serviceName,
} from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

type Settings = Session['settings'];

/** The part of a reader that reads a mirror's facts. */
export type FactReader = Pick<Reader, 'read' | 'label'>;

/** The facts of a mirror about its account; empty if it is new. */
interface AccountFacts {
  /** The address or sandbox, followed by the ID of the business if the service reported it. */
  account?: string | undefined;
  /** The name of the business, or the address or sandbox if the name isn't known. */
  business?: string | undefined;
  /** A hash that identifies the token of the last sync. */
  key?: string | undefined;
}

/**
 * Throws unless the mirror is known to belong to the account, or the command line says so (`isAny`). A new mirror is
 * assigned to the account. Records mixed by mistake can't be separated, so the mirror of another account is never
 * synced.
 */
export async function requireOwnAccount(
  session: Session,
  store: Store,
  { env, isAny }: { env: Environment; isAny?: boolean | undefined },
): Promise<void> {
  const { settings } = session;
  const stored = await readFacts(store);
  const owner = ownerIn(stored, settings);
  const { label } = store;
  const { account, match } = await requireOwner(session, owner, {
    label,
    kind,
    override: overrideHint,
    env,
    isOverridden: isAny,
  });
  if (owner && match === 'other')
    throw ownerFailure(match, owner, account, { label, kind, override: separateMirrorHint });
  const next = factsFor(account, stored, settings);
  const changed = factNames.filter((name) => next[name] !== undefined && next[name] !== stored[name]);
  if (changed.length > 0) await store.write(changed.map((name) => keepFact(facts[name], next[name] ?? '')));
}

const kind = 'mirror';

const separateMirrorHint = boh.hint`Use a separate mirror for each account: ${boh.account('mirror sync', '--to', 'sqlite:FILE')}, or BOH_MIRROR. To start over: ${boh.mirror('mirror reset', '--any-account')}`;

const overrideHint = [separateMirrorHint, '. If it belongs to the account in use: --any-account'];

/** Returns the account that a mirror belongs to; undefined if it is new. */
export async function readOwner(settings: Settings, reader: FactReader): Promise<FileOwner | undefined> {
  return ownerIn(await readFacts(reader), settings);
}

function ownerIn({ account, business: name, key }: AccountFacts, settings: Settings): FileOwner | undefined {
  if (account === undefined) return undefined;
  const [own, place] = [placeInMirror(settings), serviceName(settings)];
  if (account === own) return { service: place, key };
  if (account.startsWith(`${own} `))
    return { service: place, business: { id: account.slice(own.length + 1), name }, key };
  const [, elsewhere = account, id] = /^(https?:\S+) (.+)$/s.exec(account) ?? [];
  return { service: elsewhere, key, ...(id !== undefined && { business: { id, name } }) };
}

/** Returns the place in the form that mirrors store. */
function placeInMirror({ baseUrl = '', sandbox, apiPrefix }: Settings): string {
  return sandbox === undefined ? baseUrl + apiPrefix : `sandbox ${sandbox}`;
}

const facts = { account: 'account', business: 'business', key: 'account_key' } as const;

const factNames = Object.keys(facts) as (keyof typeof facts)[];

async function readFacts(reader: FactReader): Promise<AccountFacts> {
  const read = factNames.map(async (name) => [name, await readFact(reader, facts[name])]);
  return Object.fromEntries(await Promise.all(read));
}

/** Returns the facts to store. A business that is stored already is kept. */
function factsFor({ key, business }: AccountInUse, stored: AccountFacts, settings: Settings): AccountFacts {
  const place = placeInMirror(settings);
  const { account = place, business: name = place } = stored;
  if (!business) return { account, business: name, key };
  return { account: `${place} ${business.id}`, business: business.name ?? place, key };
}
