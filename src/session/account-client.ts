/** A client that stays within the scopes of its token, and takes note of what answers tell beyond what was asked. */
import { Failure } from '../base/errors.ts';
import type { Page } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Row } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';
import { scopesToInclude } from '../contract/include.ts';
import type { Resource } from '../contract/resource.ts';
import type { References } from './references.ts';
import type { TokenScopes } from './token-scopes.ts';

export interface AccountClientOptions {
  api: Api;
  /** Throws where a call is outside the scopes. */
  permit(call: Call): Promise<void>;
  scopes: TokenScopes;
  references: References;
}

export function accountClient(
  underneath: Client,
  { api, permit, scopes, references }: AccountClientOptions,
): Client {
  const learn = ({ operation: { resource } }: Call, record: Row) => {
    if (resource === api.account) scopes.learn(record.scopes);
    references.see(resource, [record]);
    references.keep();
  };
  return {
    ...underneath,
    get: async (call) => {
      await permit(call);
      const answered = await getWithOptional(call, scopes.known()?.scopes, underneath.get);
      learn(call, answered.record);
      return answered;
    },
    pages: async function* (call) {
      await permit(call);
      try {
        for await (const page of pagesWithOptional(call, scopes.known()?.scopes, underneath.pages)) {
          references.see(call.operation.resource, page.rows);
          yield page;
        }
      } finally {
        references.keep();
      }
    },
    write: async (call) => {
      await permit(call);
      const answered = await underneath.write(call);
      if (answered) learn(call, answered.record);
      return answered;
    },
  };
}

/** Whether a token with these scopes may see what a path of relations leads through. */
function mayInclude(resource: Resource, path: string, scopes: readonly string[]): boolean {
  return scopesToInclude(resource, path).every((needed) => needed.some((one) => scopes.includes(one)));
}

/** Sends the call with what the token may see; once more without the rest, where that isn't known before. */
async function getWithOptional<Answer>(
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
async function* pagesWithOptional(
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
