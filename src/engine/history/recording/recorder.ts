/** Records every write of a session in the journal: the entry before it is sent, and then its outcome. */
import { dirname } from 'node:path';
import type { AccountInUse } from '../../../account/session/account.ts';
import {
  type OutgoingWrite,
  outcomeDelayMs,
  type PartResult,
  type PlannedWrite,
  type RunPartName,
  type WriteObserver,
  type WriteOutcome,
  type WriteReader,
} from '../../../account/session/observed-writes.ts';
import type { Api } from '../../../api/contract/api.ts';
import { Failure } from '../../../base/errors.ts';
import { isBusy, StorageFailure } from '../../../base/storage/failures.ts';
import { retryWhileBusy } from '../../../base/storage/retry-while-busy.ts';
import type { CommandContent } from '../journal/entry.ts';
import { Journal, journalFile, type NewOutcome } from '../journal/journal.ts';
import { openParts } from '../journal/run-parts.ts';
import { defaultLimits, dropOld } from '../maintenance/delete-old.ts';
import { type BeforeImage, knownImage, readImage, requestFailure } from './before-image.ts';
import { entryOf, isUndoable, notSentOutcome, outcomeOf } from './contents.ts';

/** The number of commands between checks for old entries. */
const commandsBetweenChecks = 100;

/** The default maximum wait in milliseconds. Scrubbing a gigabyte takes seconds, or much longer on a slow disk. */
const defaultMaxWaitMs = 300_000;

/** The time after which a wait is reported, in milliseconds. */
const announcedWaitMs = 2000;

/** The entry of a write that was announced. */
interface BegunEntry {
  number: number;
  isUndoable: boolean;
}

