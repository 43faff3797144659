/** Compares the account that a file belongs to with the account in use: one rule for every kind of file. */
import type { Environment } from '../base/environment.ts';
import { Failure, usage } from '../base/errors.ts';
import { boh, type Hint, joinHints } from '../base/hint.ts';
import { type Endpoint, endpointName, type Settings } from '../settings/settings.ts';
import { openStore } from '../settings/store.ts';
import { accountIfShown, accountKeyOf } from './account.ts';
import type { Session } from './session.ts';

/** The account that a file was written for: a mirror, a history, the ledger of a run, a backup, a saved plan. */
export interface FileOwner {
  /** The address with the API's prefix, or the sandbox: see `accountPlace`. */
  place: string;
  /** The business; undefined if the service didn't report it when the file was written. */
  business?: { id: string; name?: string | undefined } | undefined;
  /** The `accountKeyOf` the settings with which the file was last written; undefined if the file doesn't store it. */
  key?: string | undefined;
}

/** The account in use, as far as it is known. */
export interface AccountInUse extends FileOwner {
  /** Undefined for a sandbox, which has one business for every token. */
  key: string | undefined;
}

/**
 * The result of a comparison. `own`: the file certainly belongs to the account in use. `other`: it certainly belongs
 * to another one. `unknown`: its business is known, but that of the token in use isn't. `unclear`: its business is
 * unknown, and it was written with another token.
 */
export type OwnerMatch = 'own' | 'other' | 'unknown' | 'unclear';

/** The names of a file in messages. */
export interface NamedFile {
  /** The path, or a description: "The ledger of run 20261122-1". */
  label: string;
  /** The kind of file: "mirror", "backup". */
  kind: string;
  /** How to override the check, as a sentence; `anyAccountHint` by default. */
  override?: Hint | undefined;
}

/** The flag that overrides the check. Every command that reads or changes a file of an account has it. */
const anyAccountHint = 'To continue anyway: --any-account';

/** How long to wait for an answer that isn't required, in milliseconds. */
const shortWaitMs = 3000;

/** Returns the place of an account, as files store it: the address with the API's prefix, or the sandbox. */
export function accountPlace(settings: Endpoint & Pick<Settings, 'apiPrefix'>): string {
  return endpointName(settings) + settings.apiPrefix;
}

/**
 * Compares the owner of a file with the account in use. The same business at the same place is `own`; if a business
 * is unknown, only the same token is. Sends nothing.
 */
export function matchOwner(owner: FileOwner, inUse: AccountInUse): OwnerMatch {
  if (owner.place !== inUse.place) return 'other';
  if (owner.business && inUse.business) return owner.business.id === inUse.business.id ? 'own' : 'other';
  if (inUse.key === undefined || owner.key === inUse.key) return 'own';
  return inUse.business ? 'unclear' : 'unknown';
}

/**
 * Returns the account in use according to the settings: a profile stores the business of its token. Sends nothing.
 */
export function knownAccount(settings: Settings): AccountInUse {
  const { sandbox, businessId: id, businessName: name } = settings;
  const place = accountPlace(settings);
  if (sandbox !== undefined) return { place, key: undefined };
  return { place, key: accountKeyOf(settings), ...(id !== undefined && { business: { id, name } }) };
}

/**
 * Returns the account in use according to the service. If the settings already prove that the file is its own, or
 * with `isQuick`, it waits only briefly for the answer, and returns what the settings know if there is none.
 */
export async function accountInUse(
  session: Session,
  owner?: FileOwner,
  { isQuick = false } = {},
): Promise<AccountInUse> {
  const known = knownAccount(session.settings);
  const canDoWithout = isQuick || (owner !== undefined && matchOwner(owner, known) === 'own');
  try {
    const how = canDoWithout ? { maxWaitMs: shortWaitMs } : undefined;
    const { businessId: id, businessName: name } = await accountIfShown(session, how);
    return id === undefined ? known : { ...known, business: { id, name } };
  } catch (error) {
    // What else the service refuses is reported where something is sent.
    if (canDoWithout && error instanceof Failure && error.category !== 'interrupted') return known;
    throw error;
  }
}

/**
 * Returns the account in use, to compare it with the owners of several files. Asks the service only if the settings
 * leave one of them undecided. A failure names the override.
 */
export async function accountForOwners(
  owners: readonly FileOwner[],
  settings: Settings,
  { open }: { open(): Promise<Session> },
): Promise<AccountInUse> {
  const known = knownAccount(settings);
  const isSettled = (owner: FileOwner) => ['own', 'other'].includes(matchOwner(owner, known));
  if (known.business || owners.every(isSettled)) return known;
  return accountInUse(await open()).catch((error) => {
    throw withOverride(error);
  });
}

/** Describes the file that must belong to the account in use. */
export interface OwnerDemand extends NamedFile {
  /** The environment, to find the profiles: the refusal names one that is signed in to the account of the file. */
  env: Environment;
  /** Whether the command line overrides the check. */
  isAny?: boolean | undefined;
}

/** The result of `demandOwner`. */
export interface OwnedFile {
  /** The account to record in the file when it is written. */
  account: AccountInUse;
  /** The result of the check: other than `own` only if it was overridden; `own` for a file that doesn't exist yet. */
  match: OwnerMatch;
}

/**
 * Throws a usage failure unless the file certainly belongs to the account in use. Call it before anything is copied
 * from the file to the account, changed or deleted. `owner` is undefined for a new file.
 */
