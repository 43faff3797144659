/** Checks that a file belongs to the account in use. The rule is the same for every kind of file. */
import type { Environment } from '../base/environment.ts';
import { Failure, usage } from '../base/errors.ts';
import { boh, type Hint, joinHints } from '../base/hint.ts';
import { type Endpoint, endpointName, type Settings } from '../settings/settings.ts';
import { openStore } from '../settings/store.ts';
import { accountIfReadable, accountKeyOf } from './account.ts';
import type { Session } from './session.ts';

/** The account that a file was written for: a mirror, a history, the ledger of a run, a backup, a saved plan. */
export interface FileOwner {
  /** The base URL with the API's prefix, or the name of the sandbox: see `serviceName`. */
  service: string;
  /** The business; undefined if the service didn't report it when the file was written. */
  business?: { id: string; name?: string | undefined } | undefined;
  /** The `accountKeyOf` the settings with which the file was last written; undefined if the file doesn't store it. */
  key?: string | undefined;
}

/** The account in use; the business may be unknown. */
export interface AccountInUse extends FileOwner {
  /** Undefined for a sandbox, which has one business for every token. */
  key: string | undefined;
}

/**
 * The result of a comparison:
 * - `own`: the file belongs to the account in use.
 * - `other`: it belongs to another account.
 * - `unknown`: the business of the token in use is unknown.
 * - `unclear`: the business of the file is unknown, and it was written with another token.
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

/** The maximum time to wait for a response that isn't required, in milliseconds. */
const shortWaitMs = 3000;

/** Returns the service of an account as files store it: the base URL with the API's prefix, or the name of the sandbox. */
export function serviceName(settings: Endpoint & Pick<Settings, 'apiPrefix'>): string {
  return endpointName(settings) + settings.apiPrefix;
}

/**
 * Compares the owner of a file with the account in use. The same business at the same service is `own`; if a
 * business is unknown, the token must be the same. Sends nothing.
 */
export function matchOwner(owner: FileOwner, inUse: AccountInUse): OwnerMatch {
  if (owner.service !== inUse.service) return 'other';
  if (owner.business && inUse.business) return owner.business.id === inUse.business.id ? 'own' : 'other';
  if (inUse.key === undefined || owner.key === inUse.key) return 'own';
  return inUse.business ? 'unclear' : 'unknown';
}

/**
 * Returns the account in use according to the settings: a profile stores the business of its token. Sends nothing.
 */
export function accountFromSettings(settings: Settings): AccountInUse {
  const { sandbox, businessId: id, businessName: name } = settings;
  const service = serviceName(settings);
  if (sandbox !== undefined) return { service, key: undefined };
  return {
    service,
    key: accountKeyOf(settings),
    ...(id !== undefined && { business: { id, name } }),
  };
}

/**
 * Requests the account in use from the service. If the settings already prove that the file belongs to it, or with
 * `limitsWait`, it waits at most three seconds, and then returns the account according to the settings.
 */
export async function accountInUse(
  session: Session,
  owner?: FileOwner,
  { limitsWait = false } = {},
): Promise<AccountInUse> {
  const fromSettings = accountFromSettings(session.settings);
  const isOptional = limitsWait || (owner !== undefined && matchOwner(owner, fromSettings) === 'own');
  try {
    const options = isOptional ? { maxWaitMs: shortWaitMs } : undefined;
    const { businessId: id, businessName: name } = await accountIfReadable(session, options);
    return id === undefined ? fromSettings : { ...fromSettings, business: { id, name } };
  } catch (error) {
    // The failure is reported when something is sent.
    if (isOptional && error instanceof Failure && error.category !== 'interrupted') return fromSettings;
    throw error;
  }
}

/**
 * Returns the account in use, to compare it with the owners of several files. Requests it from the service only if the
 * settings don't decide every comparison. A failure names the override.
 */
export async function accountForOwners(
  owners: readonly FileOwner[],
  settings: Settings,
  { open }: { open(): Promise<Session> },
): Promise<AccountInUse> {
  const fromSettings = accountFromSettings(settings);
  const isDecided = (owner: FileOwner) => ['own', 'other'].includes(matchOwner(owner, fromSettings));
  if (fromSettings.business || owners.every(isDecided)) return fromSettings;
  return accountInUse(await open()).catch((error) => {
    throw withOverride(error);
  });
}

/** The options of `requireOwner`: the names of the file, and whether the check is overridden. */
export interface OwnerCheck extends NamedFile {
  /** The environment, to find the profiles: the refusal names one that is signed in to the account of the file. */
  env: Environment;
  /** Whether the command line overrides the check. */
  isOverridden?: boolean | undefined;
}