/** Observes the writes of a session and records them in the journal. */
export class Recorder implements WriteObserver {
  readonly #options: RecorderOptions;
  #journal: Journal | undefined;
  #hasProblem = false;
  #account: AccountInUse | undefined;
  readonly #commands = new Map<string, number>();
  /** Whether a check for old entries is due. */
  #isCheckDue = false;
  /** The parts without an outcome, by run: other processes announced them, or their outcome is unknown. */
  readonly #openParts = new Map<string, Map<string, number>>();
  /** Announced writes without a reported outcome. */
  readonly #begun = new Map<OutgoingWrite, BegunEntry>();
  #delayed: { number: number; outcome: NewOutcome }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isWaitAnnounced = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Records the entries of a batch in one transaction, in its order. */
  async beforeBatch(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<void> {
    // If the journal can't be written, no records are read.
    const journal = await this.#openJournal();
    if (!journal) return;
    const images = new Map<OutgoingWrite, BeforeImage>();
    for (const write of batch) {
      const image = knownImage(write, this.#options.isReadBefore) ?? (await readImage(write, reader));
      if (image.before) this.#options.onRead?.({ ...write.call, recordBefore: image.before });
      images.set(write, image);
    }
    if (batch.some((write) => !this.#commands.has(this.#runOf(write))))
      this.#account = await reader.account();
    await this.#attemptInTurn('not_sent', journal, () => this.#addEntries(journal, images));
  }

  async afterSend(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> {
    const [begunEntry, journal] = [this.#begun.get(write), this.#journal];
    this.#begun.delete(write);
    if (!begunEntry || !journal) return;
    const { number, isUndoable } = begunEntry;
    const { api, now, onKept } = this.#options;
    const journalOutcome = { ...outcomeOf(outcome, write, api), at: now() };
    const { part } = write.details;
    const openNumbers = part && journalOutcome.id === undefined ? this.#openParts.get(part.run) : undefined;
    // A part of a run whose outcome is unknown stays open: the run reconciles it and reports the outcome.
    if (part && openNumbers && journalOutcome.outcome === 'unknown') openNumbers.set(part.name, number);
    else this.#delayed.push({ number, outcome: journalOutcome });
    const isNamed =
      write.call?.operation.effect !== 'create' ||
      journalOutcome.outcome !== 'done' ||
      journalOutcome.id !== undefined;
    if (journalOutcome.outcome !== 'refused' && isNamed && isUndoable) onKept?.(number, this.#runOf(write));
    if (part) this.#timer ??= setTimeout(() => void this.#flush(), outcomeDelayMs);
    else await this.#flush();
    this.#deleteOld(journal);
  }

  async unfinishedParts(run: string): Promise<string[]> {
    return [...(await this.#openIn(run)).keys()];
  }

  async onReconciled({ run, name }: RunPartName, result: PartResult): Promise<void> {
    const openNumbers = await this.#openIn(run);
    const [number, journal] = [openNumbers.get(name), this.#journal];
    if (number === undefined || !journal) return;
    await this.#attemptInTurn('unknown', journal, () => {
      const outcome =
        result.outcome === 'done'
          ? { outcome: 'done' as const, after: null, id: result.id }
          : notSentOutcome('It was not sent before its process ended.');
      journal.addOutcome(number, { at: this.#options.now(), ...outcome });
      openNumbers.delete(name);
    });
  }

  async onRunEnded(unsent: readonly OutgoingWrite[]): Promise<void> {
    const at = this.#options.now();
    for (const write of unsent) {
      const number = this.#begun.get(write)?.number;
      this.#begun.delete(write);
      const outcome = { at, ...notSentOutcome('It was not sent because its run stopped.') };
      if (number !== undefined) this.#delayed.push({ number, outcome });
    }
    await this.#flush();
  }

  finish(): void {
    clearTimeout(this.#timer);
    const journal = this.#journal;
    if (journal) this.#attempt('unknown', () => this.#flushDelayed(journal));
    journal?.close();
    this.#journal = undefined;
  }

  #addEntries(journal: Journal, images: ReadonlyMap<OutgoingWrite, BeforeImage>): void {
    const { api, now } = this.#options;
    const at = now();
    const numbers = journal.write(() => {
      this.#writeDelayed(journal);
      return [...images].map(([write, image]) => {
        const command = this.#command(journal, this.#runOf(write));
        return journal.addEntry({ ...entryOf(write, image, api), at, command });
      });
    });
    this.#delayed = [];
    for (const [index, [write, image]] of [...images].entries()) {
      const number = numbers[index] as number;
      this.#begun.set(write, { number, isUndoable: isUndoable(write, image) });
    }
  }

  /** Returns the entry numbers of the open parts of a run by the name of the part. */
  async #openIn(run: string): Promise<Map<string, number>> {
    const openNumbers = this.#openParts.get(run);
    const journal = await this.#openJournal();
    if (openNumbers || !journal) return openNumbers ?? new Map();
    await this.#attemptInTurn('unknown', journal, () => this.#openParts.set(run, openParts(journal, run)));
    return this.#openParts.get(run) ?? new Map();
  }

  /** Deletes old entries, unless another process locks the journal: the next write tries again. */
  #deleteOld(journal: Journal): void {
    if (!this.#isCheckDue) return;
    const { now, keptRuns = () => [] } = this.#options;
    const { database } = journal;
    const folder = dirname(database.file);
    try {
      database.withoutWaiting(() => dropOld(journal, defaultLimits, now(), () => keptRuns(folder)));
      this.#isCheckDue = false;
    } catch (error) {
      if (!isBusy(error)) this.#fail('unknown', error);
    }
  }

  #runOf({ details: { part } }: OutgoingWrite): string {
    return part?.run ?? this.#options.run;
  }

  /** Writes the delayed outcomes. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const journal = this.#journal;
    if (journal) await this.#attemptInTurn('unknown', journal, () => this.#flushDelayed(journal));
  }

  #flushDelayed(journal: Journal): void {
    if (this.#delayed.length > 0) journal.write(() => this.#writeDelayed(journal));
    this.#delayed = [];
  }

  #writeDelayed(journal: Journal): void {
    for (const { number, outcome } of this.#delayed) journal.addOutcome(number, outcome);
  }

  async #openJournal(): Promise<Journal | undefined> {
    const { hide, isRequired } = this.#options;
    if (this.#journal || (this.#hasProblem && !isRequired)) return this.#journal;
    const file = journalFile(await this.#folder());
    this.#attempt('not_sent', () => (this.#journal ??= new Journal(file, { hide })));
    return this.#journal;
  }

  /** Returns the folder of the account. If the service fails to report the account, nothing is sent. */
  async #folder(): Promise<string> {
    try {
      return await this.#options.folder();
    } catch (error) {
      throw requestFailure(error, 'The history needs the account of the token.', 'history.journal');
    }
  }

  /** Returns the command of a run in this process; there is one per run. */
  #command(journal: Journal, run: string): number {
    const existingId = this.#commands.get(run);
    if (existingId !== undefined) return existingId;
    const { line, profile, undoing, change, now } = this.#options;
    const { business, user } = this.#account ?? {};
    // A resumed run has read the parts that other processes left open before it sent anything.
    if (!this.#openParts.has(run)) this.#openParts.set(run, new Map());
    const id = journal.addCommand(now(), { run, line, profile, business, user, ...undoing, change });
    this.#commands.set(run, id);
    this.#isCheckDue ||= id % commandsBetweenChecks === 0;
    return id;
  }

  /**
   * Runs work like `#attempt`, but waits if another process locks the journal for a long time, for example to scrub it.
   * The wait can be interrupted.
   */
  async #attemptInTurn(outcome: 'not_sent' | 'unknown', journal: Journal, work: () => void): Promise<void> {
    const workIfOpen = () => {
      if (journal === this.#journal) journal.database.withoutWaiting(work);
    };
    const { signal, maxWaitMs: timeoutMs = defaultMaxWaitMs } = this.#options;
    const announcement = setTimeout(() => this.#announceWait(), announcedWaitMs);
    try {
      await retryWhileBusy(workIfOpen, { signal, timeoutMs });
    } catch (error) {
      // The outcome is written again at the end.
      if (signal?.aborted && error === signal.reason && outcome === 'unknown') return;
      this.#fail(outcome, error);
    } finally {
      clearTimeout(announcement);
    }
  }

  /** Reports once that a write waits. */
  #announceWait(): void {
    if (!this.#isWaitAnnounced)
      this.#options.onWait?.('Waiting for the history, which another process is writing to.');
    this.#isWaitAnnounced = true;
  }

  /**
   * Runs work on the journal. A failure doesn't stop the write, unless the journal is required and nothing was sent
   * yet.
   */
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
    const message = `${error.message} Writes are sent, but not recorded in it.`;
    if (!this.#hasProblem) onProblem(message);
    this.#hasProblem = true;
  }
}

/** Options of a recorder. */
export interface RecorderOptions {
  api: Api;
  folder(): Promise<string>;
  /** The command line as typed, without secrets. */
  line: string;
  /** The ID of the run for writes that are not part of a bulk run. */
  run: string;
  profile: string | null;
  undoing?: Pick<CommandContent, 'takesBack' | 'isRedo'> | undefined;
  /** The name of the change set that the command begins or ends. */
  change?: string | undefined;
  /** Whether records are read before they are written. */
  isReadBefore: boolean;
  /** Whether a write that can't be recorded is not sent. */
  isRequired: boolean;
  /** Removes secrets such as the token from a string. */
  hide(text: string): string;
  /** Called once for a problem that prevents recording. */
  onProblem(message: string): void;
  /** Called for each update with the record as read, before the update is sent. */
  onRead?(write: PlannedWrite): void;
  /** Called for each recorded write that has changed something and can be undone. */
  onKept?(number: number, run: string): void;
  /** Returns the runs of the account in this folder whose entries are kept, whatever their age. */
  keptRuns?(folder: string): readonly string[];
  /** Called once, with a message, if a write waits for another process. */
  onWait?(message: string): void;
  /** Ends such a wait with its reason. */
  signal?: AbortSignal | undefined;
  /** The maximum wait in milliseconds, if it isn't the default. */
  maxWaitMs?: number | undefined;
  /** Returns milliseconds since 1970. */
  now(): number;
}
