/** Records every write of a session in the journal: the entry before it is sent, and then its outcome. */

import { Failure } from '../../base/errors.ts';
import {
  type OutgoingWrite,
  outcomeDelayMs,
  type PartResult,
  type RunPartName,
  type WriteObserver,
  type WriteOutcome,
  type WriteReader,
} from '../../session/observed-writes.ts';
import { StorageFailure } from '../../storage/failures.ts';
import { enterQueued } from '../journal/enter-queued.ts';
import { Journal, type NewOutcome } from '../journal/journal.ts';
import { openParts } from '../journal/run-parts.ts';
import { defaultLimits, dropOld } from '../maintenance/delete-old.ts';
import { noteLoss, noticeOf } from '../maintenance/note-loss.ts';
import { type BeforeImage, knownImage, readImage } from './before-image.ts';
import { entryOf, isUndoable, notSent, outcomeOf } from './contents.ts';
import { isFree, LongWait } from './long-wait.ts';
import { accountFacts, type Owner, type RecorderOptions } from './recorder-options.ts';

/** The number of writes between checks for old entries: odd, because a single write counts as two. */
const writesBetweenChecks = 199;

/** The maximum number of queued entries: a reader waits some seconds, once, until they move. Beyond it the oldest move along the way. */
const defaultMaxWaiting = 100_000;

/** The number of entries that move to the tables at a time. */
const batchEntries = 1000;

/** The entry of a write that was announced. */
interface Begun {
  number: number;
  isUndoable: boolean;
}

