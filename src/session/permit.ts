/** What a call needs beyond the scopes of a token: some deployments lock an address out after 60 refusals. */
import { Failure, usage } from '../base/errors.ts';
import type { Call } from '../client/request.ts';
import { scopesToInclude } from '../contract/include.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import type { Scope } from '../contract/scope.ts';
import type { Settings } from '../settings/settings.ts';

/** The failure that names every scope that is missing; undefined where none is. Nothing is asked of the service. */
export function scopeRefusal(call: Call, scopes: readonly string[]): Failure | undefined {
  const lacks = lacking(call, scopes);
  if (lacks === undefined) return undefined;
  const need = lacks.operation.length > 0 ? `it needs the scope ${lacks.operation.join(' or ')}` : '';
  const fields = Object.fromEntries(
    Object.entries(lacks.fields).map(([name, needed]) => [name, [`needs the scope ${needed.join(' or ')}`]]),
  );
  const some = Object.keys(fields).length > 0 ? 'some of what it holds needs a scope of its own' : '';
  const what = [need, some].filter(Boolean).join(', and ');
  return new Failure(
    'not_allowed',
    `The token does not allow \`${call.operation.command}\`: ${what}. Nothing was sent.`,
    {
      ...(some && { fields }),
      hint:
        'Sign in again with that scope. If it was given since, `boh auth status --check` takes note of it; ' +
        '--unchecked sends the request all the same.',
    },
  );
}

/** The part of a body that a token with these scopes may send; all of it where they aren't known. */
export function withinScopes(
  { body }: Operation,
  scopes: readonly string[] | undefined,
): Pick<Operation, 'body'> {
  const isOpen = ({ field: { traits } }: BodyField) =>
    scopes === undefined || traits.writeScope === undefined || scopes.includes(traits.writeScope);
  return { body: body.filter(isOpen) };
}

interface Lacking {
  /** Scopes of the operation, of which any one would do; none where the token has one of them. */
  operation: readonly Scope[];
  /** Fields and included relations that need a scope of their own, with the scopes of which any one would do. */
  fields: Readonly<Record<string, readonly Scope[]>>;
}

/** Undefined where nothing is lacking. Which scope implies another is not documented, so none does. */
function lacking({ operation, body = {}, query }: Call, scopes: readonly string[]): Lacking | undefined {
  // Where the document shows no scope, being signed in is enough as far as anyone knows.
  const isEnough = operation.scopes.length === 0 || operation.scopes.some((scope) => scopes.includes(scope));
  const fields = operation.body.flatMap((entry) => {
    const needed = Object.hasOwn(body, entry.name)
      ? neededFor(entry, body[entry.name], operation, scopes)
      : [];
    return needed.length > 0 ? [[entry.name, needed] as const] : [];
  });
  const relations = (query?.include ?? []).flatMap((path) => {
    const closed = scopesToInclude(operation.resource, path).find(
      (needed) => !needed.some((scope) => scopes.includes(scope)),
    );
    return closed ? [[`include ${path}`, closed] as const] : [];
  });
  const others = [...fields, ...relations];
  if (isEnough && others.length === 0) return undefined;
  return { operation: isEnough ? [] : operation.scopes, fields: Object.fromEntries(others) };
}

/** A scope that the field has of its own, or one for values beyond those that the token's scope is limited to. */
function neededFor(
  { field: { traits } }: BodyField,
  value: unknown,
  operation: Operation,
  scopes: readonly string[],
): readonly Scope[] {
  const { writeScope, limited } = traits;
  if (writeScope && !scopes.includes(writeScope)) return [writeScope];
  if (!limited || !scopes.includes(limited.scope) || limited.values.some((one) => one === value)) return [];
  const others = operation.scopes.filter((scope) => scope !== limited.scope);
  return others.some((scope) => scopes.includes(scope)) ? [] : others;
}

/** For programs that can ask nobody. */
export async function refuseProtected({ protection }: Settings): Promise<void> {
  if (protection)
    throw usage(`Profile ${protection.profile} is protected, and there is nobody to confirm this.`);
}
