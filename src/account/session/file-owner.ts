/**
 * Checks that a file that the user names belongs to the account in use: the ledger of a run, a saved plan, a backup, the
 * watermark of an export, a mirror. The rule is the same for every kind of file.
 */
import type { Environment } from '../../base/environment.ts';
import { type Failure, usage } from '../../base/errors.ts';
import { boh, type Hint, joinHints } from '../../base/hint.ts';
import type { Settings } from '../settings/settings.ts';
import { openStore } from '../settings/store.ts';
import {
  type AccountIdentity,
  type AccountInUse,
  accountInUse,
  accountKeyOf,
  serviceName,
} from './account.ts';
import type { Session } from './session.ts';

/** The result of a comparison. `unknown`: the business of the file or of the token in use is unknown, and the token is another one. */
export type OwnerMatch = 'own' | 'other' | 'unknown';

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

/** Compares the owner of a file with the account in use: the same business, or the same token if a business is unknown. */
export function matchOwner(owner: AccountIdentity, inUse: AccountIdentity): OwnerMatch {
  if (owner.service !== inUse.service) return 'other';
  if (owner.business && inUse.business) return owner.business.id === inUse.business.id ? 'own' : 'other';
  return owner.key === inUse.key ? 'own' : 'unknown';
}

/** The options of `requireOwner`: the names of the file, and whether the check is overridden. */
export interface OwnerCheck extends NamedFile {
  /** The environment, to find the profiles: the refusal names one that is signed in to the account of the file. */
  env: Environment;
  /** Whether the command line overrides the check. */
  isOverridden?: boolean | undefined;
  /** Whether the file is only read. Without a token no other account is in use, so the file isn't refused then. */
  isOnlyRead?: boolean | undefined;
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
 * from the file to the account, shown, changed or deleted. `owner` is undefined for a new file.
 */
export async function requireOwner(
  session: Session,
  owner: AccountIdentity | undefined,
  { env, isOverridden = false, isOnlyRead = false, ...file }: OwnerCheck,
): Promise<OwnedFile> {
  const account = await accountInUse(session);
  const { token, sandbox, baseUrl } = session.settings;
  const isSignedOut = token === undefined && sandbox === undefined;
  if (!owner || (isOnlyRead && isSignedOut && (baseUrl === undefined || owner.service === account.service)))
    return { account, match: 'own' };
  const match = matchOwner(owner, account);
  if (match === 'own')
    return { account: { ...account, business: account.business ?? owner.business }, match };
  if (isOverridden) return { account, match };
  throw await ownerFailure(match, owner, account, { ...file, env });
}

/** Returns the failure for a file that may belong to another account. It names a profile of that account. */
export async function ownerFailure(
  match: Exclude<OwnerMatch, 'own'>,
  owner: AccountIdentity,
  { service, business }: AccountIdentity,
  { label, kind, override = anyAccountHint, env }: OwnerCheck,
): Promise<Failure> {
  const profile = await profileOf(owner, env);
  const hint = joinHints(
    ' ',
    profile === undefined ? undefined : `Use the profile of that account: --profile ${profile}.`,
    match === 'unknown' && business === undefined
      ? boh.hint`To check it, use a token that is allowed to run: ${boh.account('whoami')}.`
      : undefined,
    override,
  );
  const name = ownerName(owner);
  if (match === 'unknown')
    return usage(
      `${label} is the ${kind} of ${name}, written with another token. It is unknown whether that is the account in use.`,
      { hint },
    );
  const account = owner.business && owner.service !== service ? `${name}, ${owner.service}` : name;
  return usage(`${label} is the ${kind} of another account: ${account}.`, { hint });
}

/** Returns the name of the account of a file: its business if that is known, else its service. */
export function ownerName({ service, business }: AccountIdentity): string {
  return business ? business.name || `business ${business.id}` : service;
}

/** The account of a file as the file stores it, in JSON or in a database. */
export interface OwnerFields {
  service: string;
  business: string | null;
  business_name: string | null;
  account_key: string | null;
}

export const ownerFieldNames = ['service', 'business', 'business_name', 'account_key'] as const;

/** Returns the owner as fields of a file. `ownerFrom` reads them. */
export function ownerFields({ service, business, key }: AccountIdentity): OwnerFields {
  return {
    service,
    business: business?.id ?? null,
    business_name: business?.name ?? null,
    account_key: key ?? null,
  };
}

/** Returns the owner that the fields of a file describe; undefined if the file has none. */
export function ownerFrom(
  fields: { readonly [name in keyof OwnerFields]?: unknown },
): AccountIdentity | undefined {
  const { service, business: id, business_name: name, account_key: key } = fields;
  if (typeof service !== 'string') return undefined;
  return {
    service,
    ...(typeof id === 'string' && { business: { id, name: typeof name === 'string' ? name : undefined } }),
    ...(typeof key === 'string' && { key }),
  };
}

/** Returns the name of a profile that is signed in to the account of a file; undefined if there is none. */
async function profileOf(owner: AccountIdentity, env: Environment): Promise<string | undefined> {
  const { config } = await openStore(env).read();
  const profileEntry = Object.entries(config.profiles).find(([, profile]) => {
    const { base_url: baseUrl, api_prefix: apiPrefix = '', sandbox, token, business_id: id } = profile;
    const settings = { baseUrl, sandbox, apiPrefix, token } as Settings;
    const key = sandbox === undefined ? accountKeyOf(settings) : undefined;
    const business = id === undefined || sandbox !== undefined ? undefined : { id };
    return matchOwner(owner, { service: serviceName(settings), business, key }) === 'own';
  });
  return profileEntry?.[0];
}