/** Observes the writes of a session and records them in the journal. */
export class Recorder implements WriteObserver {
  readonly #options: RecorderOptions;
  #journal: Journal | undefined;
  #hasProblem = false;
  #owner: Owner | undefined;
  readonly #commands = new Map<string, number>();
  /** Whether a check for old entries is due. */
  #isLookDue = false;
  /** By run: parts without an outcome, which other processes announced or whose outcome is unknown. */
  readonly #leftOpen = new Map<string, Map<string, number>>();
  readonly #waiting: LongWait;
  /** Announced writes without a reported outcome. */
  readonly #begun = new Map<OutgoingWrite, Begun>();
  #later: { number: number; outcome: NewOutcome }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#waiting = new LongWait(options);
  }

  /** Records the entries of a batch in one transaction, in its order. */
  async before(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<void> {
    // Reads no records if the journal can't be written.
    const journal = this.#opened();
    if (!journal) return;
    if (journal.loss) await this.#noteLoss(journal);
    const images = new Map<OutgoingWrite, BeforeImage>();
    for (const write of batch) {
      const image = knownImage(write, this.#options.isReadBefore) ?? (await readImage(write, reader));
      if (image.before) this.#options.onRead?.({ ...write.call, known: image.before });
      images.set(write, image);
    }
    if (batch.some((write) => !this.#commands.has(this.#runOf(write))))
      this.#owner = { key: await reader.accountKey(), known: await reader.whoami() };
    await this.#keep('not_sent', journal, () => this.#begin(journal, images));
  }

  async after(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> {
    const [begun, journal] = [this.#begun.get(write), this.#journal];
    this.#begun.delete(write);
    if (!begun || !journal) return;
    const { number, isUndoable } = begun;
    const { api, now, onKept } = this.#options;
    const reported = { ...outcomeOf(outcome, write, api), at: now() };
    const { part } = write.facts;
    const open = part && reported.id === undefined ? this.#leftOpen.get(part.run) : undefined;
    // A part of a run whose outcome is unknown stays open: the run looks it up, and reports what it finds.
    if (part && open && reported.outcome === 'unknown') open.set(part.name, number);
    else this.#later.push({ number, outcome: reported });
    const isNamed =
      write.call?.operation.effect !== 'create' || reported.outcome !== 'done' || reported.id !== undefined;
    if (reported.outcome !== 'refused' && isNamed && isUndoable) onKept?.(number, this.#runOf(write));
    if (part) this.#timer ??= setTimeout(() => void this.#flush(), outcomeDelayMs);
    else await this.#flush();
    this.#keepInOrder(journal);
  }

  async unfinishedParts(run: string): Promise<string[]> {
    return [...(await this.#openIn(run)).keys()];
  }

  async reconciled({ run, name }: RunPartName, result: PartResult): Promise<void> {
    const open = await this.#openIn(run);
    const [number, journal] = [open.get(name), this.#journal];
    if (number === undefined || !journal) return;
    await this.#keep('unknown', journal, () => {
      const outcome =
        result.is === 'done'
          ? { outcome: 'done' as const, after: null, id: result.id }
          : notSent('It was not carried out before its process ended.');
      journal.addOutcome(number, { at: this.#options.now(), ...outcome });
      open.delete(name);
    });
  }

  async runEnded(unsent: readonly OutgoingWrite[]): Promise<void> {
    const at = this.#options.now();
    for (const write of unsent) {
      const number = this.#begun.get(write)?.number;
      this.#begun.delete(write);
      const outcome = { at, ...notSent('It was not sent: its run stopped before.') };
      if (number !== undefined) this.#later.push({ number, outcome });
    }
    await this.#flush();
  }

  finish(): void {
    clearTimeout(this.#timer);
    const journal = this.#journal;
    if (journal) this.#attempt('unknown', () => this.#writeAllLater(journal));
    journal?.close();
    this.#journal = undefined;
  }

  #begin(journal: Journal, images: ReadonlyMap<OutgoingWrite, BeforeImage>): void {
    const { api, now } = this.#options;
    const at = now();
    const numbers = journal.write(() => {
      this.#writeLater(journal);
      return [...images].map(([write, image]) => {
        const command = this.#command(journal, this.#runOf(write));
        return journal.addEntry({ ...entryOf(write, image, api), at, command });
      });
    });
    this.#later = [];
    for (const [place, [write, image]] of [...images].entries()) {
      const number = numbers[place] as number;
      this.#begun.set(write, { number, isUndoable: isUndoable(write, image) });
    }
  }

  /** Returns the entry numbers of open parts by part. */
  async #openIn(run: string): Promise<Map<string, number>> {
    const known = this.#leftOpen.get(run);
    const journal = this.#opened();
    if (known || !journal) return known ?? new Map();
    if (journal.loss) await this.#noteLoss(journal);
    await this.#keep('unknown', journal, () => this.#leftOpen.set(run, openParts(journal, run)));
    return this.#leftOpen.get(run) ?? new Map();
  }

  /** Keeps the queue short, so that readers don't wait long, and deletes old entries. */
  #keepInOrder(journal: Journal): void {
    const { maxWaiting = defaultMaxWaiting, now } = this.#options;
    if (journal.waiting <= maxWaiting && !this.#isLookDue) return;
    this.#attempt('unknown', () => {
      if (maintainJournal(journal, maxWaiting, this.#isLookDue ? now() : undefined)) this.#isLookDue = false;
    });
  }

  #runOf({ facts: { part } }: OutgoingWrite): string {
    return part?.run ?? this.#options.run;
  }

  /** Writes the delayed outcomes. */
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

  /** Records a loss before anything else is written to the journal. */
  async #noteLoss(journal: Journal): Promise<void> {
    await this.#keep('not_sent', journal, () => {
      const noted = noteLoss(journal, this.#options.now());
      if (noted) this.#options.onProblem(noticeOf(noted, journal));
    });
  }

  /** Returns the command of a run in this process; there is one per run. */
  #command(journal: Journal, run: string): number {
    const made = this.#commands.get(run);
    if (made !== undefined) return made;
    const { line, profile, account, undoing, change, now } = this.#options;
    // A resumed run has read the parts that other processes left open before it sent anything.
    if (!this.#leftOpen.has(run)) this.#leftOpen.set(run, new Map());
    const facts = accountFacts(this.#owner, account);
    const id = journal.addCommand(now(), { run, line, profile, ...undoing, change, account: facts });
    this.#commands.set(run, id);
    this.#isLookDue ||= id % writesBetweenChecks === 0;
    return id;
  }

  /**
   * Does the same as `#attempt`, but waits for another process that locks the journal for long, for example to scrub a large
   * one. The wait can be interrupted.
   */
  async #keep(outcome: 'not_sent' | 'unknown', journal: Journal, work: () => void): Promise<void> {
    const guarded = () => {
      if (journal === this.#journal) work();
    };
    try {
      await this.#waiting.inTurn(journal.database, guarded, () => journal === this.#journal);
    } catch (error) {
      const { signal } = this.#options;
      // The outcome is written again at the end.
      if (signal?.aborted && error === signal.reason && outcome === 'unknown') return;
      this.#fail(outcome, error);
    }
  }

  /** A journal failure stops nothing, unless the journal is required and nothing was sent yet. */
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
    // The failed transaction may have created the command.
    this.#commands.clear();
    const sentence = `${error.message} Writes are sent, but not recorded in it.`;
    if (!this.#hasProblem) onProblem(sentence);
    this.#hasProblem = true;
  }
}

/** Moves queued entries to the tables, and deletes old ones if `now` is given. Returns false if another process holds the lock; the next call tries again. */
function maintainJournal(journal: Journal, maxWaiting: number, now: number | undefined): boolean {
  if (!isFree(journal.database)) return false;
  const tooMany = journal.waiting - maxWaiting;
  if (tooMany > 0) journal.waiting -= enterQueued(journal.database, tooMany + batchEntries);
  if (now !== undefined) dropOld(journal, defaultLimits, now);
  return true;
}
