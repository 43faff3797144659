/** Writes records: every write takes the same steps in the same order. */
import { type FieldMessages, violations } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { exactJson } from '../base/number-text.ts';
import { userAgent } from '../base/version.ts';
import type { Answered, RawRequest } from '../client/client.ts';
import { type Call, requestFor } from '../client/request.ts';
import type { HttpAnswer, HttpRequest } from '../client/transport.ts';
import type { Api } from '../contract/api.ts';
import { bodyProblems } from '../contract/body-problems.ts';
import { isWrite } from '../contract/operation.ts';
import type { Settings } from '../settings/settings.ts';
import type { Access } from './access.ts';
import { missingUsers, signedInUser, withSignedInUser } from './account.ts';
import { hasLookups, type Names } from './names.ts';
import {
  ObservedWrites,
  type WriteDetails,
  type WriteObserver,
  type WriteReader,
} from './observed-writes.ts';
import type { Permissions } from './permissions.ts';
import type { Row } from './row.ts';
import type { SendUpdate, Sent } from './update-guard.ts';
import type { Loss } from './update-loss.ts';
import { Updates } from './updates.ts';

/** The result of `Session.write`: done, with the record if the answer has one, or planned. */
export type WriteResult =
  | { planned: HttpRequest; call: Call }
  | { planned?: undefined; call: Call; answered?: Answered | undefined };

/**
 * The result of `Session.raw`: a success, or the planned request. `loss` describes fields that an update emptied, if
 * that is known.
 */
export type RawResult =
  | { planned: HttpRequest }
  | { planned?: undefined; answer: HttpAnswer; loss?: Loss | undefined };

/** The options of writes: see `SessionOptions`. */
export interface WritesOptions {
  api: Api;
  settings: Settings;
  dryRun?: boolean | undefined;
  unchecked?: boolean | undefined;
  observers?: readonly WriteObserver[] | undefined;
}

/** The writes of a session; each one calls `write`. */
export class Writes {
  readonly #options: WritesOptions;
  readonly #access: Access;
  readonly #permissions: Permissions;
  readonly #names: Names;
  readonly updates: Updates;
  readonly observed: ObservedWrites;

  constructor(options: WritesOptions, access: Access, permissions: Permissions, names: Names) {
    const { settings, unchecked = false, observers = [] } = options;
    this.#options = options;
    this.#access = access;
    this.#permissions = permissions;
    this.#names = names;
    this.updates = new Updates({ access, names, permissions, settings, unchecked });
    this.observed = new ObservedWrites({
      observers,
      reader: access,
      requestFor: (call) => this.#request(call),
      isPlanned: ({ call, details: facts }) => isResolved(call) && this.updates.isPlanned(call, facts),
    });
  }

