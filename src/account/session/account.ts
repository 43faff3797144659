/**
 * Identifies the account in use: one business of one service, or a sandbox. Each account has a folder for everything
 * that boh stores about it. Document: "Whoami object".
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../../api/contract/api.ts';
import { type Operation, operation } from '../../api/contract/operation.ts';
import { flagName } from '../../api/contract/value-text.ts';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure } from '../../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { isRow, isStringArray, type Row } from '../client/shape.ts';
import { openAccountCache, whoamiKey } from '../settings/caches.ts';
import { type Endpoint, endpointName, type Settings } from '../settings/settings.ts';

/** The user, business and scopes of a token; members are missing if the service doesn't report them. */
export interface Account {
  userId?: string;
  userName?: string;
  businessId?: string;
  businessName?: string;
  /** Whether the service says that the business is blocked. */
  isBlocked?: boolean;
  scopes?: readonly string[];
}

function isAccount(value: unknown): value is Account {
  return isRow(value);
}

/** Returns the account that a `whoami` record describes. */
function parseAccount({ user, business, scopes }: Row): Account {
  const [userRow, businessRow] = [isRow(user) ? user : {}, isRow(business) ? business : {}];
  return {
    ...textProperty('userId', userRow.id),
    ...textProperty('userName', userRow.name),
    ...textProperty('businessId', businessRow.id),
    ...textProperty('businessName', businessRow.name),
    ...(businessRow.is_blocked === true && { isBlocked: true }),
    ...(isStringArray(scopes) && { scopes }),
  };
}

/** Returns a hash of the token in use and its base URL, which reveals neither. */
export function accountKeyOf(settings: Settings): string {
  return whoamiKey(serviceName(settings), settings.token);
}

/** An account: one business of a service, or a sandbox. Files of the user store it. */
export interface AccountIdentity {
  /** The base URL with the API's prefix, or the name of the sandbox: see `serviceName`. */
  service: string;
  /** The business; undefined if it is unknown: the service doesn't report it to every token. */
  business?: { id: string; name?: string | undefined } | undefined;
  /** The `accountKeyOf` the token in use; undefined for a sandbox, which has one business for every token. */
  key?: string | undefined;
}

/** The account in use, with the user of its token as far as it is known. */
export interface AccountInUse extends AccountIdentity {
  user: { id?: string | undefined; name?: string | undefined };
}

/** Returns the service of an account as files store it: the base URL with the API's prefix, or the name of the sandbox. */
export function serviceName(settings: Endpoint & Pick<Settings, 'apiPrefix'>): string {
  return endpointName(settings) + settings.apiPrefix;
}

/** Returns the account in use according to the settings: a profile stores the business of its token. Sends nothing. */
export function accountFromSettings(settings: Settings): AccountInUse {
  const { sandbox, businessId: id, businessName: name, userName } = settings;
  return {
    service: serviceName(settings),
    key: sandbox === undefined ? accountKeyOf(settings) : undefined,
    business: id === undefined || sandbox !== undefined ? undefined : { id, name },
    user: { name: userName },
  };
}

/** Returns the account with the business and the user that the service reported. */
export function withReported(account: AccountInUse, reported: Account): AccountInUse {
  const { businessId: id, businessName: name, userId, userName } = reported;
  const user = { ...account.user, ...textProperty('id', userId), ...textProperty('name', userName) };
  return { ...account, business: account.business ?? (id === undefined ? undefined : { id, name }), user };
}

/** The name of the cache of accounts by the key of their token. */
export const accountCacheName = 'accounts.json';

/** The part of a session that requests the account. */
interface WhoamiReader {
  whoami(): Promise<Account>;
}

/**
 * Returns the account of the settings, with the business as the service reports it. The response is remembered, because
 * most commands need it, until the token hasn't been used for a month. Throws if the service fails: the business must
 * not be known for one command and unknown for the next.
 */
export async function identifyAccount(
  settings: Settings,
  session: WhoamiReader,
  env: Environment,
): Promise<AccountInUse> {
  const account = accountFromSettings(settings);
  const { key, business } = account;
  if (business || key === undefined) return account;
  const cache = openAccountCache(env, key, { name: accountCacheName, isContent: isAccount });
  const reported = cache.get() ?? (await accountIfSignedIn(session));
  if (!reported) return account;
  const { scopes: _, isBlocked: __, ...remembered } = reported;
  // Also extends the time for which a response is remembered.
  cache.put(remembered);
  return withReported(account, reported);
}

/** Returns the account; undefined offline, without a token, or with one that the service rejects. */
async function accountIfSignedIn(session: WhoamiReader): Promise<Account | undefined> {
  try {
    return await accountIfReadable(session);
  } catch (error) {
    if (error instanceof Failure && ['usage', 'not_signed_in'].includes(error.category)) return undefined;
    throw error;
  }
}

