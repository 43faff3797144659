/**
 * Identifies the account of a token by the answer to `whoami`, and fills in fields that stand for its user. Document:
 * "Whoami object".
 */
import { Failure } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { isRow, isStringArray, type Row } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import { type Operation, operation } from '../contract/operation.ts';
import { flagName } from '../contract/text.ts';
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

/** Reads the account from the answer. */
function readAccount({ user, business, scopes }: Row): Account {
  const [person, company] = [isRow(user) ? user : {}, isRow(business) ? business : {}];
  return {
    ...text('userId', person.id),
    ...text('userName', person.name),
    ...text('businessId', company.id),
    ...text('businessName', company.name),
    ...(company.is_blocked === true && { isBlocked: true }),
    ...(isStringArray(scopes) && { scopes }),
  };
}

/** Returns a hash of the token in use and its address, which reveals neither. */
export function accountKeyOf(settings: Settings): string {
  return whoamiKey(endpointName(settings) + settings.apiPrefix, settings.token);
}

/** How long to wait for the answer. */
export interface WhoamiOptions {
  /** The longest wait in milliseconds, including retries; then the call fails as `unavailable`. */
  maxWaitMs: number;
}

/** Returns the account; empty if the token may not read it. Sends at most one request. */
export async function accountIfShown(
  session: { whoami(options?: WhoamiOptions): Promise<Account> },
  options?: WhoamiOptions,
): Promise<Account> {
  try {
    return await session.whoami(options);
  } catch (error) {
    const isAnswer =
      error instanceof Failure && ['not_allowed', 'not_found', 'refused'].includes(error.category);
    if (isAnswer) return {};
    throw error;
  }
}

/** Returns the fields of a new record that are left out and stand for the signed-in user. */
export function missingUsers({ operation, body = {} }: Call): Operation['body'] {
  if (operation.effect !== 'create') return [];
  return operation.body.filter(
    ({ name, field }) => field.traits.defaultsToSignedInUser && body[name] === undefined,
  );
}

/** Returns the call with the signed-in user in the fields that stand for it (docs/reference/deployments.md: "Values"). */
export async function withSignedInUser(call: Call, signedInUser: () => Promise<string>): Promise<Call> {
  const { operation, body = {} } = call;
  const missing = missingUsers(call);
  if (missing.length === 0) return call;
  const id = await signedInUser();
  const given: Row = { ...body, ...Object.fromEntries(missing.map(({ name }) => [name, id])) };
  // In the order of the fields; what the contract doesn't know follows behind.
  const known = operation.body.map(({ name }) => name).filter((name) => Object.hasOwn(given, name));
  return { ...call, body: { ...Object.fromEntries(known.map((name) => [name, given[name]])), ...given } };
}

/** Returns the id of the signed-in user. Throws where the service doesn't say who it is. */
export function signedInUser({ userId }: Account, { body }: Operation): string {
  if (userId !== undefined) return userId;
  const own = body.find(({ field }) => field.traits.defaultsToSignedInUser)?.name ?? '';
  throw new Failure('unavailable', "The service doesn't report the signed-in user.", {
    hint: `Add the user: --${flagName(own)} ID`,
  });
}

/** Returns a text field. Some services write ids as numbers, which identify businesses as well. */
function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  const shown = typeof value === 'number' ? String(value) : value;
  return typeof shown === 'string' && shown !== '' ? ({ [name]: shown } as Record<Name, string>) : {};
}

/** Requests the account of the token once. A failure is remembered too, except that of a short wait. */
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

  answer(options?: WhoamiOptions): Promise<Account> {
    if (options && !this.#account) return this.#askWithin(options.maxWaitMs);
    this.#account ??= this.#ask();
    return this.#account;
  }

  /** Returns the account if it was requested before. */
  async known(): Promise<Account | undefined> {
    return this.#account?.catch(() => undefined);
  }

  async #ask(until?: AbortSignal): Promise<Account> {
    const get = this.#api.account && operation(this.#api.account, 'get');
    if (!get) throw new Failure('unavailable', "The API can't report the signed-in user.");
    const client = await this.#client();
    return readAccount((await client.get({ operation: get, until })).record);
  }

  async #askWithin(maxWaitMs: number): Promise<Account> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(tooLate(maxWaitMs)), maxWaitMs);
    try {
      const signals = [deadline.signal, ...(this.#signal ? [this.#signal] : [])];
      const account = await this.#ask(AbortSignal.any(signals));
      this.#account ??= Promise.resolve(account);
      return account;
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLate(maxWaitMs: number): Failure {
  const seconds = maxWaitMs / 1000;
  return new Failure('unavailable', `The service didn't report the signed-in user within ${seconds} s.`, {
    hint: boh.hint`To try again: ${boh.account('whoami')}`,
  });
}
