/** Checks calls against the scopes of the token, and asks for approval of writes. */

import { isUndocumentedInclude, scopesToInclude } from '../../api/contract/include.ts';
import type { BodyField, Operation } from '../../api/contract/operation.ts';
import type { Scope } from '../../api/contract/scope.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { elapsedMs } from '../../base/stopwatch.ts';
import { parseClaims } from '../auth/jwt.ts';
import type { Call } from '../client/request.ts';
import { isStringArray } from '../client/shape.ts';
import { type AccountCache, openScopesCache } from '../settings/caches.ts';
import type { Settings } from '../settings/settings.ts';
import { accountKeyOf } from './account.ts';
import type { UnknownValue } from './known-values.ts';
import type { PlannedWrite, WriteObserver } from './observed-writes.ts';

/** The scopes of a token, and their source. */
export interface KnownScopes {
  scopes: readonly string[];
  /** The source: `whoami` within ten minutes, `whoami` when the profile signed in, or the claims of a JWT. */
  source: 'service' | 'sign-in' | 'token';
}

/**
 * The time that scopes are cached in memory, in milliseconds. It is short, because another process may update them;
 * without a cache, a run would read them for every row.
 */
const cacheMs = 1000;

/**
 * Returns the scopes of a token without a request. The response to `whoami` takes precedence over the claims of the
 * token, which can't be verified here (docs/reference/deployments.md: "URLs"). An empty list or `*` counts as
 * unknown: a token without any scope would be useless.
 */
export class TokenScopes {
  readonly #settings: Settings;
  /** Undefined without a token: the owner of an embedded service may do anything. */
  readonly #cache: AccountCache<readonly string[]> | undefined;
  #last: { current: KnownScopes | undefined; nowMs: number } | undefined;

  constructor(settings: Settings, env: Environment) {
    this.#settings = settings;
    this.#cache = settings.token && openScopesCache(env, accountKeyOf(settings));
  }

  /** Returns the scopes; undefined if they are unknown, so that the service decides. */
  current(): KnownScopes | undefined {
    const nowMs = elapsedMs();
    if (!this.#last || nowMs - this.#last.nowMs > cacheMs)
      this.#last = { current: this.#readScopes(), nowMs };
    return this.#last.current;
  }

  /** Stores the scopes that `whoami` has returned. */
  store(scopes: unknown): void {
    this.#last = undefined;
    if (isStringArray(scopes) && areUsable(scopes)) this.#cache?.put(scopes);
  }

  #readScopes(): KnownScopes | undefined {
    const { token, tokenScopes } = this.#settings;
    if (!token) return undefined;
    const cachedScopes = this.#cache?.get();
    if (areUsable(cachedScopes)) return { scopes: cachedScopes, source: 'service' };
    if (areUsable(tokenScopes)) return { scopes: tokenScopes, source: 'sign-in' };
    const claimedScopes = parseClaims(token.reveal())?.scopes;
    return areUsable(claimedScopes) ? { scopes: claimedScopes, source: 'token' } : undefined;
  }
}

function areUsable(scopes: readonly string[] | undefined): scopes is readonly string[] {
  return scopes !== undefined && scopes.length > 0 && !scopes.includes('*');
}

/** Returns a failure that names every missing scope; undefined if none is missing. Sends nothing. */
export function missingScopesFailure(call: Call, scopes: readonly string[]): Failure | undefined {
  const missing = missingScopes(call, scopes);
  if (missing === undefined) return undefined;
  const operationPart =
    missing.operation.length > 0 ? `it needs the scope ${missing.operation.join(' or ')}` : '';
  const fields = Object.fromEntries(
    Object.entries(missing.fields).map(([name, needed]) => [
      name,
      [`needs the scope ${needed.join(' or ')}`],
    ]),
  );
  const fieldsPart = Object.keys(fields).length > 0 ? 'some of its fields need other scopes' : '';
  const reasons = [operationPart, fieldsPart].filter(Boolean).join(', and ');
  return new Failure(
    'not_allowed',
    `The token doesn't allow \`${call.operation.command}\`: ${reasons}. Nothing was sent.`,
    {
      ...(fieldsPart && { fields }),
      hint: boh.hint`Sign in again with that scope, or add --unchecked to send the request anyway. If the scope was granted meanwhile: ${boh.profile('auth status', '--check')}`,
    },
  );
}

/** Returns the part of a body that a token with these scopes may send; all of it if they are unknown. */
function withinScopes({ body }: Operation, scopes: readonly string[] | undefined): Pick<Operation, 'body'> {
  const isAllowed = ({ field: { traits } }: BodyField) =>
    scopes === undefined || traits.writeScope === undefined || scopes.includes(traits.writeScope);
  return { body: body.filter(isAllowed) };
}

interface MissingScopes {
  /** The scopes of the operation, one of which is required; empty if the token has one of them. */
  operation: readonly Scope[];
  /** Fields and included relations that need their own scope. For each, one of the scopes is required. */
  fields: Readonly<Record<string, readonly Scope[]>>;
}

/**
 * Returns the missing scopes; undefined if none is missing. The API document doesn't say that scopes imply each other.
 */
