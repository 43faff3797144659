/** Keeps every write of a session in the journal: written down before it leaves, and what came of it when it is known. */
import type { Api } from '../../contract/api.ts';
import { canBeUndone } from '../../contract/lasting.ts';
import { Failure } from '../../errors.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Call, OutgoingWrite, WriteObserver, WriteOutcome, WriteReader } from '../../session/write.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { CommandContent, EntryOutcome } from '../journal/entry.ts';
import { type AccountFacts, Journal, type NewOutcome } from '../journal/journal.ts';
import { dropOld, usualLimits } from '../keeping/drop.ts';
import { beforeImage } from './before-image.ts';
import { coveredMessage, coveredRequest, maskFor } from './covered.ts';

export interface RecorderOptions {
  api: Api;
  /** Where the journal is. */
  file: string;
  /** The line that was typed, secrets covered. */
  line: string;
  /** Of what isn't a part of a run over many records. */
  run: string;
  profile: string | null;
  /** What is known of the account without asking. */
  account: Omit<AccountFacts, 'key'>;
  undoing?: Pick<CommandContent, 'takesBack' | 'isRedo'> | undefined;
  /** Whether records are read before they are written. */
  isReadBefore: boolean;
  /** What can't be kept is not sent. */
  isRequired: boolean;
  /** Covers what must never be kept, such as the token, wherever it stands. */
  hide(text: string): string;
  /** Told once of what keeps writes from being kept. */
  onProblem(sentence: string): void;
  /** Told of each write that is kept, has changed something, and can be taken back. */
  onKept?(number: number, run: string): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** How long what came of a part of a run is left for later, in milliseconds; it goes along with the next part. */
const soon = 50;

/** After so many commands it is looked whether old entries are due to go. */
const lookEvery = 200;

export class Recorder implements WriteObserver {
  readonly #options: RecorderOptions;
  #journal: Journal | undefined;
  #hasProblem = false;
  #key: string | undefined;
  readonly #commands = new Map<string, number>();
  readonly #numbers = new WeakMap<OutgoingWrite, number>();
  readonly #undoable = new WeakSet<OutgoingWrite>();
  #later: { number: number; outcome: NewOutcome }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  async before(write: OutgoingWrite, reader: WriteReader): Promise<void> {
    const { api, now, isReadBefore } = this.#options;
    // Nothing is read for a journal that can't be written.
    const journal = this.#opened();
    if (!journal) return;
    const image = await beforeImage(write, reader, isReadBefore);
    const [known, key] = await this.#whose(reader);
    const cover = maskFor(write, api);
    const entry = {
      ids: write.call?.ids ?? [],
      request: coveredRequest(write, api, cover),
      ...image,
      before: cover(image.before) as Row | null,
    };
    this.#attempt('not_sent', () => {
      const { part } = write.told;
      const [resource, verb] = [write.call?.operation.resource.name, write.call?.operation.verb];
      const number = journal.write(() => {
        this.#writeLater(journal);
        return journal.addEntry({
          ...entry,
          at: now(),
          command: this.#command(journal, part?.run ?? this.#options.run, key, known),
          part: part?.name,
          resource: resource ?? null,
          verb: verb ?? null,
          fields: fieldsOf(write),
        });
      });
      this.#later = [];
      this.#numbers.set(write, number);
      if (isKnown(write, image.missing)) this.#undoable.add(write);
    });
  }

  /** Asked until somebody has said it. */
  async #whose(reader: WriteReader): Promise<[Awaited<ReturnType<WriteReader['whoami']>>, string]> {
    this.#key ??= await reader.accountKey();
    return [await reader.whoami(), this.#key];
  }

  after(write: OutgoingWrite, outcome: WriteOutcome): void {
    const number = this.#numbers.get(write);
    if (number === undefined) return;
    const { api, now } = this.#options;
    const cover = maskFor(write, api);
    const inWords = (text: string) => coveredMessage(text, write, api);
    const told = { ...toldOf(outcome, cover, inWords), at: now() };
    this.#later.push({ number, outcome: told });
    if (told.outcome !== 'refused' && this.#undoable.has(write))
      this.#options.onKept?.(number, write.told.part?.run ?? this.#options.run);
    if (write.told.part) this.#timer ??= setTimeout(() => this.flush(), soon);
    else this.flush();
  }

  settled({ run, name }: { run: string; name: string }, id: string | undefined): void {
    const journal = this.#opened();
    if (!journal) return;
    this.#attempt('unknown', () => {
      const number = journal.openPart(run, name);
      if (number !== undefined)
        journal.addOutcome(number, { at: this.#options.now(), outcome: 'done', after: null, id });
    });
  }

  /** Writes what was left for later. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const journal = this.#journal;
    if (!journal || this.#later.length === 0) return;
    this.#attempt('unknown', () => {
      journal.write(() => this.#writeLater(journal));
      this.#later = [];
    });
  }

  #writeLater(journal: Journal): void {
    for (const { number, outcome } of this.#later) journal.addOutcome(number, outcome);
  }

  #opened(): Journal | undefined {
    if (this.#journal || (this.#hasProblem && !this.#options.isRequired)) return this.#journal;
    this.#attempt('not_sent', () => {
      this.#journal = new Journal(this.#options.file, this.#options.hide);
    });
    return this.#journal;
  }

  /** One for each run that this process writes for. */
  #command(
    journal: Journal,
    run: string,
    key: string,
    known: Awaited<ReturnType<WriteReader['whoami']>>,
  ): number {
    const { line, profile, account, undoing, now } = this.#options;
    const made = this.#commands.get(run);
    if (made !== undefined) return made;
    const { businessId, businessName, userId, userName } = known ?? {};
    const asked = { business: businessId, businessName, user: userId, userName };
    const told = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    const id = journal.addCommand(now(), {
      run,
      line,
      profile,
      ...undoing,
      account: { ...account, ...told, key },
    });
    this.#commands.set(run, id);
    if (id % lookEvery === 0) dropOld(journal, usualLimits, now());
    return id;
  }

  /** What the journal can't do stops nothing, unless it is required and nothing has been sent yet. */
  #attempt(outcome: 'not_sent' | 'unknown', work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
      const { isRequired, onProblem } = this.#options;
      if (isRequired && outcome === 'not_sent') {
        throw new Failure('unavailable', `${error.message} Nothing was sent: history.required is on.`, {
          ...error.details,
          outcome,
        });
      }
      // A transaction that failed may have made the command that it was for.
      this.#commands.clear();
      if (!this.#hasProblem)
        onProblem(`${error.message} Writes are sent all the same, and are not kept in it.`);
      this.#hasProblem = true;
    }
  }
}

