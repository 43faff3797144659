/**
 * Identifies the account of a token with `whoami`, and fills in fields whose default is its user. Document:
 * "Whoami object".
 */
import { Failure } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { isRow, isStringArray, type Row } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import { type Operation, operation } from '../contract/operation.ts';
import { flagName } from '../contract/value-text.ts';
import { whoamiKey } from '../settings/caches.ts';
import { endpointName, type Settings } from '../settings/settings.ts';

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
  return whoamiKey(endpointName(settings) + settings.apiPrefix, settings.token);
}

/** The options of `whoami`. */
export interface WhoamiOptions {
  /** The maximum wait in milliseconds, including retries. After it the call fails as `unavailable`. */
  maxWaitMs: number;
}

/** Returns the account, or an empty object if the service refuses `whoami`. Sends at most one request. */
export async function accountIfReadable(
  session: { whoami(options?: WhoamiOptions): Promise<Account> },
  options?: WhoamiOptions,
): Promise<Account> {
  try {
    return await session.whoami(options);
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

/**
 * Requests the account of the token once, and caches the result. A failure is cached too, except a timeout of
 * `maxWaitMs`.
 */
export class WhoamiRequest {
  readonly #api: Api;
  readonly #client: () => Promise<Client>;
  readonly #signal: AbortSignal | undefined;
  #account: Promise<Account> | undefined;

  constructor(api: Api, client: () => Promise<Client>, signal: AbortSignal | undefined) {
    this.#api = api;
    this.#client = client;
    this.#signal = signal;
  }

  /** Returns the account. Sends a request only if none was sent before. */
  request(options?: WhoamiOptions): Promise<Account> {
    if (options && !this.#account) return this.#requestWithin(options.maxWaitMs);
    this.#account ??= this.#request();
    return this.#account;
  }

  /** Returns the account if it was requested before; sends nothing. */
  async cached(): Promise<Account | undefined> {
    return this.#account?.catch(() => undefined);
  }

  async #request(deadline?: AbortSignal): Promise<Account> {
    const get = this.#api.account && operation(this.#api.account, 'get');
    if (!get) throw new Failure('unavailable', "The API can't report the signed-in user.");
    const client = await this.#client();
    return parseAccount((await client.get({ operation: get, signal: deadline })).record);
  }

  async #requestWithin(maxWaitMs: number): Promise<Account> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(timeoutFailure(maxWaitMs)), maxWaitMs);
    try {
      const signals = [deadline.signal, ...(this.#signal ? [this.#signal] : [])];
      const account = await this.#request(AbortSignal.any(signals));
      this.#account ??= Promise.resolve(account);
      return account;
    } finally {
      clearTimeout(timer);
    }
  }
}

function timeoutFailure(maxWaitMs: number): Failure {
  const seconds = maxWaitMs / 1000;
  return new Failure('unavailable', `The service didn't report the signed-in user within ${seconds} s.`, {
    hint: boh.hint`To try again: ${boh.account('whoami')}`,
  });
}