  /** Sends one write once, or plans it in a dry run. A failure has the outcome in `details.outcome`. */
  async write(unresolved: Call, facts: WriteDetails = {}): Promise<WriteResult> {
    if (!this.#options.unchecked) await validate(unresolved);
    if (this.#options.dryRun) return this.#dryRun(unresolved, facts);
    await this.#permissions.approve(unresolved);
    const call = await this.#resolve(unresolved);
    const sent = await this.#send(call, facts);
    return { call, ...sent };
  }

  /** Resolves names and returns the request. Sends nothing else. */
  async #dryRun(unresolved: Call, facts: WriteDetails): Promise<WriteResult> {
    await this.#permissions.checkPermission(unresolved);
    await this.#permissions.notifyPlanned([{ ...unresolved, recordBefore: facts.recordBefore }]);
    const call = await withSignedInUser(
      await this.#names.resolve(unresolved),
      async () => '(the signed-in user)',
    );
    const isUpdate = call.operation.effect === 'update';
    return { planned: this.#request(isUpdate ? await this.updates.planned(call) : call), call };
  }

  /** Returns the call with ids in place of names, and with the signed-in user if a record needs a creator. */
  async #resolve(unresolved: Call): Promise<Call> {
    return withSignedInUser(await this.#names.resolve(unresolved), async () =>
      signedInUser(await this.#access.whoamiRequest.answer(), unresolved.operation),
    );
  }

  /** Announces the write to the observers, sends it once, and reports its outcome to them. */
  async #send(call: Call, facts: WriteDetails): Promise<Sent> {
    const client = await this.#access.client();
    const send: SendUpdate = (known, { reader, call: sentCall = call } = {}) => {
      const sendCall = async () => ({
        answered: checkedAnswer(sentCall, known, await client.write(sentCall)),
      });
      return this.observed.send(this.observed.outgoing(call, known), sendCall, reader);
    };
    return call.operation.effect === 'update' ? this.updates.send(call, facts, send) : send(facts);
  }

  /** Returns the request of a call, with its names resolved. */
  async plan(unresolved: Call): Promise<HttpRequest> {
    const call = hasLookups(unresolved) ? await this.#names.resolve(unresolved) : unresolved;
    const { operation, query } = call;
    if (operation.effect !== 'list' || !query) return this.#request(call);
    return this.#request({ ...call, query: await this.#names.resolveFilters(operation.resource, query) });
  }

  /** Sends a request unchanged; a write is checked, approved and observed like any other. */
  async raw(rawRequest: RawRequest): Promise<RawResult> {
    const { api, settings, dryRun } = this.#options;
    const call = callOf(api, rawRequest);
    const request = { ...rawRequest, target: settings.apiPrefix + rawRequest.target };
    const isWriting = call ? isWrite(call.operation) : !['GET', 'HEAD'].includes(rawRequest.method);
    if (dryRun) {
      if (isWriting) await this.#permissions.notifyPlanned([call ?? {}]);
      return { planned: { ...request, headers: {} } };
    }
    const { client } = await this.#access.connected();
    if (call) await this.#permissions.checkPermission(call);
    const leave = () => client.raw(rawRequest, call?.operation);
    if (!isWriting) return leave();
    await this.#permissions.notifyPlanned([call ?? {}]);
    await this.#permissions.approve();
    const send = (reader?: WriteReader) => this.observed.send({ call, request, details: {} }, leave, reader);
    if (call?.operation.effect !== 'update') return send();
    const { sent, loss } = await this.updates.sendAsWritten(call, (_, { reader } = {}) => send(reader));
    return { ...sent, loss };
  }

  /** Returns the request without the token. */
  #request(call: Call): HttpRequest {
    return requestFor(call, { ...this.#options.settings, token: undefined, userAgent: userAgent() });
  }
}

/** Throws one usage failure for all violations of the contract. */
async function validate({ operation, body = {} }: Call): Promise<void> {
  if (operation.body.length === 0) return;
  const messages: FieldMessages = await bodyProblems(operation, body);
  // A link may have no fields.
  if (operation.effect !== 'link' && Object.keys(messages).length === 0 && Object.keys(body).length === 0) {
    messages._ = ['give at least one field'];
  }
  if (Object.keys(messages).length === 0) return;
  throw violations(`input for ${operation.command}`, messages, boh.help(operation.command));
}

/** Returns whether a call contains nothing to resolve or fill in. */
function isResolved(call: Call): boolean {
  return !hasLookups(call) && missingUsers(call).length === 0;
}

/** Returns the answer. Throws if a creation was answered with the ID of another record. */
function checkedAnswer(
  { operation }: Call,
  { duplicateIdFailure: repeated }: WriteDetails,
  answered: Answered | undefined,
): Answered | undefined {
  const id = answered?.record.id;
  const failure = operation.effect === 'create' && typeof id === 'string' ? repeated?.(id) : undefined;
  if (failure) throw failure;
  return answered;
}

/** Returns the call that a raw request corresponds to, if the contract knows it. */
function callOf(api: Api, { method, target, body }: RawRequest): Call | undefined {
  const found = api.operationAt(method, target);
  if (!found) return undefined;
  const [path = '', query = ''] = target.split('?');
  const parts = path.split('/');
  const ids = found.path
    .split('/')
    .flatMap((part, at) => (part.startsWith('{') ? [decodePart(parts[at] ?? '')] : []));
  return {
    operation: found,
    ids,
    body: body === undefined ? Object.fromEntries(new URLSearchParams(query)) : parseBody(body),
  };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parseBody(body: string): Row {
  const value = exactJson(body);
  return typeof value === 'object' && value !== null ? (value as Row) : {};
}
