/**
 * Checks the first updates of each resource: once one has emptied fields that it didn't send, nothing more is sent.
 */
import { Failure } from '../base/errors.ts';
import { type Hint, joinHints } from '../base/hint.ts';
import { type Answered, nameOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { Settings } from '../settings/settings.ts';
import type { WriteFacts, WriteReader } from './observed-writes.ts';
import { beforeSent, isReadRefused } from './outcome.ts';
import type { Row } from './row.ts';
import {
  atStake,
  comparedUnsent,
  failureOf,
  type Loss,
  lossOf,
  provesKeeping,
  replaceHint,
  verdictOf,
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

/** The answer to a write that was sent. */
export interface Sent {
  answered?: Answered | undefined;
}

/** A checked update that was sent, and the fields that it emptied. */
export interface Watched<One extends Sent> {
  sent: One;
  loss?: Loss | undefined;
}

/**
 * Sends an update with these facts for the observers, which may read with another reader. `as` is the call to send,
 * if it contains more than was requested.
 */
export type SendUpdate<One extends Sent = Sent> = (
  facts: WriteFacts,
  how?: { reader?: WriteReader; as?: Call },
) => Promise<One>;

/**
 * Protects fields that an update doesn't send: the document doesn't say whether they are kept
 * (docs/reference/deployments.md: "Answers"). In a bulk run the first updates are sent one at a time, with their
 * record read before, until one has shown that they are.
 */
export class UpdateGuard {
  readonly #options: GuardOptions;
  readonly #keeping = new Set<Resource>();
  /** Resources with a checked update that had little to lose, and lost nothing. */
  readonly #harmless = new Set<Resource>();
  /** The last of the updates that wait for each other, by resource. */
  readonly #turns = new Map<Resource, Promise<void>>();
  #replaced: string | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Sends an update. Throws `partial` if it was carried out and has emptied other fields, and for each later one. */
  async send(call: Call, facts: WriteFacts, send: SendUpdate): Promise<Sent> {
    try {
      const { sent, loss } = await this.#sendInTurn(call, facts, send);
      if (loss) throw failureOf(loss, this.#options.settings);
      return sent;
    } catch (error) {
      throw withHint(error, call, replaceHint(this.#options.settings));
    }
  }

  async #sendInTurn(call: Call, facts: WriteFacts, send: SendUpdate): Promise<Watched<Sent>> {
    const { resource } = call.operation;
    if (!facts.isOfSeveral || this.isSafe(call, facts)) return this.#sendAlone(call, facts, send);
    const over = await this.#turn(resource);
    try {
      if (this.isSafe(call, facts) || this.#replaced !== undefined) {
        over();
        return await this.#sendAlone(call, facts, send);
      }
      const before = await this.#readBefore(call);
      const stake = before ? this.#atStake(call, before) : [];
      if (!before || stake.length === 0) {
        if (before) this.#harmless.add(resource);
        over();
        return await this.#sendAlone(call, facts, send);
      }
      const sent = await send({ ...facts, known: before });
      return { sent, loss: await this.#lossIn(call, before, stake, sent.answered?.record) };
    } finally {
      over();
    }
  }

  /** Sends an update that others needn't wait for. */
  async #sendAlone(call: Call, facts: WriteFacts, send: SendUpdate): Promise<Watched<Sent>> {
    if (this.#replaced !== undefined) throw notSent(call, this.#replaced);
    return this.watch(call, facts, send);
  }

  /** Sends an update and checks which fields it emptied, if its record is known anyway. */
  async watch<One extends Sent>(call: Call, facts: WriteFacts, send: SendUpdate<One>): Promise<Watched<One>> {
    let before = facts.known;
    const isKept = this.#keeping.has(call.operation.resource);
    if (isKept || (facts.isOfSeveral && before === undefined)) return { sent: await send(facts) };
    const get: WriteReader['get'] = async (asked) => {
      const answered = await this.#options.reader.get(asked);
      // Observers read nothing for an update but its record.
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
    const stake = this.#atStake(call, before);
    const verdict = verdictOf(comparedUnsent(stake, before, after));
    // In a run the record was read for the plan, and another user may have emptied it since: the next update is watched.
    if (facts.isOfSeveral && verdict === 'replaces') this.#harmless.delete(call.operation.resource);
    else if (verdict !== 'open') return { sent, loss: await this.#lossIn(call, before, stake, after) };
    return { sent };
  }

  /**
   * Returns whether an update can be sent without waiting for another one. If a record has no fields that prove
   * anything, the answer to its update shows what was emptied: a price list of many such records isn't read again.
   */
  isSafe(call: Call, { known }: WriteFacts): boolean {
    const { resource } = call.operation;
    if (this.#keeping.has(resource)) return true;
    if (!this.#harmless.has(resource) || known === undefined) return false;
    return !this.#atStake(call, known).some(provesKeeping);
  }

  #atStake({ operation, body = {} }: Call, before: Row): BodyField[] {
    return atStake(this.#options.within(operation), body, before);
  }

  /** Returns the loss, if any. An answer may show less than the record, so the record itself is read first. */
  async #lossIn(
    call: Call,
    before: Row,
    stake: readonly BodyField[],
    answer: Row | undefined,
  ): Promise<Loss | undefined> {
    const { resource } = call.operation;
    let found = comparedUnsent(stake, before, answer ?? {});
    if (verdictOf(found) === 'replaces' || (verdictOf(found) === 'open' && found.hidden.length > 0)) {
      const after = await this.#read(call);
      if (after) found = comparedUnsent(stake, before, after);
    }
    if (verdictOf(found) === 'keeps') this.#keeping.add(resource);
    if (verdictOf(found) === 'open' && found.emptied.length === 0) this.#harmless.add(resource);
    if (verdictOf(found) !== 'replaces') return undefined;
    this.#replaced = nameOf(call.operation, call.ids ?? []);
    return lossOf(call, before, found, this.#options.within(call.operation));
  }

  async #readBefore(call: Call): Promise<Row | undefined> {
    try {
      return await this.#options.read(call);
    } catch (error) {
      if (isReadRefused(error)) return undefined;
      throw beforeSent(error);
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
   * Waits for the turn of a resource. Returns the function that lets the next one continue; it may be called
   * repeatedly.
   */
  async #turn(resource: Resource): Promise<() => void> {
    const before = this.#turns.get(resource);
    let over = () => {};
    this.#turns.set(
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
function withHint(error: unknown, { operation, body = {} }: Call, saying: Hint): unknown {
  if (!(error instanceof Failure) || error.category !== 'refused') return error;
  const { category, message, details } = error;
  const demanded = operation.body.filter(
    ({ name, field }) =>
      field.traits.required && !Object.hasOwn(body, name) && details.fields?.[name] !== undefined,
  );
  if (demanded.length === 0) return error;
  const names = demanded.map(({ name }) => name).join(', ');
  const why = `${names} was not sent. If the service replaces the whole record on update: `;
  return new Failure(category, message, {
    ...details,
    hint: joinHints('\n', details.hint, [why, saying]),
  });
}

function notSent(call: Call, replaced: string): Failure {
  return new Failure(
    'partial',
    `The update of ${nameOf(call.operation, call.ids ?? [])} was not sent, because the update of ${replaced} emptied fields that were not sent.`,
    { outcome: 'not_sent', endsRun: true },
  );
}
