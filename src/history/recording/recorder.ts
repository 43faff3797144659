/** Keeps every write of a session in the journal: written down before it leaves, and what came of it when it is known. */
import type { Api } from '../../contract/api.ts';
import { Failure } from '../../errors.ts';
import type {
  Came,
  OutgoingWrite,
  Part,
  WriteObserver,
  WriteOutcome,
  WriteReader,
} from '../../session/write.ts';
import { StorageFailure } from '../../storage/failures.ts';
import type { CommandContent } from '../journal/entry.ts';
import { type AccountFacts, Journal, type NewOutcome } from '../journal/journal.ts';
import { Ahead, type Written } from './ahead.ts';
import { type BeforeImage, knownImage, readImage } from './before-image.ts';
import { canBeTakenBack, comeToNothing, entryOf, outcomeOf } from './contents.ts';

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
  /** Entries that may wait for somebody to ask for them, where that isn’t as usual. */
  mostWaiting?: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** How long what came of a part of a run is left for later, in milliseconds; it goes along with the next part. */
const soon = 50;

/** After so many it is looked whether old entries are due to go: an odd number, as a single write counts as two. */
const lookEvery = 199;

/** Entries that may wait for somebody to ask for them: for so many he waits some seconds, once. Of more the oldest enter along the way. */
const usuallyWaiting = 100_000;
const enteredAlongTheWay = 1000;

/** A write, and what is known of what it is about. */
interface Outgoing {
  write: OutgoingWrite;
  image: BeforeImage;
}

/** Whose writes they are; `known` once somebody has said it. */
interface Owner {
  key: string;
  known: Awaited<ReturnType<WriteReader['whoami']>>;
}

