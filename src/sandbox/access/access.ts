/** What a token may do: the operation's scopes, those of single fields, and values that a scope is limited to. */
import type { Field } from '../../contract/field.ts';
import { type BodyField, demandedScopes, type Operation } from '../../contract/operation.ts';
import type { Scope } from '../../contract/scope.ts';
import { unauthenticated, unauthorized } from '../http/refusal.ts';
import type { StoredRow } from '../store/cells.ts';
import type { Grant } from './tokens.ts';

/** The token of a request. The scheme is case sensitive: "bearer" is refused. Document: "Authentication", 1. */
export function bearerToken(authorization = ''): string {
  const [, token] = /^Bearer ([^\s]+)$/.exec(authorization) ?? [];
  if (token === undefined) throw unauthenticated();
  return token;
}

/** Any one of the scopes that the operation demands is enough. */
export function demandScope(operation: Operation, grant: Grant): void {
  const scopes = demandedScopes(operation);
  if (scopes.length === 0 || scopes.some((scope) => grant.scopes.has(scope))) return;
  throw unauthorized(`It needs ${anyOf(scopes)}.`);
}

/** Fields that only some tokens may write. */
export function demandFieldScopes(
  fields: readonly BodyField[],
  body: Readonly<Record<string, unknown>>,
  grant: Grant,
): void {
  for (const { name, field } of fields) {
    const scope = field.traits.writeScope;
    if (scope && Object.hasOwn(body, name) && !grant.scopes.has(scope)) {
      throw unauthorized(`Writing ${name} needs ${anyOf([scope])}.`);
    }
  }
}

/** A scope that reaches only some values: third-party payment methods for `orders.limited.pay`. */
export function demandUnlimited(
  { resource, scopes }: Operation,
  grant: Grant,
  record: StoredRow | Readonly<Record<string, unknown>>,
): void {
  const others = (limit: Scope) => scopes.filter((scope) => scope !== limit);
  for (const [name, { traits }] of Object.entries(resource.fields)) {
    const { scope, values } = traits.limited ?? {};
    if (!scope || !values || !scopes.includes(scope)) continue;
    if (others(scope).some((other) => grant.scopes.has(other))) continue;
    const value = record[name];
    // A value that is missing or of the wrong kind is for validation to refuse.
    if (typeof value === 'number' && !values.includes(value)) {
      throw unauthorized(
        `With ${scope} alone, ${name} can only be ${values.join(' or ')}; else it needs ${anyOf(others(scope))}.`,
      );
    }
  }
}

/** Whether answers to this token show the field. */
export function isShown({ traits: { readScope } }: Field, grant: Grant): boolean {
  return readScope === undefined || grant.scopes.has(readScope);
}

export function anyOf(scopes: readonly Scope[]): string {
  return scopes.length === 1 ? `the scope ${scopes[0]}` : `one of the scopes ${scopes.join(', ')}`;
}
