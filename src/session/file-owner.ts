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
  /** Absent where the service didn't report it when the file was written. */
  business?: { id: string; name?: string | undefined } | undefined;
  /** `accountKeyOf` the settings that the file was last written with; absent where the file doesn't keep it. */
  key?: string | undefined;
}

/** The account in use, as far as it is known. */
export interface AccountInUse extends FileOwner {
  /** Undefined for a sandbox, which has one business for every token. */
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
  /** How the check is overridden, in a sentence; `anyAccountHint` where it isn't said. */
  override?: Hint | undefined;
}

/** The flag that overrides the check: every command that reads or changes a file of an account has it. */
const anyAccountHint = 'To do it anyway: --any-account';

/** How long to wait for an answer that isn't needed to tell the owner, in milliseconds. */
const shortWaitMs = 3000;

/** The place of an account, as files keep it: the address with the API's prefix, or the sandbox. */
export function accountPlace(settings: Endpoint & Pick<Settings, 'apiPrefix'>): string {
  return endpointName(settings) + settings.apiPrefix;
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
 * with `isQuick`, the answer is waited for only a short time; without one, what the settings know is returned.
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
 * The account in use as far as it is needed to tell the owners of several files: the service is asked only where the
 * settings leave one of them open. A failure to ask names the override.
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

/** The file that has to belong to the account in use. */
export interface OwnerDemand extends NamedFile {
  /** Where the profiles are: the refusal names one that is signed in to the account of the file. */
  env: Environment;
  /** Whether the line overrides the check. */
  isAny?: boolean | undefined;
}

/** The result of `demandOwner`. */
export interface OwnedFile {
  /** The account to record in the file when it is written. */
  account: AccountInUse;
  /** Anything but `own` only where the check was overridden, and `own` for a file that doesn't exist yet. */
  match: OwnerMatch;
}

/**
 * Throws a usage failure unless the file is certainly of the account in use: call it before anything of the file is
 * read into the account, changed or deleted. `owner` is undefined for a file that doesn't exist yet.
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

/** Where a command runs: its account as far as it needs one, and the files beside it. */
interface OwnerContext {
  env: Environment;
  globals: { offline?: boolean | undefined };
  settings(): Promise<Settings>;
  session(): Promise<Session>;
}

/**
 * The same for a command that only reads the file on this machine. The service is asked only where the settings leave
 * open whose token is in use, and not waited for: the file may be there for when it is away. Where there is no token at
 * all, no other account is in use: returns the match then, and throws nothing.
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

/** Adds the override to a failure, so that the check can be skipped where the service doesn't answer. */
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
  { called, kind, override = anyAccountHint, profile }: NamedFile & { profile?: string | undefined },
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
      return usage(`${called} is the ${kind} of another account: ${held}.`, details);
    case 'unknown':
      return usage(
        `${called} is the ${kind} of ${held}. The service doesn't report whether the account in use is the same.`,
        details,
      );
    case 'unclear':
      return usage(
        `${called} was created with another token, and its account wasn't recorded. It is unknown whether it is the ${kind} of ${business?.name ?? business?.id}.`,
        details,
      );
  }
}

/** Returns the account of a file in words: the business where it is known, else its address. */
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

/** Returns the name of a profile that is signed in to the account of a file; undefined where there is none. */
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
