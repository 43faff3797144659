/** Reads an account within the scopes of the token. It connects on the first request. */
import { usage } from '../../base/errors.ts';
import type { Client, RecordResponse } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { type Envelope, recordIn, rowsIn } from '../client/response.ts';
import { parseJson, type Row } from '../client/shape.ts';
import { type AccountInUse, accountKeyOf, identifyAccount, WhoamiRequest, withReported } from './account.ts';
import { type Connection, type ConnectionOptions, connect } from './connection.ts';
import { KnownValues } from './known-values.ts';
import { asksForDeleted, isDeleted } from './list.ts';
import type { WriteReader } from './observed-writes.ts';
import type { Permissions } from './permissions.ts';
import { openReferenceCache, openReferenceNames, type ReferenceNames } from './references.ts';
import { RelationReader } from './relation-reader.ts';
import { openServiceFacts, ServiceBehavior, type ServiceFactsCache } from './service-behavior.ts';

/** The options of a session for reading. */
export interface AccessOptions extends ConnectionOptions {
  /** Sends nothing at all: names stay unresolved. Use it with `dryRun`. */
  offline?: boolean | undefined;
  unchecked?: boolean | undefined;
}

/** Reads an account for its session and for observers of writes. */
export class Access implements WriteReader {
  readonly #options: AccessOptions;
  readonly #permissions: () => Permissions;
  readonly whoamiRequest: WhoamiRequest;
  #connection: Promise<Connection> | undefined;
  #client: Client | undefined;
  readonly #accountKey: string;
  #account: Promise<AccountInUse> | undefined;
  #references: ReferenceNames | undefined;
  #facts: ServiceFactsCache | undefined;
  #knownValues: KnownValues | undefined;
  #behavior: ServiceBehavior | undefined;

  constructor(options: AccessOptions, permissions: () => Permissions) {
    this.#options = options;
    this.#permissions = permissions;
    this.#accountKey = accountKeyOf(options.settings);
    this.whoamiRequest = new WhoamiRequest(options.api, () => this.client());
  }

  /** Returns the connection. Throws a usage failure without a base URL, and `not_signed_in` without a token. */
  connected(): Promise<Connection> {
    this.#connection ??= connect(this.#options);
    return this.#connection;
  }

  /** Returns a client that stays within the scopes of the token. Throws offline. */
  async client(): Promise<Client> {
    if (this.#options.offline)
      throw usage("This command can't be used with --offline: it reads from the service.");
    this.#client ??= this.#observedClient(
      (await this.connected()).client,
      await this.references(),
      await this.knownValues(),
      await this.behavior(),
    );
    return this.#client;
  }

  async get(call: Call): Promise<RecordResponse> {
    return (await this.client()).get(call);
  }

  async account(): Promise<AccountInUse> {
    const { settings, env } = this.#options;
    const whoami = this.whoamiRequest;
    this.#account ??= identifyAccount(settings, { whoami: () => whoami.request() }, env);
    return withReported(await this.#account, (await whoami.cached()) ?? {});
  }

  /** Returns the names of records that the API can't list, collected from earlier responses to this account. */
  async references(): Promise<ReferenceNames> {
    const { api, env } = this.#options;
    this.#references ??= openReferenceNames(api, openReferenceCache(env, this.#accountKey));
    return this.#references;
  }

  /** Returns what the account's service has shown of its behavior. */
  async facts(): Promise<ServiceFactsCache> {
    this.#facts ??= openServiceFacts(this.#options.env, this.#accountKey);
    return this.#facts;
  }

  /** Returns the values of enumerations that the account has and that the API document doesn't list. */
  async knownValues(): Promise<KnownValues> {
    const facts = await this.facts();
    this.#knownValues ??= new KnownValues(this.#options.api, facts);
    return this.#knownValues;
  }

  async behavior(): Promise<ServiceBehavior> {
    const { sandbox } = this.#options.settings;
    this.#behavior ??= new ServiceBehavior(sandbox === undefined ? await this.facts() : undefined);
    return this.#behavior;
  }

  /** Whether lists are known to contain deleted records that no filter asks for. */
  get listsDeleted(): boolean {
    return this.#behavior?.listsDeleted ?? false;
  }

  async close(): Promise<void> {
    (await this.#connection?.catch(() => undefined))?.close();
  }

  /** Returns a client that checks scopes, and stores the scopes, names and values that responses contain. */
  #observedClient(
    client: Client,
    references: ReferenceNames,
    values: KnownValues,
    behavior: ServiceBehavior,
  ): Client {
    const permissions = this.#permissions();
    const { scopes } = permissions;
    const reader = new RelationReader({
      client,
      behavior,
      scopes: () => scopes.current()?.scopes,
      sendsAll: this.#options.unchecked ?? false,
    });
    const collect = ({ operation: { resource } }: Call, records: readonly Row[]) => {
      references.collect(resource, records);
      values.collect(resource, records);
    };
    const store = () => {
      references.store();
      values.store();
    };
    const storeScopesAndNames = (call: Call, record: Row) => {
      if (call.operation.resource === this.#options.api.account) scopes.store(record.scopes);
      collect(call, [record]);
      store();
    };
    return {
      raw: async (request, operation) => {
        const result = await client.raw(request, operation);
        const rows = rawRows(result.response.body, this.#options.settings.wire.envelope);
        references.collectRaw(request.target, rows);
        references.store();
        return result;
      },
      rawPages: async function* (target) {
        for await (const page of client.rawPages(target)) {
          references.collectRaw(target, page.rows);
          yield page;
        }
        references.store();
      },
      get: async (call) => {
        await permissions.checkPermission(call);
        const recordResponse = await reader.get(call);
        storeScopesAndNames(call, recordResponse.record);
        return recordResponse;
      },
      pages: async function* (call) {
        await permissions.checkPermission(call);
        try {
          const isPlain = !asksForDeleted(call.query ?? {});
          for await (const page of reader.pages(call)) {
            collect(call, page.rows);
            if (isPlain && page.rows.some(isDeleted)) behavior.noticeDeleted();
            yield page;
          }
        } finally {
          store();
        }
      },
      // Session.write has checked the scopes, before approval.
      write: async (call) => {
        const recordResponse = await client.write(call);
        if (recordResponse) storeScopesAndNames(call, recordResponse.record);
        return recordResponse;
      },
    };
  }
}

/** Returns the records in the body of a response; none if it isn't JSON. */
function rawRows(body: string, envelope: Envelope): readonly Row[] {
  try {
    const value = parseJson(body)?.value;
    return rowsIn(value, envelope) ?? [recordIn(value, envelope) ?? []].flat();
  } catch {
    return [];
  }
}
