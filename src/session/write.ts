/** Writes records: every write takes the same steps in the same order. */
import { type FieldMessages, violations } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { parseExactJson } from '../base/number-text.ts';
import { userAgent } from '../base/version.ts';
import type { RawRequest, RecordResponse } from '../client/client.ts';
import { type Call, requestFor } from '../client/request.ts';
import type { HttpRequest, HttpResponse } from '../client/transport.ts';
import type { Api } from '../contract/api.ts';
import { bodyProblems } from '../contract/body-problems.ts';
import { isWrite } from '../contract/operation.ts';
import type { Settings } from '../settings/settings.ts';
import type { Access } from './access.ts';
import { missingUserFields, requireSignedInUser, withSignedInUser } from './account.ts';
import type { UnknownValue } from './known-values.ts';
import { hasLookups } from './map-ids.ts';
import type { Names } from './names.ts';
import {
  ObservedWrites,
  type PlannedWrite,
  type WriteDetails,
  type WriteObserver,
  type WriteReader,
} from './observed-writes.ts';
import type { Permissions } from './permissions.ts';
import { RefusedFields } from './refused-fields.ts';
import type { Row } from './row.ts';
import type { SendUpdate, SentUpdate } from './update-guard.ts';
import type { Loss } from './update-loss.ts';
import { Updates } from './updates.ts';
import { verifyWrite } from './verify-write.ts';

/** The result of `Session.write`: done, with the record if the response has one, or planned. */
export type WriteResult =
  | { planned: HttpRequest; call: Call }
  | { planned?: undefined; call: Call; recordResponse?: RecordResponse | undefined };

/**
 * The result of `Session.raw`: a success, or the planned request. `loss` describes fields that an update emptied, if
 * that is known.
 */
export type RawResult =
  | { planned: HttpRequest }
  | { planned?: undefined; response: HttpResponse; loss?: Loss | undefined };

/** The options of writes: see `SessionOptions`. */
export interface WritesOptions {
  api: Api;
  settings: Settings;
  dryRun?: boolean | undefined;
  unchecked?: boolean | undefined;
  /** See `SessionOptions`. */
  onWarning?: ((message: string) => void) | undefined;
  observers?: readonly WriteObserver[] | undefined;
}

/** Sends the writes of a session. */
export class Writes {
  readonly #options: WritesOptions;
  readonly #access: Access;
  readonly #permissions: Permissions;
  readonly #names: Names;
  readonly #refusedFields: RefusedFields;
  readonly updates: Updates;
  readonly observed: ObservedWrites;

  constructor(options: WritesOptions, access: Access, permissions: Permissions, names: Names) {
    const { settings, unchecked = false, observers = [] } = options;
    this.#options = options;
    this.#access = access;
    this.#permissions = permissions;
    this.#names = names;
    this.#refusedFields = new RefusedFields(options.onWarning);
    this.updates = new Updates({ access, names, permissions, settings, unchecked });
    this.observed = new ObservedWrites({
      observers,
      reader: access,
      requestFor: (call) => this.#request(call),
      isPlanned: ({ call, details }) => isResolved(call) && this.updates.isPlanned(call, details),
    });
  }

