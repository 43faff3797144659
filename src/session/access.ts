/** Reads an account within the scopes of the token. It connects on the first request. */
import { Failure, usage } from '../base/errors.ts';
import type { Page } from '../client/answer.ts';
import type { Answered, Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Row } from '../client/shape.ts';
import { scopesToInclude } from '../contract/include.ts';
import type { Resource } from '../contract/resource.ts';
import { openReferenceCache } from '../settings/caches.ts';
import { type Account, accountKeyOf, WhoamiRequest } from './account.ts';
import { type Connection, type ConnectionOptions, connect } from './connection.ts';
import type { WriteReader } from './observed-writes.ts';
import type { Permissions } from './permissions.ts';
import { openReferences, type References } from './references.ts';

/** The options of an access: see `SessionOptions`. */
export interface AccessOptions extends ConnectionOptions {
  offline?: boolean | undefined;
}

/** Reads an account for its session and for observers of writes. */
export class Access implements WriteReader {
  readonly #options: AccessOptions;
  readonly #permissions: () => Permissions;
  readonly whoamiRequest: WhoamiRequest;
  #connection: Promise<Connection> | undefined;
  #client: Client | undefined;
  #accountKey: string | undefined;
  #references: References | undefined;

  constructor(options: AccessOptions, permissions: () => Permissions) {
    this.#options = options;
    this.#permissions = permissions;
    this.whoamiRequest = new WhoamiRequest(options.api, () => this.client(), options.signal);
  }

  /** Returns the connection. Throws a usage failure without an address, and `not_signed_in` without a token. */
  connected(): Promise<Connection> {
    this.#connection ??= connect(this.#options);
    return this.#connection;
  }

  /** Returns a client that stays within the scopes of the token. Throws offline. */
  async client(): Promise<Client> {
    if (this.#options.offline)
      throw usage("This command can't be used with --offline: it reads from the service.");
    this.#client ??= this.#within((await this.connected()).client, await this.references());
    return this.#client;
  }

  async get(call: Call): Promise<Answered> {
    return (await this.client()).get(call);
  }

  whoami(): Promise<Account | undefined> {
    return this.whoamiRequest.known();
  }

  async accountKey(): Promise<string> {
    await this.connected();
    this.#accountKey ??= accountKeyOf(this.#options.settings);
    return this.#accountKey;
  }

  /** Returns the names of records that the API can't list, as answers to this account have shown them. */
  async references(): Promise<References> {
    const { api, env } = this.#options;
    const key = await this.accountKey();
    this.#references ??= openReferences(api, openReferenceCache(env, key));
    return this.#references;
  }

  async close(): Promise<void> {
    (await this.#connection?.catch(() => undefined))?.close();
  }

  /** Also remembers additional facts in answers: the token's scopes, and names. */
  #within(client: Client, references: References): Client {
    const permissions = this.#permissions();
    const { scopes } = permissions;
    const learn = ({ operation: { resource } }: Call, record: Row) => {
      if (resource === this.#options.api.account) scopes.learn(record.scopes);
      references.see(resource, [record]);
      references.keep();
    };
    return {
      raw: (request, operation) => client.raw(request, operation),
      rawPages: (target) => client.rawPages(target),
      get: async (call) => {
        await permissions.permit(call);
        const answered = await getWithOptional(call, scopes.known()?.scopes, (it) => client.get(it));
        learn(call, answered.record);
        return answered;
      },
      pages: async function* (call) {
        await permissions.permit(call);
        try {
          const pages = pagesWithOptional(call, scopes.known()?.scopes, (it) => client.pages(it));
          for await (const page of pages) {
            references.see(call.operation.resource, page.rows);
            yield page;
          }
        } finally {
          references.keep();
        }
      },
      write: async (call) => {
        await permissions.permit(call);
        const answered = await client.write(call);
        if (answered) learn(call, answered.record);
        return answered;
      },
    };
  }
}

/** Returns whether a token with these scopes may read the records that a path of relations passes. */
function mayInclude(resource: Resource, path: string, scopes: readonly string[]): boolean {
  return scopesToInclude(resource, path).every((needed) => needed.some((one) => scopes.includes(one)));
}

/**
 * Sends the call with the relations that the token may read. If that isn't known, sends it again without the others.
 */
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

/** Does the same for a list: its first page shows whether the token may read all relations. */
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

/** Returns the full call, and `plain` if the full call could be refused because of optional relations. */
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
