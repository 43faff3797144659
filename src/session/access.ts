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
import { openReferenceNames, type ReferenceNames } from './references.ts';

/** The options of `Access`; see `SessionOptions`. */
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
  #references: ReferenceNames | undefined;

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
    this.#client ??= this.#observedClient((await this.connected()).client, await this.references());
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
  async references(): Promise<ReferenceNames> {
    const { api, env } = this.#options;
    const key = await this.accountKey();
    this.#references ??= openReferenceNames(api, openReferenceCache(env, key));
    return this.#references;
  }

  async close(): Promise<void> {
    (await this.#connection?.catch(() => undefined))?.close();
  }

  /** Returns a client that checks scopes, and stores the scopes and names that answers contain. */
  #observedClient(client: Client, references: ReferenceNames): Client {
    const permissions = this.#permissions();
    const { scopes } = permissions;
    const record = ({ operation: { resource } }: Call, record: Row) => {
      if (resource === this.#options.api.account) scopes.store(record.scopes);
      references.collect(resource, [record]);
      references.store();
    };
    return {
      raw: (request, operation) => client.raw(request, operation),
      rawPages: (target) => client.rawPages(target),
      get: async (call) => {
        await permissions.checkPermission(call);
        const answered = await getWithOptional(call, scopes.known()?.scopes, (it) => client.get(it));
        record(call, answered.record);
        return answered;
      },
      pages: async function* (call) {
        await permissions.checkPermission(call);
        try {
          const pages = pagesWithOptional(call, scopes.known()?.scopes, (it) => client.pages(it));
          for await (const page of pages) {
            references.collect(call.operation.resource, page.rows);
            yield page;
          }
        } finally {
          references.store();
        }
      },
      write: async (call) => {
        await permissions.checkPermission(call);
        const answered = await client.write(call);
        if (answered) record(call, answered.record);
        return answered;
      },
    };
  }
}

/** Returns whether a token with these scopes may read all records on a path of relations. */
function mayInclude(resource: Resource, path: string, scopes: readonly string[]): boolean {
  return scopesToInclude(resource, path).every((needed) => needed.some((one) => scopes.includes(one)));
}

/**
 * Sends the call with its optional relations. If the scopes are unknown and the service refuses them, sends it without.
 */
async function getWithOptional<Answer>(
  call: Call,
  scopes: readonly string[] | undefined,
  send: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const { full: withOptional, plain: withoutOptional } = withAndWithoutOptional(call, scopes);
  try {
    return await send(withOptional);
  } catch (error) {
    if (!withoutOptional || !isNotAllowed(error)) throw error;
    return send(withoutOptional);
  }
}

/** Does the same for a list, whose first page shows whether the token may read the relations. */
async function* pagesWithOptional(
  call: Call,
  scopes: readonly string[] | undefined,
  send: (call: Call) => AsyncGenerator<Page>,
): AsyncGenerator<Page> {
  const { full, plain } = withAndWithoutOptional(call, scopes);
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

/** Returns the call with the optional relations that the token may read, and without them if that could be refused. */
function withAndWithoutOptional(
  call: Call,
  scopes: readonly string[] | undefined,
): { full: Call; plain: Call | undefined } {
  const { optional, ...query } = call.query ?? {};
  if (!optional?.length) return { full: call, plain: undefined };
  const { resource } = call.operation;
  const open = scopes ? optional.filter((path) => mayInclude(resource, path, scopes)) : optional;
  const include = [...(query.include ?? []), ...open];
  const plainCall = { ...call, query };
  return { full: { ...call, query: { ...query, include } }, plain: open.length > 0 ? plainCall : undefined };
}

function isNotAllowed(error: unknown): boolean {
  return error instanceof Failure && error.category === 'not_allowed';
}