function missingScopes(
  { operation, body = {}, query }: Call,
  scopes: readonly string[],
): MissingScopes | undefined {
  // Operations without a documented scope need only a token.
  const isAllowed = operation.scopes.length === 0 || operation.scopes.some((scope) => scopes.includes(scope));
  const fields = operation.body.flatMap((entry) => {
    const needed = Object.hasOwn(body, entry.name)
      ? missingForField(entry, body[entry.name], operation, scopes)
      : [];
    return needed.length > 0 ? [[entry.name, needed] as const] : [];
  });
  const relations = (query?.include ?? []).flatMap((path) => {
    if (isUndocumentedInclude(operation.resource, path)) return [];
    const neededScopes = scopesToInclude(operation.resource, path).find(
      (alternatives) => !alternatives.some((scope) => scopes.includes(scope)),
    );
    return neededScopes ? [[`include ${path}`, neededScopes] as const] : [];
  });
  const missingParts = [...fields, ...relations];
  if (isAllowed && missingParts.length === 0) return undefined;
  return { operation: isAllowed ? [] : operation.scopes, fields: Object.fromEntries(missingParts) };
}

function missingForField(
  { field: { traits } }: BodyField,
  value: unknown,
  operation: Operation,
  scopes: readonly string[],
): readonly Scope[] {
  const { writeScope, limitedByScope } = traits;
  if (writeScope && !scopes.includes(writeScope)) return [writeScope];
  if (
    !limitedByScope ||
    !scopes.includes(limitedByScope.scope) ||
    limitedByScope.values.some((allowedValue) => allowedValue === value)
  )
    return [];
  const otherScopes = operation.scopes.filter((scope) => scope !== limitedByScope.scope);
  return otherScopes.some((scope) => scopes.includes(scope)) ? [] : otherScopes;
}

/** Throws a usage failure for a protected profile, because no user can confirm the write. */
async function refuseProtectedProfile({ protection }: Settings): Promise<void> {
  if (protection)
    throw usage(
      `Profile ${protection.profile} is protected, and this can't be confirmed without a terminal.`,
    );
}

/** The options of a session that limit what it sends. */
export interface PermissionsOptions {
  settings: Settings;
  env: Environment;
  /** Writes are planned and not sent; reads are still sent, to resolve names. */
  dryRun?: boolean | undefined;
  /** Skips the checks against the contract and against the token's scopes. */
  unchecked?: boolean | undefined;
  /**
   * Called once before the first write, with that write if it is in the contract; throws to prevent it. Without this
   * function, writes to a protected profile are refused.
   */
  approve?: ((settings: Settings, call?: Call) => Promise<void>) | undefined;
  observers?: readonly WriteObserver[] | undefined;
  /** Makes values that neither the API document nor the account has a failure instead of a warning. */
  strictValues?: boolean | undefined;
  /** Called with a message about such values, and about other fields that the service refuses. */
  onWarning?: ((message: string) => void) | undefined;
}

/** Checks calls against the scopes of the token, and asks for approval before the first write. */
export class Permissions {
  readonly #options: PermissionsOptions;
  readonly #connect: () => Promise<unknown>;
  #scopes: TokenScopes | undefined;
  #approved: Promise<void> | undefined;

  /** `connect` throws a failure without a base URL or a token. */
  constructor(options: PermissionsOptions, connect: () => Promise<unknown>) {
    this.#options = options;
    this.#connect = connect;
  }

  get scopes(): TokenScopes {
    this.#scopes ??= new TokenScopes(this.#options.settings, this.#options.env);
    return this.#scopes;
  }

  /** Throws `not_allowed` if a call is outside the known scopes of the token. Sends nothing. */
  async checkPermission(call: Call): Promise<void> {
    const { unchecked, dryRun, settings } = this.#options;
    if (unchecked) return;
    // A dry run needs neither a token nor a base URL.
    if (!dryRun) await this.#connect();
    else if (settings.token === undefined) return;
    const current = this.scopes.current();
    const failure = current && missingScopesFailure(call, current.scopes);
    if (failure) throw failure;
  }

  /** Returns the part of an update that the token may send. */
  withinScopes(update: Operation): Pick<Operation, 'body'> {
    return withinScopes(update, this.#options.unchecked ? undefined : this.scopes.current()?.scopes);
  }

  /** Reports values that neither the API document nor the account has. Throws `usage` with `strictValues`. */
  reportUnknown(values: readonly UnknownValue[]): void {
    const { strictValues, onWarning } = this.#options;
    const describe = ({ description, location = '' }: UnknownValue) =>
      `${description}${location && ` (${location})`}`;
    if (strictValues && values.length > 0) {
      const byPath = Object.groupBy(values, ({ path }) => path);
      throw usage('Some values are unknown (--strict-values). Nothing was sent.', {
        fields: Object.fromEntries(
          Object.entries(byPath).map(([path, group = []]) => [path, group.map(describe)]),
        ),
      });
    }
    for (const value of values) onWarning?.(`${value.path} of ${value.resource.nouns}: ${describe(value)}.`);
  }

  /** Reports planned writes to the observers before the user confirms them; `approve` and `write` also do this. */
  async notifyPlanned(writes: readonly PlannedWrite[]): Promise<void> {
    for (const observer of this.#options.observers ?? []) await observer.onPlanned?.(writes);
  }

  /** Checks a write against the scopes, reports it as planned, and asks for approval once, before other prompts. */
  async approve(call?: Call): Promise<void> {
    const { approve, settings } = this.#options;
    if (call) await this.checkPermission(call);
    if (call) await this.notifyPlanned([call]);
    this.#approved ??= approve ? approve(settings, call) : refuseProtectedProfile(settings);
    await this.#approved;
  }
}
