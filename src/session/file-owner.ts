/** Compares the account that a file belongs to with the account in use: one rule for every kind of file. */
import type { Environment } from '../environment.ts';
import { Failure, usage } from '../errors.ts';
import { type Place, placeOf, type Settings } from '../settings/settings.ts';
import { openStore } from '../settings/store.ts';
import { accountIfTold, accountKeyOf } from './account.ts';
import type { Session } from './session.ts';

/** The account that a file was written for: a mirror, a history, the ledger of a run, a backup, a saved plan. */
export interface FileOwner {
  /** The address with the API's prefix, or the sandbox: see `accountPlace`. */
  place: string;
  /** Absent where the service didn't tell it when the file was written. */
  business?: { id: string; name?: string | undefined } | undefined;
  /** `accountKeyOf` the settings that the file was last written with; absent where the file doesn't keep it. */
  key?: string | undefined;
}

/** The account in use, as far as it is known. */
export interface AccountInUse extends FileOwner {
  /** Undefined where there is one business alone, whoever signs in to it: a sandbox. */
  key: string | undefined;
}

/**
 * - `own`: the file is certainly of the account in use.
 * - `other`: it is certainly of another account.
 * - `unknown`: its business is known, and the service doesn't tell the business of the token in use.
 * - `unclear`: its business was never told, and it was written with another token than the one in use.
 */
export type OwnerMatch = 'own' | 'other' | 'unknown' | 'unclear';

/** How a file is called in messages. */
export interface NamedFile {
  /** Its path, or what it is: "The ledger of run 20261122-1". */
  called: string;
  /** What kind of file it is: "mirror", "backup". */
  kind: string;
  /** The flag that overrides the check, with its sentence: "To delete it all the same: --any-account". */
  override?: string | undefined;
}

/** How long to wait for an answer that isn't needed to tell the owner, in milliseconds. */
const shortWaitMs = 3000;

/** The place of an account, as files keep it: the address with the API's prefix, or the sandbox. */
export function accountPlace(settings: Place & Pick<Settings, 'apiPrefix'>): string {
  return placeOf(settings) + settings.apiPrefix;
}

/**
 * The rule. The same business at the same place is `own`; without a business on one of the sides, only the token that
 * wrote the file is. Sends nothing.
 */
export function matchOwner(owner: FileOwner, inUse: AccountInUse): OwnerMatch {
  if (owner.place !== inUse.place) return 'other';
  if (owner.business && inUse.business) return owner.business.id === inUse.business.id ? 'own' : 'other';
  if (inUse.key === undefined || owner.key === inUse.key) return 'own';
  return inUse.business ? 'unclear' : 'unknown';
}

/** The account in use as the settings know it: a profile keeps which business its token is of. Sends nothing. */
export function knownAccount(settings: Settings): AccountInUse {
  const { sandbox, businessId: id, businessName: name } = settings;
  const place = accountPlace(settings);
  if (sandbox !== undefined) return { place, key: undefined };
  return { place, key: accountKeyOf(settings), ...(id !== undefined && { business: { id, name } }) };
}

/**
 * The account in use as the service tells it. Where the settings prove already that the file is the account's own, or
 * with `isInHaste`, the answer is waited for only a short time; without one, what the settings know is returned.
 */
export async function accountInUse(
  session: Session,
  owner?: FileOwner,
  { isInHaste = false } = {},
): Promise<AccountInUse> {
  const known = knownAccount(session.settings);
  const canDoWithout = isInHaste || (owner !== undefined && matchOwner(owner, known) === 'own');
  try {
    const how = canDoWithout ? { within: shortWaitMs } : undefined;
    const { businessId: id, businessName: name } = await accountIfTold(session, how);
    return id === undefined ? known : { ...known, business: { id, name } };
  } catch (error) {
    // What else the service refuses is reported where something is sent.
    if (canDoWithout && error instanceof Failure && error.category !== 'interrupted') return known;
    throw error;
  }
}

/**
 * The account in use as far as it is needed to tell the owners of several files: the service is asked only where the
 * settings leave one of them open. A failure to ask names the override.
 */
export async function accountForOwners(
  owners: readonly FileOwner[],
  settings: Settings,
  { open, override }: { open(): Promise<Session>; override?: string | undefined },
): Promise<AccountInUse> {
  const known = knownAccount(settings);
  const isSettled = (owner: FileOwner) => ['own', 'other'].includes(matchOwner(owner, known));
  if (known.business || owners.every(isSettled)) return known;
  return accountInUse(await open()).catch((error) => {
    throw withOverride(error, override);
  });
}

/**
 * Throws a usage failure unless the file is certainly of the account in use: call it before anything of the file is
 * read into the account, changed or deleted. `env` finds the profile that the file belongs to, for the message.
 * Returns the account in use, to be kept in the file.
 */
export async function demandOwner(
  session: Session,
  owner: FileOwner,
  { env, ...file }: NamedFile & { env: Environment },
): Promise<AccountInUse> {
  const inUse = await accountInUse(session, owner).catch((error) => {
    throw withOverride(error, file.override);
  });
  const match = matchOwner(owner, inUse);
  if (match !== 'own') throw notOwner(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
  return inUse;
}

/** A service that can't be asked keeps nobody from overriding the check. */
function withOverride(error: unknown, override: string | undefined): unknown {
  if (!(error instanceof Failure) || error.category === 'interrupted' || override === undefined) return error;
  const hint = [error.details.hint, override].filter(Boolean).join(' ');
  return new Failure(error.category, error.message, { ...error.details, hint });
}

/** What is thrown for a file that isn't certainly of the account in use; `profile` is one that is signed in to its account. */
export function notOwner(
  match: Exclude<OwnerMatch, 'own'>,
  owner: FileOwner,
  { business }: AccountInUse,
  { called, kind, override, profile }: NamedFile & { profile?: string | undefined },
): Failure {
  const held = ownerName(owner);
  const hints = [
    profile !== undefined && `Use the profile of that account: --profile ${profile}.`,
    match === 'unknown' && 'Sign in with a token that may ask who it is: boh whoami.',
    override,
  ];
  const details = { hint: hints.filter((hint) => hint).join(' ') };
  switch (match) {
    case 'other':
      return usage(`${called} is the ${kind} of another account: ${held}.`, details);
    case 'unknown':
      return usage(
        `${called} is the ${kind} of ${held}, and the service doesn’t say whether the account in use is that one.`,
        details,
      );
    case 'unclear':
      return usage(
        `${called} was begun with a token of which the service didn’t say whose it is: whether it holds ${business?.name ?? business?.id} isn’t known.`,
        details,
      );
  }
}

/** The account of a file in words: the business where it is known, else the place. */
export function ownerName({ place, business }: FileOwner): string {
  return business?.name || business?.id || place;
}

/** The name of a profile that is signed in to the account of a file; undefined where there is none. */
export async function profileOf(owner: FileOwner, env: Environment): Promise<string | undefined> {
  const { config } = await openStore(env).read();
  const found = Object.entries(config.profiles).find(([, profile]) => {
    const { base_url: baseUrl, api_prefix: apiPrefix = '', sandbox, token, business_id: id } = profile;
    const settings = { baseUrl, sandbox, apiPrefix, token } as Settings;
    const place = accountPlace(settings);
    if (place !== owner.place) return false;
    if (owner.business && id !== undefined) return owner.business.id === id;
    return owner.key !== undefined && owner.key === accountKeyOf(settings);
  });
  return found?.[0];
}