/**
 * Returns the account in use, to store it in a file of the user or to compare it with the account of one. A sandbox
 * also reports its business, for messages.
 */
export async function accountInUse(
  session: WhoamiReader & { settings: Settings; account(): Promise<AccountInUse> },
): Promise<AccountInUse> {
  if (session.settings.sandbox !== undefined) await accountIfSignedIn(session);
  return session.account();
}

/**
 * Returns the folder with everything that boh stores about an account: its history, its runs, its change sets and its
 * mirror. An account whose business is unknown has a folder for each token.
 */
export function accountFolder(env: Environment, { service, business, key }: AccountIdentity): string {
  const identity =
    key === undefined ? [service] : [service, business ? 'business' : 'token', business?.id ?? key];
  const name = [service.replace(/^(https?:\/\/|the )/, ''), key !== undefined && business?.id]
    .filter(Boolean)
    .join('-')
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
    .slice(0, 60);
  const suffix = hash('sha256', JSON.stringify(identity), 'hex').slice(0, 12);
  return join(accountsFolder(env), `${name}-${suffix}`.replaceAll(/-+/g, '-'));
}

export function accountFolders(env: Environment): string[] {
  const folder = accountsFolder(env);
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Returns `BOH_CONFIG_DIR/accounts`, else the folder in the platform's folder for user data (`~/.local/share/boh/accounts` on Linux). */
function accountsFolder(env: Environment): string {
  return join(appFolder(env, 'data'), 'accounts');
}

/** Returns the account, or an empty object if the service refuses `whoami`. Sends at most one request. */
export async function accountIfReadable(session: WhoamiReader): Promise<Account> {
  try {
    return await session.whoami();
  } catch (error) {
    const isRefusal =
      error instanceof Failure && ['not_allowed', 'not_found', 'refused'].includes(error.category);
    if (isRefusal) return {};
    throw error;
  }
}

/** Returns the fields of a new record that have no value and default to the signed-in user. */
export function missingUserFields({ operation, body = {} }: Call): Operation['body'] {
  if (operation.effect !== 'create') return [];
  return operation.body.filter(
    ({ name, field }) => field.traits.defaultsToSignedInUser && body[name] === undefined,
  );
}

/**
 * Returns the call with the signed-in user in the missing fields that default to it (docs/reference/deployments.md:
 * "Values").
 */
export async function withSignedInUser(call: Call, signedInUser: () => Promise<string>): Promise<Call> {
  const { operation, body = {} } = call;
  const missingFields = missingUserFields(call);
  if (missingFields.length === 0) return call;
  const id = await signedInUser();
  const filledBody: Row = { ...body, ...Object.fromEntries(missingFields.map(({ name }) => [name, id])) };
  // In the order of the fields; unknown fields come last.
  const knownNames = operation.body.map(({ name }) => name).filter((name) => Object.hasOwn(filledBody, name));
  return {
    ...call,
    body: { ...Object.fromEntries(knownNames.map((name) => [name, filledBody[name]])), ...filledBody },
  };
}

/** Returns the ID of the signed-in user. Throws `unavailable` if the service doesn't report it. */
export function requireSignedInUser({ userId }: Account, { body }: Operation): string {
  if (userId !== undefined) return userId;
  const fieldName = body.find(({ field }) => field.traits.defaultsToSignedInUser)?.name ?? '';
  throw new Failure('unavailable', "The service doesn't report the signed-in user.", {
    hint: `Add the user: --${flagName(fieldName)} ID`,
  });
}

/**
 * Returns an object with one text property, or an empty object if the value is missing. Numbers become text, because
 * some services return IDs as numbers.
 */
function textProperty<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' ? ({ [name]: text } as Record<Name, string>) : {};
}

/** Requests the account of the token once, and caches the result, also a failure. */
export class WhoamiRequest {
  readonly #api: Api;
  readonly #client: () => Promise<Client>;
  #account: Promise<Account> | undefined;

  constructor(api: Api, client: () => Promise<Client>) {
    this.#api = api;
    this.#client = client;
  }

  /** Returns the account. Sends a request only if none was sent before. */
  request(): Promise<Account> {
    this.#account ??= this.#request();
    return this.#account;
  }

  /** Returns the account if it was requested before; sends nothing. */
  async cached(): Promise<Account | undefined> {
    return this.#account?.catch(() => undefined);
  }

  async #request(): Promise<Account> {
    const get = this.#api.account && operation(this.#api.account, 'get');
    if (!get) throw new Failure('not_found', "The API can't report the signed-in user.");
    return parseAccount((await (await this.#client()).get({ operation: get })).record);
  }
}
