/** Whose records a mirror holds: another account’s would be mixed with them, and what that lacks would be taken for gone. */
import { Failure, usage } from '../../errors.ts';
import { accountIfTold, accountKeyOf } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import type { Reader, Store } from '../stores/store.ts';
import { keepFact, readFact } from './states.ts';

/** As long as an answer is waited for that can be done without, in milliseconds: the copy is there for such times, too. */
const shortly = 3000;

type Settings = Session['settings'];

export type FactReader = Pick<Reader, 'read' | 'queries' | 'called'>;

/** What a mirror says of whose it is: nothing where it is new. */
interface Kept {
  /** The place, and the business behind it where the service told it. */
  account?: string | undefined;
  /** The business by its name, else the place. */
  business?: string | undefined;
  /** Stands for the token of the last sync. */
  key?: string | undefined;
}

/** The account in use, as far as it is known. */
interface InUse {
  place: string;
  /** Undefined where there is one business alone, whoever signs in to it. */
  key: string | undefined;
  business?: { id: string; name: string | undefined } | undefined;
}

/** `unclear` where the service tells whose the token is, and the mirror was begun when it didn’t. */
type Whose = 'own' | 'nobodys' | 'anothers' | 'unknown' | 'unclear';

/**
 * Throws where the mirror is another account’s; a new one becomes this account’s. Where nothing tells which business it
 * is, it throws, too: what was mixed by mistake can’t be told apart again. A token that has synced it before is known
 * by itself, whatever the service says of it now.
 */
export async function demandOwn(session: Session, store: Store): Promise<void> {
  const kept = await readKept(store);
  const known = knownOf(session.settings);
  const isProven = whoseIs(kept, known) === 'own';
  const inUse = (await askedOf(session, known, isProven)) ?? known;
  const whose = whoseIs(kept, inUse);
  if (whose !== 'own' && whose !== 'nobodys') throw notOwn(whose, kept, inUse, store);
  const next = keptOf(inUse, kept);
  const changed = factNames.filter((name) => next[name] !== undefined && next[name] !== kept[name]);
  if (changed.length > 0) await store.write(changed.map((name) => keepFact(facts[name], next[name] ?? '')));
}

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
  const kept = await readKept(reader);
  const known = knownOf(session.settings);
  const inUse = (await askedOf(session, known, isInHaste || whoseIs(kept, known) === 'own')) ?? known;
  return refusing(kept, inUse, reader);
}

/**
 * The same as far as it is known without asking. Answers the name of the business whose mirror it is where it can’t be
 * told whether the account in use is that one: another business may be at the same address.
 */
export async function refuseOtherKnown(settings: Settings, reader: FactReader): Promise<string | undefined> {
  return refusing(await readKept(reader), knownOf(settings), reader);
}

function refusing(kept: Kept, inUse: InUse, reader: FactReader): string | undefined {
  const whose = whoseIs(kept, inUse);
  if (whose === 'anothers') throw notOwn(whose, kept, inUse, reader);
  return whose === 'own' || whose === 'nobodys' ? undefined : businessIn(kept);
}

function whoseIs({ account, key }: Kept, inUse: InUse): Whose {
  const { place, business } = inUse;
  if (account === undefined) return 'nobodys';
  if (business && account === idOf(place, business.id)) return 'own';
  const isOfPlace = account === place;
  if (!isOfPlace && !account.startsWith(`${place} `)) return 'anothers';
  const isSameToken = inUse.key === undefined || key === inUse.key;
  if (!business) return isSameToken ? 'own' : 'unknown';
  if (!isOfPlace) return 'anothers';
  return isSameToken ? 'own' : 'unclear';
}

function notOwn(
  whose: Exclude<Whose, 'own' | 'nobodys'>,
  kept: Kept,
  { business }: InUse,
  { called }: FactReader,
): Failure {
  const held = businessIn(kept);
  switch (whose) {
    case 'anothers':
      return usage(`${called} is the mirror of another account: ${held}.`, { hint: placeOfItsOwn });
    case 'unknown':
      return usage(
        `${called} is the mirror of ${held}, and the service doesn’t say whether the account in use is that one.`,
        { hint: `Sign in with a token that may ask who it is: boh whoami. ${placeOfItsOwn}` },
      );
    case 'unclear':
      return usage(
        `${called} was begun with a token of which the service didn’t say whose it is: whether it holds ${business?.name ?? business?.id} isn’t known.`,
        {
          hint: 'Sync it once with that token, if that may ask by now (boh whoami), or begin anew: boh mirror reset',
        },
      );
  }
}

const placeOfItsOwn = 'Give each account a place of its own: boh mirror sync --to sqlite:FILE, or BOH_MIRROR';

function businessIn({ account, business }: Kept): string {
  return business || account || 'another account';
}

/** Undefined where the service isn’t to be waited for, and hasn’t said it by then. */
async function askedOf(session: Session, known: InUse, canDoWithout: boolean): Promise<InUse | undefined> {
  try {
    const { businessId: id, businessName: name } = await accountIfTold(
      session,
      canDoWithout ? { within: shortly } : undefined,
    );
    return { ...known, ...(id !== undefined && { business: { id, name } }) };
  } catch (error) {
    if (canDoWithout && error instanceof Failure && silent.has(error.category)) return undefined;
    throw error;
  }
}

/** Of a service that doesn’t say it; what else it keeps from being done is told where that is tried. */
const silent: ReadonlySet<Failure['category']> = new Set(['unavailable', 'rate_limited', 'not_signed_in']);

/** Without asking: a profile keeps which business its token is of. */
function knownOf(settings: Settings): InUse {
  const { baseUrl = '', sandbox, apiPrefix, businessId: id, businessName: name } = settings;
  if (sandbox !== undefined) return { place: `sandbox ${sandbox}`, key: undefined };
  return {
    place: baseUrl + apiPrefix,
    key: accountKeyOf(settings),
    ...(id !== undefined && { business: { id, name } }),
  };
}

const facts = { account: 'account', business: 'business', key: 'account_key' } as const;

const factNames = Object.keys(facts) as (keyof typeof facts)[];

async function readKept(reader: FactReader): Promise<Kept> {
  const read = factNames.map(async (name) => [name, await readFact(reader, facts[name])]);
  return Object.fromEntries(await Promise.all(read));
}

/** What was told once stays. */
function keptOf({ place, key, business }: InUse, { account = place, business: name = place }: Kept): Kept {
  if (!business) return { account, business: name, key };
  return { account: idOf(place, business.id), business: business.name ?? place, key };
}

function idOf(place: string, business: string): string {
  return `${place} ${business}`;
}
