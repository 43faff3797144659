/**
 * Sends updates so that other fields aren't lost: the whole record if the service replaces records, else only the
 * changes, with a check.
 */

import { type BodyField, type Operation, operation } from '../../api/contract/operation.ts';
import { otherBodyFields, withOtherNestedFields } from '../../api/contract/other-fields.ts';
import { flagName } from '../../api/contract/value-text.ts';
import { Failure, usage } from '../../base/errors.ts';
import { subjectOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Settings } from '../settings/settings.ts';
import type { Access } from './access.ts';
import type { Names } from './names.ts';
import type { WriteDetails } from './observed-writes.ts';
import { attemptsBeforeWrite, markAsNotSent } from './outcome.ts';
import type { Permissions } from './permissions.ts';
import { bodyFrom, type CurrentRecord, relationsToInclude } from './record-body.ts';
import type { Row } from './row.ts';
import { type CheckedUpdate, type SendUpdate, type SentUpdate, UpdateGuard } from './update-guard.ts';

export interface UpdatesOptions {
  access: Access;
  names: Names;
  permissions: Permissions;
  /** The settings: `wire.put` says what the service does to fields that an update doesn't send. */
  settings: Settings;
  /** Skips the checks against the contract: fields that the service doesn't return are omitted. */
  unchecked: boolean;
}

export class Updates {
  readonly #options: UpdatesOptions;
  readonly #guard: UpdateGuard;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#guard = new UpdateGuard({
      settings: options.settings,
      reader: options.access,
      read: async (update) => (await this.#currentBefore(update)).record,
      withinScopes: (update) => options.permissions.withinScopes(update),
    });
  }

  get #replaces(): boolean {
    return this.#options.settings.wire.put === 'replace';
  }

  /** Returns a record with all values that an update of it may send, and its unknown fields. */
  async current(update: Call): Promise<CurrentRecord> {
    const { access, names, permissions } = this.#options;
    const get = operation(update.operation.resource, 'get');
    if (!get) throw usage(`${update.operation.resource.command} can't be read by ID.`);
    // If the token may not read a relation, some services still return its IDs.
    const optional = relationsToInclude(update.operation);
    const call = await names.resolve({ operation: get, ids: update.ids ?? [], query: { optional } });
    const { record } = await access.get({ ...call, maxAttempts: update.maxAttempts });
    return {
      id: call.ids?.[0] ?? '',
      record,
      ...bodyFrom(permissions.withinScopes(update.operation), record),
    };
  }

  #currentBefore(update: Call): Promise<CurrentRecord> {
    return this.current({ ...update, maxAttempts: attemptsBeforeWrite });
  }

  /**
   * Returns the update as it would be sent. If a dry run doesn't find the record, the update contains only the values of
   * the call.
   */
  async plan(call: Call): Promise<Call> {
    if (!this.#replaces) return call;
    try {
      return (await this.#wholeUpdate(call)).call;
    } catch (error) {
      if (error instanceof Failure && error.category === 'not_found') return call;
      throw error;
    }
  }

  /**
   * Sends an update: with all fields if the service replaces records, else with a check of the fields that aren't sent.
   */
  async send(call: Call, details: WriteDetails, send: SendUpdate): Promise<SentUpdate> {
    if (!this.#replaces) return this.#guard.send(call, details, send);
    const { call: wholeCall, recordBefore } = await this.#wholeUpdate(call).catch((error) => {
      throw markAsNotSent(error);
    });
    return send({ ...details, recordBefore: details.recordBefore ?? recordBefore }, { call: wholeCall });
  }

  /** Returns whether a write of a run can be sent as planned; for another update the record is read first. */
  isPlanned(call: Call, details: WriteDetails): boolean {
    return call.operation.effect !== 'update' || this.#replaces || this.#guard.canSendNow(call, details);
  }

  /** Sends an update unchanged; without a check if the settings say that the service replaces records. */
  async sendUnchanged<Update extends SentUpdate>(
    call: Call,
    send: SendUpdate<Update>,
  ): Promise<CheckedUpdate<Update>> {
    return this.#replaces ? { sent: await send({}) } : this.#guard.sendChecked(call, {}, send);
  }

  /** Returns the names of fields that each update has to contain: no response contains them, and they would be emptied. */
  requiredSecrets(update: Operation): string[] {
    const { permissions, unchecked } = this.#options;
    if (!this.#replaces || unchecked) return [];
    return hiddenFieldsIn(permissions.withinScopes(update).body).map(({ name }) => name);
  }

  /**
   * Returns the update with all fields. Throws `usage` and sends nothing if the service doesn't return the whole
   * record.
   */
  async #wholeUpdate(call: Call): Promise<WholeUpdate> {
    const { permissions, unchecked } = this.#options;
    const { operation: update, body = {} } = call;
    const fields = permissions.withinScopes(update).body.filter(({ field }) => !field.traits.ignored);
    const unsentFields = fields.filter(({ name }) => !Object.hasOwn(body, name));
    const hiddenFields = hiddenFieldsIn(unsentFields);
    if (hiddenFields.length > 0 && !unchecked) throw incompleteFailure(call, hiddenFields);
    const current = await this.#currentBefore(call);
    const unknownFields = unsentFields.filter(({ name }) => current.unknown.includes(name));
    if (unknownFields.length > 0 && !unchecked) throw incompleteFailure(call, unknownFields);
    const others = otherBodyFields(update.resource, current.record);
    const { body: otherValues } = bodyFrom({ body: others }, current.record);
    return {
      call: {
        ...call,
        body: { ...withOtherNestedFields(update, current.body, current.record), ...otherValues, ...body },
      },
      recordBefore: current.record,
    };
  }
}

interface WholeUpdate {
  call: Call;
  /** The record as read for the update. */
  recordBefore: Row;
}

/** Returns the fields that no response contains, so that their values can't be sent again. */
function hiddenFieldsIn(fields: readonly BodyField[]): BodyField[] {
  return fields.filter(({ field }) => field.isHidden);
}

function incompleteFailure({ operation, ids = [] }: Call, unknownFields: readonly BodyField[]): Failure {
  const names = unknownFields.map(({ name }) => name).join(', ');
  return new Failure(
    'usage',
    `The update of ${subjectOf(operation, ids)} was not sent: it would empty ${names}, which the service doesn't return (wire.put is replace).`,
    { outcome: 'not_sent', hint: hintForHidden(unknownFields) },
  );
}

function hintForHidden(unknownFields: readonly BodyField[]): string {
  const flags = unknownFields.map(({ name, field }) =>
    field.traits.secret ? `--ask ${name}` : `--${flagName(name)}`,
  );
  const pronoun = unknownFields.length === 1 ? 'it' : 'them';
  return `Set ${pronoun} too (${flags.join(', ')}, or a column with that name), or send the update without ${pronoun}: --unchecked`;
}
