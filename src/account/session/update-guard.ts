/**
 * Checks the first updates of each resource. If one empties fields that it didn't send, no more updates are sent.
 */

import type { Kind } from '../../api/contract/field.ts';
import type { BodyField, Operation } from '../../api/contract/operation.ts';
import { otherBodyFields } from '../../api/contract/other-fields.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import { boh, type Hint, joinHints } from '../../base/hint.ts';
import { type RecordResponse, subjectOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Settings } from '../settings/settings.ts';
import { isSameValue, partsWithoutIds } from './diff/values.ts';
import type { WriteDetails, WriteReader } from './observed-writes.ts';
import { isRefusedRead, markAsNotSent } from './outcome.ts';
import { bodyFrom } from './record-body.ts';
import { isRow, type Row } from './row.ts';

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

/** The fields that an update didn't send, by their values after the update. */
interface UnsentComparison {
  /** The fields that are empty after the update. */
  emptied: BodyField[];
  /** The fields that are unchanged, although a service that replaces records would have emptied them. */
  kept: BodyField[];
  /** The fields that the returned record doesn't contain. */
  hidden: BodyField[];
}

/**
 * How a service handles fields that aren't sent: it keeps them, empties them, or the update doesn't show it (`open`).
 */
type UpdateBehavior = 'keeps' | 'replaces' | 'open';

/** Returns the non-empty fields that this update doesn't send. A service that replaces records would empty them. */
function unsentFields({ body: fields }: Pick<Operation, 'body'>, sent: Row, before: Row): BodyField[] {
  const omittedFields = fields.filter(
    ({ name, field }) => !Object.hasOwn(sent, name) && field.traits.ignored !== true,
  );
  const { body } = bodyFrom({ body: omittedFields }, before);
  return omittedFields.filter(({ name }) => hasValue(body[name]));
}

/** Sorts `fields`, which had values in the record `before`, by their values in the record `after`. */
function compareUnsent(fields: readonly BodyField[], before: Row, after: Row): UnsentComparison {
  const oldBody = bodyFrom({ body: fields }, before);
  const newBody = bodyFrom({ body: fields }, after);
  const comparison: UnsentComparison = { emptied: [], kept: [], hidden: [] };
  for (const entry of fields) {
    const { name, field } = entry;
    if (newBody.unknown.includes(name)) comparison.hidden.push(entry);
    else if (!hasValue(newBody.body[name])) comparison.emptied.push(entry);
    else if (isEvidence(entry) && isSameValue(field, oldBody.body[name], newBody.body[name]))
      comparison.kept.push(entry);
  }
  return comparison;
}

/**
 * Returns the behavior that the majority of fields shows, because a rule of the service may empty a single field or set
 * its default.
 */
function updateBehaviorOf({ emptied, kept }: UnsentComparison): UpdateBehavior {
  if (emptied.length === kept.length) return 'open';
  return emptied.length > kept.length ? 'replaces' : 'keeps';
}

/** Kinds of fields that often have a default value: an unchanged value proves nothing. */
const kindsWithDefaults: ReadonlySet<Kind> = new Set(['boolean', 'choice', 'integers']);

/**
 * Returns whether an unchanged field proves that the service keeps fields: not if it is required or stored elsewhere.
 */
function isEvidence({ field: { kind, traits } }: BodyField): boolean {
  return !kindsWithDefaults.has(kind) && traits.required !== true && traits.inverseOf === undefined;
}

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRow(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false && Number(value) !== 0;
}

/** The messages about the fields that an update emptied. */
export interface Loss {
  /** Names the update and the fields. */
  message: string;
  /** The command that restores the fields. */
  hint: Hint;
}

/**
 * Returns the messages about a loss. `before` is the record before the update; `updatable` contains the fields that the
 * token may update.
 */
function describeLoss(
  call: Call,
  before: Row,
  { emptied }: Pick<UnsentComparison, 'emptied'>,
  updatable: Pick<Operation, 'body'>,
): Loss {
  const { operation, ids = [], body = {} } = call;
  const names = emptied.map(({ name }) => name);
  const { body: currentBody } = bodyFrom(updatable, before);
  const lostParts = emptied.filter(({ field }) => field.kind === 'objects');
  const parts = lostParts.map(({ name }) => [name, partsWithoutIds(currentBody[name])]);
  const others = otherBodyFields(operation.resource, before);
  const otherValues = bodyFrom({ body: others }, before).body;
  const fullRecord = { ...currentBody, ...otherValues, ...Object.fromEntries(parts), ...body };
  // Input with other fields isn't valid.
  const flags = others.length === 0 ? [] : ['--unchecked'];
  return {
    message:
      `The update of ${subjectOf(operation, ids)} succeeded, but emptied ${names.join(', ')}, which it didn't send: ` +
      'this service replaces the whole record.',
    hint: boh.hint`To restore these fields: ${boh.account(`${operation.resource.command} ${operation.verb}`, ...ids, ...flags, '--data', JSON.stringify(fullRecord))}`,
  };
}

/** Returns the failure that stops a run because of a loss. */
function lossFailure({ message, hint }: Loss, settings: Pick<Settings, 'profile' | 'sandbox'>): Failure {
  return new Failure('partial', message, {
    outcome: 'done',
    stopsRun: true,
    hint: [hint, '\nTo send whole records from now on: ', replaceHint(settings)],
  });
}

export function replaceHint(settings: Pick<Settings, 'profile' | 'sandbox'>): Hint {
  return settingHint(settings, 'wire.put', 'replace');
}

/** Returns the hint to change a setting: a command, or a variable if there is no profile. */
export function settingHint(
  { profile, sandbox }: Pick<Settings, 'profile' | 'sandbox'>,
  name: string,
  value: string,
): Hint {
  const hasNoProfile = profile === undefined && sandbox === undefined;
  return hasNoProfile
    ? `BOH_${name.replace('.', '_').toUpperCase()}=${value} in the environment`
    : boh.account('config set', name, value);
}
