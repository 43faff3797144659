/**
 * Sends updates so that other fields aren't lost: the whole record if the service replaces records, else only the
 * changes, with a check.
 */
import { Failure, usage } from '../base/errors.ts';
import { nameOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { flagName } from '../contract/text.ts';
import type { Settings } from '../settings/settings.ts';
import type { Access } from './access.ts';
import type { Names } from './names.ts';
import type { WriteDetails } from './observed-writes.ts';
import { attemptsBeforeWrite, markAsNotSent } from './outcome.ts';
import type { Permissions } from './permissions.ts';
import { bodyFrom, type CurrentRecord, relationsToInclude } from './record-body.ts';
import type { Row } from './row.ts';
import { type CheckedUpdate, type SendUpdate, type Sent, UpdateGuard } from './update-guard.ts';

/** The options of updates. */
export interface UpdatesOptions {
  access: Access;
  names: Names;
  permissions: Permissions;
  /** The settings: `wire.put` says what the service does to fields that an update doesn't send. */
  settings: Settings;
  /** Skips the checks against the contract: fields that the service doesn't show are omitted. */
  unchecked: boolean;
}

/** The updates of a session. */
export class Updates {
  readonly #options: UpdatesOptions;
  readonly #guard: UpdateGuard;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#guard = new UpdateGuard({
      settings: options.settings,
      reader: options.access,
      read: async (update) => (await this.#currentBefore(update)).record,
      within: (update) => options.permissions.withinScopes(update),
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
    // If the token may not read a relation, some services still show its IDs.
    const optional = relationsToInclude(update.operation);
    const call = await names.resolve({ operation: get, ids: update.ids ?? [], query: { optional } });
    const { record } = await access.get({ ...call, attempts: update.attempts });
    return {
      id: call.ids?.[0] ?? '',
      record,
      ...bodyFrom(permissions.withinScopes(update.operation), record),
    };
  }

  #currentBefore(update: Call): Promise<CurrentRecord> {
    return this.current({ ...update, attempts: attemptsBeforeWrite });
  }

  /**
   * Returns the update as it would be sent. If the record isn't found in a dry run, it contains only the given values.
   */
  async planned(call: Call): Promise<Call> {
    if (!this.#replaces) return call;
    try {
      return (await this.#wholeUpdate(call)).call;
    } catch (error) {
      if (error instanceof Failure && error.category === 'not_found') return call;
      throw error;
    }
  }

  /** Sends an update, whole or with a check. */
  async send(call: Call, facts: WriteDetails, send: SendUpdate): Promise<Sent> {
    if (!this.#replaces) return this.#guard.send(call, facts, send);
    const { call: wholeCall, known } = await this.#wholeUpdate(call).catch((error) => {
      throw markAsNotSent(error);
    });
    return send({ ...facts, recordBefore: facts.recordBefore ?? known }, { call: wholeCall });
  }

  /** Returns whether a write of a run can be sent as planned; for another update the record is read first. */
  isPlanned(call: Call, facts: WriteDetails): boolean {
    return call.operation.effect !== 'update' || this.#replaces || this.#guard.canSendNow(call, facts);
  }

  /** Sends an update unchanged; without a check if the settings say that the service replaces records. */
  async sendAsWritten<One extends Sent>(call: Call, send: SendUpdate<One>): Promise<CheckedUpdate<One>> {
    return this.#replaces ? { sent: await send({}) } : this.#guard.sendChecked(call, {}, send);
  }

  /** Returns the names of fields that each update has to contain: no answer shows them, and they would be emptied. */
  requiredSecrets(update: Operation): string[] {
    const { permissions, unchecked } = this.#options;
    if (!this.#replaces || unchecked) return [];
    return hiddenFieldsIn(permissions.withinScopes(update).body).map(({ name }) => name);
  }

  /** Returns the whole update. Throws `usage` if the service doesn't show the whole record: then nothing is sent. */
  async #wholeUpdate(call: Call): Promise<WholeUpdate> {
    const { permissions, unchecked } = this.#options;
    const { operation: update, body = {} } = call;
    const fields = permissions.withinScopes(update).body.filter(({ field }) => !field.traits.ignored);
    const unsent = fields.filter(({ name }) => !Object.hasOwn(body, name));
    if (unsent.length === 0) return { call, known: undefined };
    const hidden = hiddenFieldsIn(unsent);
    if (hidden.length > 0 && !unchecked) throw incompleteFailure(call, hidden);
    const current = await this.#currentBefore(call);
    const unknown = unsent.filter(({ name }) => current.unknown.includes(name));
    if (unknown.length > 0 && !unchecked) throw incompleteFailure(call, unknown);
    return { call: { ...call, body: { ...current.body, ...body } }, known: current.record };
  }
}

interface WholeUpdate {
  call: Call;
  /** The record as read for the update; undefined if the update has all fields. */
  known: Row | undefined;
}

/** Returns the fields that no answer shows, so that their values can't be sent again. */
function hiddenFieldsIn(fields: readonly BodyField[]): BodyField[] {
  return fields.filter(({ field }) => field.isHidden);
}

function incompleteFailure({ operation, ids = [] }: Call, unknown: readonly BodyField[]): Failure {
  const names = unknown.map(({ name }) => name).join(', ');
  return new Failure(
    'usage',
    `The update of ${nameOf(operation, ids)} was not sent: it would empty ${names}, which the service doesn't show (wire.put is replace).`,
    { outcome: 'not_sent', hint: hintForHidden(unknown) },
  );
}

/** Returns the hint about unknown fields. */
function hintForHidden(unknown: readonly BodyField[]): string {
  const flags = unknown.map(({ name, field }) =>
    field.traits.secret ? `--ask ${name}` : `--${flagName(name)}`,
  );
  const it = unknown.length === 1 ? 'it' : 'them';
  return `Set ${it} too (${flags.join(', ')}, or a column with that name), or send the update without ${it}: --unchecked`;
}
