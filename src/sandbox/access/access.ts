/** Checks what a token may do: the scopes of operations and fields, and values that a scope is limited to. */
import type { Field } from '../../api/contract/field.ts';
import { type BodyField, type Operation, requiredScopes } from '../../api/contract/operation.ts';
import type { Scope } from '../../api/contract/scope.ts';
import type { StoredRow } from '../../base/storage/database.ts';
import { unauthenticated, unauthorized } from '../http/message.ts';
import type { Grant } from './tokens.ts';

/**
 * Returns the token of a request. The scheme is case-sensitive: "bearer" is refused (API document: "Authentication", 1).
 */
export function bearerToken(authorization = ''): string {
  const [, token] = /^Bearer ([^\s]+)$/.exec(authorization) ?? [];
  if (token === undefined) throw unauthenticated();
  return token;
}

/** Refuses the operation unless the token has one of its scopes. */
export function requireScope(operation: Operation, grant: Grant): void {
  const scopes = requiredScopes(operation);
  if (scopes.length === 0 || scopes.some((scope) => grant.scopes.has(scope))) return;
  throw unauthorized(`It requires ${describeScopes(scopes)}.`);
}

/** Refuses fields that the token may not write. */
export function requireFieldScopes(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
  grant: Grant,
): void {
  for (const { name, field } of fields) {
    const scope = field.traits.writeScope;
    if (scope && Object.hasOwn(body, name) && !grant.scopes.has(scope)) {
      throw unauthorized(`Writing ${name} requires ${describeScopes([scope])}.`);
    }
  }
}

/**
 * Refuses values that a limited scope doesn't allow. For example, `orders.limited.pay` allows only third-party
 * payment methods.
 */
export function requireAllowedValues(
  { resource, scopes }: Operation,
  grant: Grant,
  record: StoredRow | Readonly<Record<string, unknown>>,
): void {
  const scopesExcept = (limit: Scope) => scopes.filter((scope) => scope !== limit);
  for (const [name, { traits }] of Object.entries(resource.fields)) {
    const { scope, values } = traits.limitedByScope ?? {};
    if (!scope || !values || !scopes.includes(scope)) continue;
    if (scopesExcept(scope).some((other) => grant.scopes.has(other))) continue;
    const value = record[name];
    // The validation refuses missing values and values of the wrong kind.
    if (typeof value === 'number' && !values.includes(value)) {
      throw unauthorized(
        `With only ${scope}, ${name} can be ${values.join(' or ')}. Other values require ${describeScopes(scopesExcept(scope))}.`,
      );
    }
  }
}

/** Returns whether responses to this token include the field. */
export function canReadField({ traits: { readScope } }: Field, grant: Grant): boolean {
  return readScope === undefined || grant.scopes.has(readScope);
}

/** Returns the scopes for a message: "the scope x" or "one of the scopes x, y". */
export function describeScopes(scopes: readonly Scope[]): string {
  return scopes.length === 1 ? `the scope ${scopes[0]}` : `one of the scopes ${scopes.join(', ')}`;
}