export async function demandOwner(
  session: Session,
  owner: FileOwner | undefined,
  { env, isAny = false, ...file }: OwnerDemand,
): Promise<OwnedFile> {
  if (!owner) return { account: await accountInUse(session), match: 'own' };
  const inUse = await accountInUse(session, owner).catch((error) => {
    if (!isAny || !(error instanceof Failure) || error.category === 'interrupted')
      throw withOverride(error, file.override);
    return knownAccount(session.settings);
  });
  const match = matchOwner(owner, inUse);
  if (match === 'own') return { account: { ...inUse, business: inUse.business ?? owner.business }, match };
  if (isAny) return { account: inUse, match };
  throw notOwner(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
}

/** The parts of a context that the check needs. */
interface OwnerContext {
  env: Environment;
  globals: { offline?: boolean | undefined };
  settings(): Promise<Settings>;
  session(): Promise<Session>;
}

/**
 * Does the same for a command that only reads the file on this machine. The service is asked only if the settings
 * leave the account undecided, and only briefly, so that the file can be read while the service is down. Without a
 * token no other account is in use: then returns the match and throws nothing.
 */
export async function demandOwnerToRead(
  owner: FileOwner,
  { isAny, ...file }: NamedFile & Pick<OwnerDemand, 'isAny'>,
  { env, globals, ...context }: OwnerContext,
): Promise<OwnerMatch> {
  const settings = await context.settings();
  const known = knownAccount(settings);
  const first = matchOwner(owner, known);
  const isOpen = first === 'unknown' || first === 'unclear';
  const { token, sandbox, baseUrl } = settings;
  const isNobody = token === undefined && sandbox === undefined && (isOpen || baseUrl === undefined);
  if (first === 'own' || isAny || isNobody) return first;
  const isAsked = isOpen && !globals.offline;
  const inUse = isAsked ? await accountInUse(await context.session(), owner, { isQuick: true }) : known;
  const match = matchOwner(owner, inUse);
  if (match !== 'own') throw notOwner(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
  return match;
}

/** Adds the override to a failure, so that users can skip the check if the service doesn't answer. */
function withOverride(error: unknown, override: Hint = anyAccountHint): unknown {
  if (!(error instanceof Failure) || error.category === 'interrupted') return error;
  const hint = joinHints(' ', error.details.hint, override);
  return new Failure(error.category, error.message, { ...error.details, hint });
}

/** Returns the failure for a file that may belong to another account; `profile` is signed in to the account of the file. */
export function notOwner(
  match: Exclude<OwnerMatch, 'own'>,
  owner: FileOwner,
  { place, business }: AccountInUse,
  { label, kind, override = anyAccountHint, profile }: NamedFile & { profile?: string | undefined },
): Failure {
  const held =
    owner.business && owner.place !== place ? `${ownerName(owner)}, ${owner.place}` : ownerName(owner);
  const hint = joinHints(
    ' ',
    profile === undefined ? undefined : `Use the profile of that account: --profile ${profile}.`,
    match === 'unknown'
      ? boh.hint`Sign in with a token that is allowed to run: ${boh.account('whoami')}.`
      : undefined,
    override,
  );
  const details = { hint };
  switch (match) {
    case 'other':
      return usage(`${label} is the ${kind} of another account: ${held}.`, details);
    case 'unknown':
      return usage(
        `${label} is the ${kind} of ${held}. The service doesn't report whether the account in use is the same.`,
        details,
      );
    case 'unclear':
      return usage(
        `${label} was created with another token, so its account is unknown. It may not be the ${kind} of ${business?.name ?? business?.id}.`,
        details,
      );
  }
}

/** Returns the account of a file in words: the business if it is known, else its address. */
export function ownerName({ place, business }: FileOwner): string {
  return business ? business.name || `business ${business.id}` : place;
}

/** The account as a file records it, beside its place: fields of JSON, or facts of a database. */
export interface OwnerFields {
  business: string | null;
  business_name: string | null;
  account_key: string | null;
}

/** Returns the owner as fields of a file. `ownerFrom` reads them. */
export function ownerFields({ business, key }: FileOwner): OwnerFields {
  return {
    business: business?.id ?? null,
    business_name: business?.name ?? null,
    account_key: key ?? null,
  };
}

/** Returns the account that a file has recorded. Files of earlier versions have no key, and some no business. */
export function ownerFrom(
  place: string,
  fields: { readonly [name in keyof OwnerFields]?: unknown },
): FileOwner {
  const { business: id, business_name: name, account_key: key } = fields;
  return {
    place,
    ...(typeof id === 'string' && { business: { id, name: typeof name === 'string' ? name : undefined } }),
    ...(typeof key === 'string' && { key }),
  };
}

/** Returns the name of a profile that is signed in to the account of a file; undefined if there is none. */
export async function profileOf(owner: FileOwner, env: Environment): Promise<string | undefined> {
  const { config } = await openStore(env).read();
  const found = Object.entries(config.profiles).find(([, profile]) => {
    const { base_url: baseUrl, api_prefix: apiPrefix = '', sandbox, token, business_id: id } = profile;
    const settings = { baseUrl, sandbox, apiPrefix, token } as Settings;
    const place = accountPlace(settings);
    if (place !== owner.place) return false;
    if (sandbox !== undefined) return true;
    if (owner.business && id !== undefined) return owner.business.id === id;
    return owner.key !== undefined && owner.key === accountKeyOf(settings);
  });
  return found?.[0];
}