/** The result of `requireOwner`. */
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
export async function requireOwner(
  session: Session,
  owner: FileOwner | undefined,
  { env, isOverridden = false, ...file }: OwnerCheck,
): Promise<OwnedFile> {
  if (!owner) return { account: await accountInUse(session), match: 'own' };
  const inUse = await accountInUse(session, owner).catch((error) => {
    if (!isOverridden || !(error instanceof Failure) || error.category === 'interrupted')
      throw withOverride(error, file.override);
    return accountFromSettings(session.settings);
  });
  const match = matchOwner(owner, inUse);
  if (match === 'own') return { account: { ...inUse, business: inUse.business ?? owner.business }, match };
  if (isOverridden) return { account: inUse, match };
  throw ownerFailure(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
}

/** The part of a command's context that `requireOwnerToRead` needs. */
interface OwnerContext {
  env: Environment;
  globals: { offline?: boolean | undefined };
  settings(): Promise<Settings>;
  session(): Promise<Session>;
}

/**
 * Checks the owner for a command that only reads the file on this machine, and returns the match. Sends a request only
 * if the settings don't decide the comparison, and waits at most three seconds, so that the file can be read while the
 * service is down. Without a token no other account is in use, so the check never throws.
 */
export async function requireOwnerToRead(
  owner: FileOwner,
  { isOverridden, ...file }: NamedFile & Pick<OwnerCheck, 'isOverridden'>,
  { env, globals, ...context }: OwnerContext,
): Promise<OwnerMatch> {
  const settings = await context.settings();
  const fromSettings = accountFromSettings(settings);
  const matchFromSettings = matchOwner(owner, fromSettings);
  const isUndecided = matchFromSettings === 'unknown' || matchFromSettings === 'unclear';
  const { token, sandbox, baseUrl } = settings;
  const isSignedOut = token === undefined && sandbox === undefined && (isUndecided || baseUrl === undefined);
  if (matchFromSettings === 'own' || isOverridden || isSignedOut) return matchFromSettings;
  const canRequest = isUndecided && !globals.offline;
  const inUse = canRequest
    ? await accountInUse(await context.session(), owner, { limitsWait: true })
    : fromSettings;
  const match = matchOwner(owner, inUse);
  if (match !== 'own')
    throw ownerFailure(match, owner, inUse, { ...file, profile: await profileOf(owner, env) });
  return match;
}

/** Returns the failure with the override in its hint, so that users can skip the check if the service doesn't respond. */
function withOverride(error: unknown, override: Hint = anyAccountHint): unknown {
  if (!(error instanceof Failure) || error.category === 'interrupted') return error;
  const hint = joinHints(' ', error.details.hint, override);
  return new Failure(error.category, error.message, { ...error.details, hint });
}

/**
 * Returns the failure for a file that may belong to another account; `profile` is signed in to the account of the file.
 */
export function ownerFailure(
  match: Exclude<OwnerMatch, 'own'>,
  owner: FileOwner,
  { service, business }: AccountInUse,
  { label, kind, override = anyAccountHint, profile }: NamedFile & { profile?: string | undefined },
): Failure {
  const fileOwner =
    owner.business && owner.service !== service ? `${ownerName(owner)}, ${owner.service}` : ownerName(owner);
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
      return usage(`${label} is the ${kind} of another account: ${fileOwner}.`, details);
    case 'unknown':
      return usage(
        `${label} is the ${kind} of ${fileOwner}. The service doesn't report which business the token belongs to.`,
        details,
      );
    case 'unclear':
      return usage(
        `${label} was created with another token, so its account is unknown. It may not be the ${kind} of ${business?.name ?? business?.id}.`,
        details,
      );
  }
}

/** Returns the name of the account of a file: its business if that is known, else its service. */
export function ownerName({ service, business }: FileOwner): string {
  return business ? business.name || `business ${business.id}` : service;
}

/** The account of a file as the file stores it, in JSON or in a database. */
export interface OwnerFields {
  service: string;
  business: string | null;
  business_name: string | null;
  account_key: string | null;
}

/** The names of the fields. */
export const ownerFieldNames = ['service', 'business', 'business_name', 'account_key'] as const;

/** Returns the owner as fields of a file. `ownerFrom` reads them. */
export function ownerFields({ service, business, key }: FileOwner): OwnerFields {
  return {
    service,
    business: business?.id ?? null,
    business_name: business?.name ?? null,
    account_key: key ?? null,
  };
}

/** Returns the owner that the fields of a file describe; undefined if the file has none. */
export function ownerFrom(fields: { readonly [name in keyof OwnerFields]?: unknown }): FileOwner | undefined {
  const { service, business: id, business_name: name, account_key: key } = fields;
  if (typeof service !== 'string') return undefined;
  return {
    service,
    ...(typeof id === 'string' && { business: { id, name: typeof name === 'string' ? name : undefined } }),
    ...(typeof key === 'string' && { key }),
  };
}

/** Returns the name of a profile that is signed in to the account of a file; undefined if there is none. */
export async function profileOf(owner: FileOwner, env: Environment): Promise<string | undefined> {
  const { config } = await openStore(env).read();
  const profileEntry = Object.entries(config.profiles).find(([, profile]) => {
    const { base_url: baseUrl, api_prefix: apiPrefix = '', sandbox, token, business_id: id } = profile;
    const settings = { baseUrl, sandbox, apiPrefix, token } as Settings;
    const service = serviceName(settings);
    if (service !== owner.service) return false;
    if (sandbox !== undefined) return true;
    if (owner.business && id !== undefined) return owner.business.id === id;
    return owner.key !== undefined && owner.key === accountKeyOf(settings);
  });
  return profileEntry?.[0];
}