export class Recorder implements WriteObserver {
  readonly #options: RecorderOptions;
  #journal: Journal | undefined;
  #hasProblem = false;
  #owner: Owner | undefined;
  readonly #commands = new Map<string, number>();
  /** Whether it is to be looked for old entries. */
  #isLookDue = false;
  /** By run: parts that other processes wrote down, and never said what came of them. */
  readonly #leftOpen = new Map<string, Map<string, number>>();
  readonly #ahead = new Ahead();
  /** Writes that have left, until it is told what came of them. */
  readonly #underWay = new Map<OutgoingWrite, Written>();
  #later: { number: number; outcome: NewOutcome }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  async before(write: OutgoingWrite, reader: WriteReader): Promise<void> {
    // Nothing is read for a journal that can't be written.
    const journal = this.#opened();
    if (!journal) return;
    if (this.#wasAhead(write)) return this.#ahead.refill(() => this.#writeAhead(write));
    const image = knownImage(write, this.#options.isReadBefore) ?? (await readImage(write, reader));
    if (!this.#commands.has(this.#runOf(write))) {
      this.#owner = { key: await reader.accountKey(), known: await reader.whoami() };
      // Meanwhile another one of its run may have written it down.
      if (this.#wasAhead(write)) return;
    }
    const outgoing = [{ write, image }, ...this.#following(write)];
    this.#attempt('not_sent', () => this.#writeDown(journal, outgoing, write));
  }

  async after(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> {
    const [left, journal] = [this.#underWay.get(write), this.#journal];
    this.#underWay.delete(write);
    if (!left || !journal) return;
    const { number, canBeTakenBack: isUndoable } = left;
    const { api, now, onKept } = this.#options;
    const told = { ...outcomeOf(outcome, write, api), at: now() };
    this.#later.push({ number, outcome: told });
    const isNamed =
      write.call?.operation.effect !== 'create' || told.outcome !== 'done' || told.id !== undefined;
    if (told.outcome !== 'refused' && isNamed && isUndoable) onKept?.(number, this.#runOf(write));
    if (write.told.part) this.#timer ??= setTimeout(() => this.#flush(), soon);
    else this.#flush();
    await this.#keepInOrder(journal);
  }

  async leftOpen(run: string): Promise<string[]> {
    return [...(await this.#openIn(run)).keys()];
  }

  async settled({ run, name }: Part, came: Came): Promise<void> {
    const open = await this.#openIn(run);
    const [number, journal] = [open.get(name), this.#journal];
    if (number === undefined || !journal) return;
    this.#attempt('unknown', () => {
      const told =
        came.to === 'done'
          ? { outcome: 'done' as const, after: null, id: came.id }
          : comeToNothing('It was not carried out before its process ended.');
      journal.addOutcome(number, { at: this.#options.now(), ...told });
      open.delete(name);
    });
  }

  runEnded(): void {
    const at = this.#options.now();
    for (const number of this.#ahead.takeAll())
      this.#later.push({
        number,
        outcome: { at, ...comeToNothing('It was not sent: its run stopped before.') },
      });
    this.#flush();
  }

  /** To be told when nothing is written any more. */
  finish(): void {
    this.runEnded();
    this.#journal?.close();
    this.#journal = undefined;
  }

  /** Whether it is written down already, along with another one. */
  #wasAhead(write: OutgoingWrite): boolean {
    const found = this.#ahead.take(write);
    if (found) this.#underWay.set(write, found);
    return found !== undefined;
  }

  /** What leaves soon after it, as far as it is known what is there before. */
  #following({ next }: OutgoingWrite): Outgoing[] {
    return (next?.() ?? []).flatMap((write) => {
      const image = this.#ahead.has(write) ? undefined : knownImage(write, this.#options.isReadBefore);
      return image ? [{ write, image }] : [];
    });
  }

  /** What follows a write. What can’t be written down is told of, or refused, when it is to leave. */
  #writeAhead(write: OutgoingWrite): void {
    const [journal, following] = [this.#journal, this.#following(write)];
    if (!journal || following.length === 0) return;
    try {
      this.#writeDown(journal, following);
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error;
    }
  }

  /** In one transaction, in their order; all but the one that leaves now wait for their turn. */
  #writeDown(journal: Journal, outgoing: readonly Outgoing[], leaving?: OutgoingWrite): void {
    const { api, now } = this.#options;
    const at = now();
    const numbers = journal.write(() => {
      this.#writeLater(journal);
      return outgoing.map(({ write, image }) => {
        const command = this.#command(journal, this.#runOf(write));
        return journal.addEntry({ ...entryOf(write, image, api), at, command });
      });
    });
    this.#later = [];
    outgoing.forEach(({ write, image }, place) => {
      const number = numbers[place] as number;
      const written = { number, canBeTakenBack: canBeTakenBack(write, image) };
      if (write === leaving) this.#underWay.set(write, written);
      else this.#ahead.add(write, written);
    });
  }

  /** By part, with the numbers of their entries. */
  async #openIn(run: string): Promise<Map<string, number>> {
    const known = this.#leftOpen.get(run);
    const journal = this.#opened();
    if (known || !journal) return known ?? new Map();
    const { openParts } = await import('../journal/open-parts.ts');
    this.#attempt('unknown', () => this.#leftOpen.set(run, openParts(journal, run)));
    return this.#leftOpen.get(run) ?? new Map();
  }

  /** Nobody who asks should wait for long, however much is written until then; and what is old goes by itself. */
  async #keepInOrder(journal: Journal): Promise<void> {
    const { mostWaiting = usuallyWaiting } = this.#options;
    if (journal.waiting <= mostWaiting && !this.#isLookDue) return;
    const { enterQueued } = await import('../journal/enter-queued.ts');
    const { dropOld, usualLimits } = await import('../keeping/drop.ts');
    // Its session may have ended meanwhile.
    if (journal !== this.#journal) return;
    this.#attempt('unknown', () => {
      const tooMany = journal.waiting - mostWaiting;
      if (tooMany > 0) journal.waiting -= enterQueued(journal.database, tooMany + enteredAlongTheWay);
      if (this.#isLookDue) dropOld(journal, usualLimits, this.#options.now());
      this.#isLookDue = false;
    });
  }

  #runOf({ told: { part } }: OutgoingWrite): string {
    return part?.run ?? this.#options.run;
  }

  /** Writes what was left for later. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const journal = this.#journal;
    if (!journal) return;
    this.#attempt('unknown', () => {
      if (this.#later.length > 0) journal.write(() => this.#writeLater(journal));
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
  #command(journal: Journal, run: string): number {
    const made = this.#commands.get(run);
    if (made !== undefined) return made;
    const { line, profile, account, undoing, now } = this.#options;
    const { key = '', known } = this.#owner ?? {};
    const { businessId, businessName, userId, userName } = known ?? {};
    const asked = { business: businessId, businessName, user: userId, userName };
    const told = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
    // A run that goes on was asked for what others had left open before it sent anything.
    if (!this.#leftOpen.has(run)) this.#leftOpen.set(run, new Map());
    const id = journal.addCommand(now(), {
      run,
      line,
      profile,
      ...undoing,
      account: { ...account, ...told, key },
    });
    this.#commands.set(run, id);
    this.#isLookDue ||= id % lookEvery === 0;
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
