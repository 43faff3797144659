/**
 * Checks the first updates of each resource. If one empties fields that it didn't send, no more updates are sent.
 */
import { Failure } from '../base/errors.ts';
import { type Hint, joinHints } from '../base/hint.ts';
import { type Answered, nameOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { Settings } from '../settings/settings.ts';
import type { WriteDetails, WriteReader } from './observed-writes.ts';
import { isRefusedRead, markAsNotSent } from './outcome.ts';
import type { Row } from './row.ts';
import {
  compareUnsent,
  isEvidence,
  type Loss,
  lossFailure,
  lossOf,
  replaceHint,
  unsentFields,
  updateBehaviorOf,
} from './update-loss.ts';

/** The options of an update guard. */
export interface GuardOptions {
  settings: Pick<Settings, 'profile' | 'sandbox'>;
  /** Reads for observers. */
  reader: WriteReader;
  /** Returns a record with all values that an update of it may send. */
  read(update: Call): Promise<Row>;
  /** Returns the part of an update that the token may send. */
  within(update: Operation): Pick<Operation, 'body'>;
}

/** A write that was sent. */
export interface Sent {
  answered?: Answered | undefined;
}

/** A checked update that was sent, and the fields that it emptied. */
export interface CheckedUpdate<SentWrite extends Sent> {
  sent: SentWrite;
  loss?: Loss | undefined;
}

/**
 * Sends an update with these facts for the observers, which may use another reader. `call` replaces the call to send.
 */
export type SendUpdate<One extends Sent = Sent> = (
  facts: WriteDetails,
  options?: { reader?: WriteReader; call?: Call },
) => Promise<One>;

/**
 * Protects fields that an update doesn't send: the document doesn't say whether services keep them
 * (docs/reference/deployments.md: "Answers"). In a bulk run the first updates are sent one at a time after their record was
 * read, until one has shown that the service keeps fields.
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

  /** Sends an update. Throws `partial` if it was carried out and has emptied other fields, and for each later one. */
  async send(call: Call, facts: WriteDetails, send: SendUpdate): Promise<Sent> {
    try {
      const { sent, loss } = await this.#sendInTurn(call, facts, send);
      if (loss) throw lossFailure(loss, this.#options.settings);
      return sent;
    } catch (error) {
      throw withHint(error, call, replaceHint(this.#options.settings));
    }
  }

  async #sendInTurn(call: Call, facts: WriteDetails, send: SendUpdate): Promise<CheckedUpdate<Sent>> {
    const { resource } = call.operation;
    if (!facts.hasMoreWrites || this.canSendNow(call, facts)) return this.#sendUnqueued(call, facts, send);
    const endTurn = await this.#waitForTurn(resource);
    try {
      if (this.canSendNow(call, facts) || this.#emptiedRecord !== undefined) {
        endTurn();
        return await this.#sendUnqueued(call, facts, send);
      }
      const before = await this.#readBefore(call);
      const unsent = before ? this.#unsentFields(call, before) : [];
      if (!before || unsent.length === 0) {
        if (before) this.#harmlessResources.add(resource);
        endTurn();
        return await this.#sendUnqueued(call, facts, send);
      }
      const sent = await send({ ...facts, recordBefore: before });
      return { sent, loss: await this.#lossIn(call, before, unsent, sent.answered?.record) };
    } finally {
      endTurn();
    }
  }

  /** Sends an update without the queue. */
  async #sendUnqueued(call: Call, facts: WriteDetails, send: SendUpdate): Promise<CheckedUpdate<Sent>> {
    if (this.#emptiedRecord !== undefined) throw notSentFailure(call, this.#emptiedRecord);
    return this.sendChecked(call, facts, send);
  }

  /** Sends an update and checks which fields it emptied, if its record is known anyway. */
  async sendChecked<One extends Sent>(
    call: Call,
    facts: WriteDetails,
    send: SendUpdate<One>,
  ): Promise<CheckedUpdate<One>> {
    let before = facts.recordBefore;
    const keepsFields = this.#keepingResources.has(call.operation.resource);
    if (keepsFields || (facts.hasMoreWrites && before === undefined)) return { sent: await send(facts) };
    const get: WriteReader['get'] = async (call) => {
      const answered = await this.#options.reader.get(call);
      // For an update, observers read only its record.
      before ??= answered.record;
      return answered;
    };
    const reader: WriteReader = {
      get,
      whoami: () => this.#options.reader.whoami(),
      accountKey: () => this.#options.reader.accountKey(),
    };
    const sent = await send(facts, { reader });
    const after = sent.answered?.record;
    if (!before || !after) return { sent };
    const stake = this.#unsentFields(call, before);
    const verdict = updateBehaviorOf(compareUnsent(stake, before, after));
    // The record was read for the plan of the run, and another user may have emptied fields since: the next update is checked.
    if (facts.hasMoreWrites && verdict === 'replaces')
      this.#harmlessResources.delete(call.operation.resource);
    else if (verdict !== 'open') return { sent, loss: await this.#lossIn(call, before, stake, after) };
    return { sent };
  }

  /**
   * Returns whether an update can be sent without waiting for another one. Records whose fields prove nothing aren't read
   * again, because the answer shows which fields were emptied.
   */
  canSendNow(call: Call, { recordBefore: known }: WriteDetails): boolean {
    const { resource } = call.operation;
    if (this.#keepingResources.has(resource)) return true;
    if (!this.#harmlessResources.has(resource) || known === undefined) return false;
    return !this.#unsentFields(call, known).some(isEvidence);
  }

  #unsentFields({ operation, body = {} }: Call, before: Row): BodyField[] {
    return unsentFields(this.#options.within(operation), body, before);
  }

  /** Returns the loss, if any. An answer may show less than the record, so the record itself is read first. */
  async #lossIn(
    call: Call,
    before: Row,
    stake: readonly BodyField[],
    answer: Row | undefined,
  ): Promise<Loss | undefined> {
    const { resource } = call.operation;
    let found = compareUnsent(stake, before, answer ?? {});
    if (
      updateBehaviorOf(found) === 'replaces' ||
      (updateBehaviorOf(found) === 'open' && found.hidden.length > 0)
    ) {
      const after = await this.#read(call);
      if (after) found = compareUnsent(stake, before, after);
    }
    if (updateBehaviorOf(found) === 'keeps') this.#keepingResources.add(resource);
    if (updateBehaviorOf(found) === 'open' && found.emptied.length === 0)
      this.#harmlessResources.add(resource);
    if (updateBehaviorOf(found) !== 'replaces') return undefined;
    this.#emptiedRecord = nameOf(call.operation, call.ids ?? []);
    return lossOf(call, before, found, this.#options.within(call.operation));
  }

  async #readBefore(call: Call): Promise<Row | undefined> {
    try {
      return await this.#options.read(call);
    } catch (error) {
      if (isRefusedRead(error)) return undefined;
      throw markAsNotSent(error);
    }
  }

  /** Reads the record again; if that isn't possible, the answer to the update is used. */
  async #read(call: Call): Promise<Row | undefined> {
    try {
      return await this.#options.read(call);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /**
   * Waits for the earlier updates of a resource. Returns the function that lets the next one continue; it may be called
   * repeatedly.
   */
  async #waitForTurn(resource: Resource): Promise<() => void> {
    const before = this.#queue.get(resource);
    let over = () => {};
    this.#queue.set(
      resource,
      new Promise((resolve) => {
        over = resolve;
      }),
    );
    await before;
    return over;
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

function notSentFailure(call: Call, replaced: string): Failure {
  return new Failure(
    'partial',
    `The update of ${nameOf(call.operation, call.ids ?? [])} was not sent, because the update of ${replaced} emptied fields that were not sent.`,
    { outcome: 'not_sent', endsRun: true },
  );
}
