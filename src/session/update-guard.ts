/**
 * Checks the first updates of each resource. If one empties fields that it didn't send, no more updates are sent.
 */
import { Failure } from '../base/errors.ts';
import { type Hint, joinHints } from '../base/hint.ts';
import { type RecordResponse, subjectOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { otherBodyFields } from '../contract/other-fields.ts';
import type { Resource } from '../contract/resource.ts';
import type { Settings } from '../settings/settings.ts';
import type { WriteDetails, WriteReader } from './observed-writes.ts';
import { isRefusedRead, markAsNotSent } from './outcome.ts';
import type { Row } from './row.ts';
import {
  compareUnsent,
  describeLoss,
  isEvidence,
  type Loss,
  lossFailure,
  replaceHint,
  unsentFields,
  updateBehaviorOf,
} from './update-loss.ts';

/** The options of an update guard. */
export interface GuardOptions {
  settings: Pick<Settings, 'profile' | 'sandbox'>;
  /** Reads records for the observers. */
  reader: WriteReader;
  /** Returns a record with all values that an update of it may send. */
  read(update: Call): Promise<Row>;
  /** Returns the part of an update that the token may send. */
  withinScopes(update: Operation): Pick<Operation, 'body'>;
}

/** The result of an update that was sent. */
export interface SentUpdate {
  recordResponse?: RecordResponse | undefined;
}

/** A checked update that was sent, and the fields that it emptied. */
export interface CheckedUpdate<Update extends SentUpdate> {
  sent: Update;
  loss?: Loss | undefined;
}

/**
 * Sends an update. The observers receive `details` and may read with `reader`; `call` replaces the call to send.
 */
export type SendUpdate<Update extends SentUpdate = SentUpdate> = (
  details: WriteDetails,
  options?: { reader?: WriteReader; call?: Call },
) => Promise<Update>;

/**
 * Protects fields that an update doesn't send: the API document doesn't say whether services keep them
 * (docs/reference/deployments.md: "Responses"). In a bulk run the first updates are sent one at a time after their
 * record was read, until an update proves that the service keeps fields.
 */
export class UpdateGuard {
  readonly #options: GuardOptions;
  readonly #keepingResources = new Set<Resource>();
  /** Resources with a checked update that emptied no fields but proves nothing. */
  readonly #harmlessResources = new Set<Resource>();
  /** The last queued update of each resource. */
  readonly #queue = new Map<Resource, Promise<void>>();
  #emptiedRecord: string | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Sends an update. Throws `partial` if it was applied and has emptied other fields, and for each later update. */
  async send(call: Call, details: WriteDetails, send: SendUpdate): Promise<SentUpdate> {
    try {
      const { sent, loss } = await this.#sendInTurn(call, details, send);
      if (loss) throw lossFailure(loss, this.#options.settings);
      return sent;
    } catch (error) {
      throw withHint(error, call, replaceHint(this.#options.settings));
    }
  }

  async #sendInTurn(call: Call, details: WriteDetails, send: SendUpdate): Promise<CheckedUpdate<SentUpdate>> {
    const { resource } = call.operation;
    if (!details.hasMoreWrites || this.canSendNow(call, details))
      return this.#sendUnqueued(call, details, send);
    const endTurn = await this.#waitForTurn(resource);
    try {
      if (this.canSendNow(call, details) || this.#emptiedRecord !== undefined) {
        endTurn();
        return await this.#sendUnqueued(call, details, send);
      }
      const before = await this.#readBefore(call);
      const unsent = before ? this.#unsentFields(call, before) : [];
      if (!before || unsent.length === 0) {
        if (before) this.#harmlessResources.add(resource);
        endTurn();
        return await this.#sendUnqueued(call, details, send);
      }
      const sent = await send({ ...details, recordBefore: before });
      return { sent, loss: await this.#lossIn(call, before, unsent, sent.recordResponse?.record) };
    } finally {
      endTurn();
    }
  }

  /** Sends an update without the queue. */
  async #sendUnqueued(
    call: Call,
    details: WriteDetails,
    send: SendUpdate,
  ): Promise<CheckedUpdate<SentUpdate>> {
    if (this.#emptiedRecord !== undefined) throw notSentFailure(call, this.#emptiedRecord);
    return this.sendChecked(call, details, send);
  }

  /** Sends an update and checks which fields it emptied, if its record is available without another request. */
  async sendChecked<Update extends SentUpdate>(
    call: Call,
    details: WriteDetails,
    send: SendUpdate<Update>,
  ): Promise<CheckedUpdate<Update>> {
    let before = details.recordBefore;
    const keepsFields = this.#keepingResources.has(call.operation.resource);
    if (keepsFields || (details.hasMoreWrites && before === undefined)) return { sent: await send(details) };
    const get: WriteReader['get'] = async (call) => {
      const recordResponse = await this.#options.reader.get(call);
      // For an update, observers read only its record.
      before ??= recordResponse.record;
      return recordResponse;
    };
    const reader: WriteReader = { get, account: () => this.#options.reader.account() };
    const sent = await send(details, { reader });
    const after = sent.recordResponse?.record;
    if (!before || !after) return { sent };
    const unsent = this.#unsentFields(call, before);
    const behavior = updateBehaviorOf(compareUnsent(unsent, before, after));
    // The record was read for the plan of the run, and another user may have emptied fields since: the next update is checked.
    if (details.hasMoreWrites && behavior === 'replaces')
      this.#harmlessResources.delete(call.operation.resource);
    else if (behavior !== 'open') return { sent, loss: await this.#lossIn(call, before, unsent, after) };
    return { sent };
  }

  /**
   * Returns whether an update can be sent without waiting for another one. Records whose fields prove nothing aren't read
   * again, because the response contains the emptied fields.
   */
  canSendNow(call: Call, { recordBefore }: WriteDetails): boolean {
    const { resource } = call.operation;
    if (this.#keepingResources.has(resource)) return true;
    if (!this.#harmlessResources.has(resource) || recordBefore === undefined) return false;
    return !this.#unsentFields(call, recordBefore).some(isEvidence);
  }

  #unsentFields({ operation, body = {} }: Call, before: Row): BodyField[] {
    const fields = this.#options.withinScopes(operation).body;
    return unsentFields({ body: [...fields, ...otherBodyFields(operation.resource, before)] }, body, before);
  }

  /**
   * Returns the loss, if any. A response may contain less than the record, so the record is read before a loss is
   * reported.
   */
  async #lossIn(
    call: Call,
    before: Row,
    unsent: readonly BodyField[],
    returnedRecord: Row | undefined,
  ): Promise<Loss | undefined> {
    const { resource } = call.operation;
    let comparison = compareUnsent(unsent, before, returnedRecord ?? {});
    if (
      updateBehaviorOf(comparison) === 'replaces' ||
      (updateBehaviorOf(comparison) === 'open' && comparison.hidden.length > 0)
    ) {
      const after = await this.#read(call);
      if (after) comparison = compareUnsent(unsent, before, after);
    }
    if (updateBehaviorOf(comparison) === 'keeps') this.#keepingResources.add(resource);
    if (updateBehaviorOf(comparison) === 'open' && comparison.emptied.length === 0)
      this.#harmlessResources.add(resource);
    if (updateBehaviorOf(comparison) !== 'replaces') return undefined;
    this.#emptiedRecord = subjectOf(call.operation, call.ids ?? []);
    return describeLoss(call, before, comparison, this.#options.withinScopes(call.operation));
  }

  async #readBefore(call: Call): Promise<Row | undefined> {
    try {
      return await this.#options.read(call);
    } catch (error) {
      if (isRefusedRead(error)) return undefined;
      throw markAsNotSent(error);
    }
  }

  /** Reads the record again. Returns undefined if that fails; the response to the update is then used. */
  async #read(call: Call): Promise<Row | undefined> {
    try {
      return await this.#options.read(call);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /**
   * Waits for the earlier updates of a resource. Returns a function that starts the next one; it may be called
   * repeatedly.
   */
  async #waitForTurn(resource: Resource): Promise<() => void> {
    const previousUpdate = this.#queue.get(resource);
    let endTurn = () => {};
    this.#queue.set(
      resource,
      new Promise((resolve) => {
        endTurn = resolve;
      }),
    );
    await previousUpdate;
    return endTurn;
  }
}

/** Adds a hint to the refusal of a service that requires more fields than the update contains. */
function withHint(error: unknown, { operation, body = {} }: Call, replaceHint: Hint): unknown {
  if (!(error instanceof Failure) || error.category !== 'refused') return error;
  const { category, message, details } = error;
  const requiredFields = operation.body.filter(
    ({ name, field }) =>
      field.traits.required && !Object.hasOwn(body, name) && details.fields?.[name] !== undefined,
  );
  if (requiredFields.length === 0) return error;
  const names = requiredFields.map(({ name }) => name).join(', ');
  const explanation = `${names} was not sent. If the service replaces the whole record on update: `;
  return new Failure(category, message, {
    ...details,
    hint: joinHints('\n', details.hint, [explanation, replaceHint]),
  });
}

function notSentFailure(call: Call, emptiedRecord: string): Failure {
  return new Failure(
    'partial',
    `The update of ${subjectOf(call.operation, call.ids ?? [])} was not sent, because the update of ${emptiedRecord} emptied fields that were not sent.`,
    { outcome: 'not_sent', stopsRun: true },
  );
}
