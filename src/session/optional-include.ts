/** Relations that a request would show in full and can do without: left out where the token may not see them. */
import type { Page } from '../client/answer.ts';
import type { Call } from '../client/request.ts';
import { scopesToInclude } from '../contract/include.ts';
import type { Resource } from '../contract/resource.ts';
import { Failure } from '../errors.ts';

/** Whether a token with these scopes may see what a path of relations leads through. */
function mayInclude(resource: Resource, path: string, scopes: readonly string[]): boolean {
  return scopesToInclude(resource, path).every((needed) => needed.some((one) => scopes.includes(one)));
}

/** Sends the call with what the token may see; once more without the rest, where that isn't known before. */
export async function getWithOptional<Answer>(
  call: Call,
  scopes: readonly string[] | undefined,
  send: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const { full, plain } = ways(call, scopes);
  try {
    return await send(full);
  } catch (error) {
    if (!plain || !isNotAllowed(error)) throw error;
    return send(plain);
  }
}

/** The same for a list: its first page shows whether the service lets the token see all. */
export async function* pagesWithOptional(
  call: Call,
  scopes: readonly string[] | undefined,
  send: (call: Call) => AsyncGenerator<Page>,
): AsyncGenerator<Page> {
  const { full, plain } = ways(call, scopes);
  let hasBegun = false;
  try {
    for await (const page of send(full)) {
      hasBegun = true;
      yield page;
    }
    return;
  } catch (error) {
    if (hasBegun || !plain || !isNotAllowed(error)) throw error;
  }
  yield* send(plain);
}

/** `plain` is there where the full call could be refused for what it can do without. */
function ways(call: Call, scopes: readonly string[] | undefined): { full: Call; plain: Call | undefined } {
  const { optional, ...query } = call.query ?? {};
  if (!optional?.length) return { full: call, plain: undefined };
  const { resource } = call.operation;
  const open = scopes ? optional.filter((path) => mayInclude(resource, path, scopes)) : optional;
  const include = [...(query.include ?? []), ...open];
  const plain = { ...call, query };
  return { full: { ...call, query: { ...query, include } }, plain: open.length > 0 ? plain : undefined };
}

function isNotAllowed(error: unknown): boolean {
  return error instanceof Failure && error.category === 'not_allowed';
}