/** Whether it is known how to take it back. */
function isKnown({ call }: OutgoingWrite, missing: string | undefined): boolean {
  if (!call || !canBeUndone(call.operation, call.body ?? {})) return false;
  const needsBefore = ['update', 'link', 'unlink'].includes(call.operation.effect);
  return !needsBefore || missing === undefined;
}

/** By the names of answers. */
function fieldsOf({ call, request: { body } }: OutgoingWrite): string[] {
  if (!call) return body === undefined ? [] : Object.keys(Object(JSON.parse(body)));
  const { effect, link, resource, body: fields } = call.operation;
  if (link) return [link.field];
  if (effect === 'delete' || effect === 'restore')
    return Object.hasOwn(resource.fields, 'deleted_at') ? ['deleted_at'] : [];
  return namesGiven(call, fields);
}

function namesGiven({ body = {} }: Call, fields: Call['operation']['body']): string[] {
  return Object.keys(body).map((name) => fields.find((entry) => entry.name === name)?.shown ?? name);
}

function toldOf(
  outcome: WriteOutcome,
  cover: (value: unknown) => unknown,
  inWords: (message: string) => string,
): Omit<NewOutcome, 'at'> {
  if (outcome.done) {
    const record = outcome.answered?.record;
    const after = isRow(record) ? (cover(record) as Row) : null;
    return { outcome: 'done', after, ...(typeof record?.id === 'string' && { id: record.id }) };
  }
  const { category, message, details } = outcome.failure;
  const error = {
    category,
    message: inWords(message),
    ...(details.status !== undefined && { status: details.status }),
  };
  return { outcome: outcomes[details.outcome ?? 'not_sent'], after: null, error };
}

const outcomes: Readonly<Record<'not_sent' | 'unknown' | 'done', EntryOutcome>> = {
  not_sent: 'refused',
  unknown: 'unknown',
  done: 'done',
};
