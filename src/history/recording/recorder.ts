/** Keeps every write of a session in the journal: written down before it leaves, and what came of it when it is known. */
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
import { Journal, type NewOutcome } from '../journal/journal.ts';
import { Ahead, type Written } from './ahead.ts';
import { type BeforeImage, knownImage, readImage } from './before-image.ts';
import { canBeTakenBack, comeToNothing, entryOf, outcomeOf } from './contents.ts';
import { LongWait } from './long-wait.ts';
import { accountFacts, type Owner, type RecorderOptions } from './recorder-options.ts';

/** How long what came of a part of a run is left for later, in milliseconds; it goes along with the next part. */
const soon = 50;

/** After so many it is looked whether old entries are due to go: an odd number, as a single write counts as two. */
const lookEvery = 199;

/** Entries that may wait for somebody to ask for them: for so many he waits some seconds, once. Of more the oldest enter along the way. */
const usuallyWaiting = 100_000;

/** A write, and what is known of what it is about. */
interface Outgoing {
  write: OutgoingWrite;
  image: BeforeImage;
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
  readonly #waiting: LongWait;
  /** Writes that have left, until it is told what came of them. */
  readonly #underWay = new Map<OutgoingWrite, Written>();
  #later: { number: number; outcome: NewOutcome }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#waiting = new LongWait(options);
  }

  async before(write: OutgoingWrite, reader: WriteReader): Promise<void> {
    // Nothing is read for a journal that can't be written.
    const journal = this.#opened();
    if (!journal) return;
    if (journal.loss) await this.#noteLoss(journal);
    if (this.#wasAhead(write)) return this.#ahead.refill(() => this.#writeAhead(write));
    const image = knownImage(write, this.#options.isReadBefore) ?? (await readImage(write, reader));
    if (image.before) this.#options.onRead?.({ ...write.call, known: image.before });
    if (!this.#commands.has(this.#runOf(write))) {
      this.#owner = { key: await reader.accountKey(), known: await reader.whoami() };
      // Meanwhile another one of its run may have written it down.
      if (this.#wasAhead(write)) return;
    }
    await this.#keep('not_sent', journal, () => {
      // While it waited, another one may have written it down.
      if (!this.#wasAhead(write))
        this.#writeDown(journal, [{ write, image }, ...this.#following(write)], write);
    });
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
    if (write.told.part) this.#timer ??= setTimeout(() => void this.#flush(), soon);
    else await this.#flush();
    await this.#keepInOrder(journal);
  }

  async leftOpen(run: string): Promise<string[]> {
    return [...(await this.#openIn(run)).keys()];
  }

  async settled({ run, name }: Part, came: Came): Promise<void> {
    const open = await this.#openIn(run);
    const [number, journal] = [open.get(name), this.#journal];
    if (number === undefined || !journal) return;
    await this.#keep('unknown', journal, () => {
      const told =
        came.to === 'done'
          ? { outcome: 'done' as const, after: null, id: came.id }
          : comeToNothing('It was not carried out before its process ended.');
      journal.addOutcome(number, { at: this.#options.now(), ...told });
      open.delete(name);
    });
  }

  async runEnded(): Promise<void> {
    this.#leaveAhead();
    await this.#flush();
  }

  finish(): void {
    this.#leaveAhead();
    clearTimeout(this.#timer);
    const journal = this.#journal;
    if (journal) this.#attempt('unknown', () => this.#writeAllLater(journal));
    journal?.close();
    this.#journal = undefined;
  }

  /** What was written down along with others, and was not sent. */
  #leaveAhead(): void {
    const at = this.#options.now();
    for (const number of this.#ahead.takeAll())
      this.#later.push({
        number,
        outcome: { at, ...comeToNothing('It was not sent: its run stopped before.') },
      });
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
    if (journal.loss) await this.#noteLoss(journal);
    const { openParts } = await import('../journal/open-parts.ts');
    await this.#keep('unknown', journal, () => this.#leftOpen.set(run, openParts(journal, run)));
    return this.#leftOpen.get(run) ?? new Map();
  }

  /** Nobody who asks should wait for long, however much is written until then; and what is old goes by itself. */
  async #keepInOrder(journal: Journal): Promise<void> {
    const { mostWaiting = usuallyWaiting, now } = this.#options;
    if (journal.waiting <= mostWaiting && !this.#isLookDue) return;
    const { putInOrder } = await import('../keeping/put-in-order.ts');
    // Its session may have ended meanwhile.
    if (journal !== this.#journal) return;
    this.#attempt('unknown', () => {
      if (putInOrder(journal, mostWaiting, this.#isLookDue ? now() : undefined)) this.#isLookDue = false;
    });
  }

  #runOf({ told: { part } }: OutgoingWrite): string {
    return part?.run ?? this.#options.run;
  }

  /** Writes what was left for later. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const journal = this.#journal;
    if (journal) await this.#keep('unknown', journal, () => this.#writeAllLater(journal));
  }

  #writeAllLater(journal: Journal): void {
    if (this.#later.length > 0) journal.write(() => this.#writeLater(journal));
    this.#later = [];
  }

  #writeLater(journal: Journal): void {
    for (const { number, outcome } of this.#later) journal.addOutcome(number, outcome);
  }

  #opened(): Journal | undefined {
    const { file, headFile, hide, isRequired } = this.#options;
    if (this.#journal || (this.#hasProblem && !isRequired)) return this.#journal;
    this.#attempt('not_sent', () => (this.#journal = new Journal(file, { hide, headFile })));
    return this.#journal;
  }

  /** Before anything is written to a journal that has lost writes. */
  async #noteLoss(journal: Journal): Promise<void> {
    const { noteLoss, noticeOf } = await import('../keeping/note-loss.ts');
    await this.#keep('not_sent', journal, () => {
      const noted = noteLoss(journal, this.#options.now());
      if (noted) this.#options.onProblem(noticeOf(noted, journal));
    });
  }

  /** One for each run that this process writes for. */
  #command(journal: Journal, run: string): number {
    const made = this.#commands.get(run);
    if (made !== undefined) return made;
    const { line, profile, account, undoing, now } = this.#options;
    // A run that goes on was asked for what others had left open before it sent anything.
    if (!this.#leftOpen.has(run)) this.#leftOpen.set(run, new Map());
    const facts = accountFacts(this.#owner, account);
    const id = journal.addCommand(now(), { run, line, profile, ...undoing, account: facts });
    this.#commands.set(run, id);
    this.#isLookDue ||= id % lookEvery === 0;
    return id;
  }

  /**
   * The same as `#attempt`, but that another process which keeps the journal for long is waited for: one that scrubs a
   * large one, say. Meanwhile the program can be told to end.
   */
  async #keep(outcome: 'not_sent' | 'unknown', journal: Journal, work: () => void): Promise<void> {
    const guarded = () => {
      if (journal === this.#journal) work();
    };
    try {
      await this.#waiting.inTurn(journal.database, guarded, () => journal === this.#journal);
    } catch (error) {
      const { signal } = this.#options;
      // What came of it is tried once more in the end.
      if (signal?.aborted && error === signal.reason && outcome === 'unknown') return;
      this.#fail(outcome, error);
    }
  }

  /** What the journal can't do stops nothing, unless it is required and nothing has been sent yet. */
  #attempt(outcome: 'not_sent' | 'unknown', work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(outcome, error);
    }
  }

  #fail(outcome: 'not_sent' | 'unknown', error: unknown): void {
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
    const sentence = `${error.message} Writes are sent all the same, and are not kept in it.`;
    if (!this.#hasProblem) onProblem(sentence);
    this.#hasProblem = true;
  }
}