  /** Sends one write once, or plans it in a dry run. A failure has the outcome in `details.outcome`. */
  async write(unresolved: Call, details: WriteDetails = {}): Promise<WriteResult> {
    // The rows of a run were validated when they were planned; those of transfers and undos may have other fields.
    if (!this.#options.unchecked)
      await validate(unresolved, { allowsOtherFields: details.part !== undefined });
    // The values of runs were checked when they were planned.
    if (!details.part) this.#permissions.reportUnknown(await this.unknownValues([unresolved]));
    if (this.#options.dryRun) return this.#dryRun(unresolved, details);
    await this.#permissions.approve(unresolved);
    const call = await this.#resolve(unresolved);
    const result = await this.#send(call, details);
    return { call, ...result };
  }

  /** See `Session.unknownValues`. */
  async unknownValues(writes: readonly PlannedWrite[]): Promise<UnknownValue[]> {
    if (this.#options.unchecked) return [];
    const known = await this.#access.knownValues();
    return writes.flatMap(({ operation, body }) =>
      operation && body ? known.unknownIn(operation, body) : [],
    );
  }

  /** Resolves names and returns the request. Sends nothing else. */
  async #dryRun(unresolved: Call, details: WriteDetails): Promise<WriteResult> {
    await this.#permissions.checkPermission(unresolved);
    await this.#permissions.notifyPlanned([{ ...unresolved, recordBefore: details.recordBefore }]);
    const call = await withSignedInUser(
      await this.#names.resolve(unresolved),
      async () => '(the signed-in user)',
    );
    const isUpdate = call.operation.effect === 'update';
    return { planned: this.#request(isUpdate ? await this.updates.plan(call) : call), call };
  }

  /** Returns the call with IDs in place of names, and with the signed-in user if a record needs a creator. */
  async #resolve(unresolved: Call): Promise<Call> {
    return withSignedInUser(await this.#names.resolve(unresolved), async () =>
      requireSignedInUser(await this.#access.whoamiRequest.request(), unresolved.operation),
    );
  }

  /** Announces the write to the observers, sends it once, and reports its outcome to them. */
  async #send(call: Call, details: WriteDetails): Promise<SentUpdate> {
    const client = await this.#access.client();
    const { settings } = this.#options;
    const get = (read: Call) => client.get(read);
    const send: SendUpdate = (details, { reader, call: sentCall = call } = {}) => {
      const sendCall = async () => {
        const entered = details.part ? {} : (call.body ?? {});
        const written = await this.#refusedFields.write(client, sentCall, entered);
        const response = checkCreatedId(sentCall, details, written);
        // `sentCall` may contain the whole record, of which the service may compute parts.
        return { recordResponse: response && (await verifyWrite(call, response, get, settings)) };
      };
      return this.observed.send(this.observed.toOutgoingWrite(call, details), sendCall, reader);
    };
    return call.operation.effect === 'update' ? this.updates.send(call, details, send) : send(details);
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
    const isWriteRequest = call ? isWrite(call.operation) : !['GET', 'HEAD'].includes(rawRequest.method);
    if (dryRun) {
      if (isWriteRequest) await this.#permissions.notifyPlanned([call ?? {}]);
      return { planned: { ...request, headers: {} } };
    }
    const client = await this.#access.client();
    if (call) await this.#permissions.checkPermission(call);
    const sendRaw = () => client.raw(rawRequest, call?.operation);
    if (!isWriteRequest) return sendRaw();
    await this.#permissions.notifyPlanned([call ?? {}]);
    await this.#permissions.approve();
    const send = (reader?: WriteReader) =>
      this.observed.send({ call, request, details: {} }, sendRaw, reader);
    if (call?.operation.effect !== 'update') return send();
    const { sent, loss } = await this.updates.sendUnchanged(call, (_, { reader } = {}) => send(reader));
    return { ...sent, loss };
  }

  /** Returns the request without the token. */
  #request(call: Call): HttpRequest {
    return requestFor(call, { ...this.#options.settings, token: undefined, userAgent: userAgent() });
  }
}

/** Throws one usage failure for all violations of the contract. */
async function validate(
  { operation, body = {} }: Call,
  options: { allowsOtherFields: boolean },
): Promise<void> {
  if (operation.body.length === 0) return;
  const messages: FieldMessages = await bodyProblems(operation, body, options);
  // A link may have no fields.
  if (operation.effect !== 'link' && Object.keys(messages).length === 0 && Object.keys(body).length === 0) {
    messages._ = ['Specify at least one field.'];
  }
  if (Object.keys(messages).length === 0) return;
  throw violations(`input for ${operation.command}`, messages, boh.help(operation.command));
}

/** Returns whether a call contains nothing to resolve or fill in. */
function isResolved(call: Call): boolean {
  return !hasLookups(call) && missingUserFields(call).length === 0;
}

/** Returns the response. Throws a failure if the response to a creation has the ID of another record. */
function checkCreatedId(
  { operation }: Call,
  { duplicateIdFailure }: WriteDetails,
  recordResponse: RecordResponse | undefined,
): RecordResponse | undefined {
  const id = recordResponse?.record.id;
  const failure =
    operation.effect === 'create' && typeof id === 'string' ? duplicateIdFailure?.(id) : undefined;
  if (failure) throw failure;
  return recordResponse;
}

/** Returns the call that a raw request corresponds to, if the contract knows it. */
function callOf(api: Api, { method, target, body }: RawRequest): Call | undefined {
  const matchedOperation = api.findOperation(method, target);
  if (!matchedOperation) return undefined;
  const [path = '', query = ''] = target.split('?');
  const segments = path.split('/');
  const ids = matchedOperation.path
    .split('/')
    .flatMap((segment, index) => (segment.startsWith('{') ? [decodeSegment(segments[index] ?? '')] : []));
  return {
    operation: matchedOperation,
    ids,
    body: body === undefined ? Object.fromEntries(new URLSearchParams(query)) : parseBody(body),
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function parseBody(body: string): Row {
  const value = parseExactJson(body);
  return typeof value === 'object' && value !== null ? (value as Row) : {};
}
