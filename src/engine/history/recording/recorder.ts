/** Records every write of a session in the journal: the entry before it is sent, and then its outcome. */
import { dirname } from 'node:path';
import type { AccountInUse } from '../../../account/session/account.ts';
import type {
  BatchEntries,
  OutgoingWrite,
  PartResult,
  PlannedWrite,
  RunPartName,
  WriteObserver,
  WriteOutcome,
  WriteReader,
} from '../../../account/session/observed-writes.ts';
import type { Api } from '../../../api/contract/api.ts';
import { Failure } from '../../../base/errors.ts';
import { isBusy, StorageFailure } from '../../../base/storage/failures.ts';
import { retryWhileBusy } from '../../../base/storage/retry-while-busy.ts';
import { logFile } from '../../runs/log.ts';
import type { CommandContent } from '../journal/entry.ts';
import { Journal } from '../journal/journal.ts';
import { openParts } from '../journal/reading.ts';
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
  #isWaitAnnounced = false;
  /** Outcomes whose wait was interrupted. They are recorded at the end, if the journal is no longer locked. */
  readonly #interrupted: (() => void)[] = [];

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  async beforeWrite(write: OutgoingWrite, reader: WriteReader): Promise<void> {
    const entries = await this.#entriesOf([write], reader);
    if (!entries) return;
    await this.#attemptInTurn('not_sent', entries.journal, entries.record);
    entries.onRecorded();
  }

  async beforeBatch(batch: readonly OutgoingWrite[], reader: WriteReader): Promise<BatchEntries | undefined> {
    const entries = await this.#entriesOf(batch, reader);
    if (!entries) return undefined;
    const { journal, record, onRecorded } = entries;
    return { record: () => this.#attemptWithRows('not_sent', journal, record), onRecorded };
  }

  async #entriesOf(batch: readonly OutgoingWrite[], reader: WriteReader) {
    // If the journal can't be written, no records are read.
    const journal = await this.#openJournal();
    if (!journal) return undefined;
    const images = new Map<OutgoingWrite, BeforeImage>();
    for (const write of batch) {
      const image = knownImage(write, this.#options.isReadBefore) ?? (await readImage(write, reader));
      if (image.before) this.#options.onRead?.({ ...write.call, recordBefore: image.before });
      images.set(write, image);
    }
    if (batch.some((write) => !this.#commands.has(this.#runOf(write))))
      this.#account = await reader.account();
    const commands = new Map<string, number>();
    let numbers: number[] = [];
    return {
      journal,
      record: () => {
        numbers = [];
        numbers = this.#addEntries(journal, images, commands);
      },
      onRecorded: () => {
        if (numbers.length === 0) return;
        for (const [run, id] of commands) this.#commands.set(run, id);
        for (const [index, [write, image]] of [...images].entries())
          this.#begun.set(write, { number: numbers[index] as number, isUndoable: isUndoable(write, image) });
      },
    };
  }

  async afterSend(write: OutgoingWrite, outcome: WriteOutcome): Promise<void> {
    const [begunEntry, journal] = [this.#begun.get(write), this.#journal];
    this.#begun.delete(write);
    if (!begunEntry || !journal) return;
    const { number, isUndoable } = begunEntry;
    const { api, now, onKept } = this.#options;
    const journalOutcome = { ...outcomeOf(outcome, write, api), at: now() };
    const { part, recordOutcomeLater } = write.details;
    const openNumbers = part && journalOutcome.id === undefined ? this.#openParts.get(part.run) : undefined;
    const isNamed =
      write.call?.operation.effect !== 'create' ||
      journalOutcome.outcome !== 'done' ||
      journalOutcome.id !== undefined;
    if (journalOutcome.outcome !== 'refused' && isNamed && isUndoable) onKept?.(number, this.#runOf(write));
    const record = () => journal.addOutcome(number, journalOutcome);
    // A part of a run whose outcome is unknown stays open: the run reconciles it and reports the outcome.
    if (part && openNumbers && journalOutcome.outcome === 'unknown') openNumbers.set(part.name, number);
    else if (recordOutcomeLater) recordOutcomeLater(() => this.#attemptWithRows('unknown', journal, record));
    else await this.#attemptInTurn('unknown', journal, record);
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
    const numbers = unsent.flatMap((write) => this.#begun.get(write)?.number ?? []);
    for (const write of unsent) this.#begun.delete(write);
    const journal = this.#journal;
    if (!journal || numbers.length === 0) return;
    const outcome = {
      at: this.#options.now(),
      ...notSentOutcome('It was not sent because its run stopped.'),
    };
    await this.#attemptInTurn('unknown', journal, () =>
      journal.write(() => {
        for (const number of numbers) journal.addOutcome(number, outcome);
      }),
    );
  }

  finish(): void {
    for (const work of this.#interrupted) this.#attempt('unknown', work);
    this.#journal?.close();
    this.#journal = undefined;
  }

  /** Adds the entries of writes, and their commands to `commands`. Returns the numbers of the entries. */
  #addEntries(
    journal: Journal,
    images: ReadonlyMap<OutgoingWrite, BeforeImage>,
    commands: Map<string, number>,
  ): number[] {
    const { api, now } = this.#options;
    const at = now();
    commands.clear();
    return journal.write(() =>
      [...images].map(([write, image]) => {
        const run = this.#runOf(write);
        const command = this.#commands.get(run) ?? commands.get(run) ?? this.#addCommand(journal, run);
        commands.set(run, command);
        return journal.addEntry({ ...entryOf(write, image, api), at, command });
      }),
    );
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

  async #openJournal(): Promise<Journal | undefined> {
    const { hide, isRequired } = this.#options;
    if (this.#journal || (this.#hasProblem && !isRequired)) return this.#journal;
    const file = logFile(await this.#folder());
    this.#attempt('not_sent', () => (this.#journal ??= new Journal(file, { hide, isShared: true })));
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

  /** Adds the command of a run; there is one per run and process. */
  #addCommand(journal: Journal, run: string): number {
    const { line, profile, undoing, change, now } = this.#options;
    const { business, user } = this.#account ?? {};
    // A resumed run has read the parts that other processes left open before it sent anything.
    if (!this.#openParts.has(run)) this.#openParts.set(run, new Map());
    const id = journal.addCommand(now(), { run, line, profile, business, user, ...undoing, change });
    this.#isCheckDue ||= id % commandsBetweenChecks === 0;
    return id;
  }

  /** Waits if another process locks the journal for a long time, for example to scrub it. The wait can be interrupted. */
  async inTurn(work: () => void): Promise<void> {
    const { signal, maxWaitMs: timeoutMs = defaultMaxWaitMs } = this.#options;
    const database = this.#journal?.database;
    const announcement = setTimeout(() => this.#announceWait(), announcedWaitMs);
    try {
      await retryWhileBusy(() => (database ? database.withoutWaiting(work) : work()), { signal, timeoutMs });
    } finally {
      clearTimeout(announcement);
    }
  }

  /** Runs work like `#attempt`, when no other process locks the journal. */
  async #attemptInTurn(outcome: 'not_sent' | 'unknown', journal: Journal, work: () => void): Promise<void> {
    const workIfOpen = () => {
      if (journal === this.#journal) work();
    };
    try {
      await this.inTurn(workIfOpen);
    } catch (error) {
      const { signal } = this.#options;
      if (signal?.aborted && error === signal.reason && outcome === 'unknown') this.#interrupted.push(work);
      else this.#fail(outcome, error);
    }
  }

  /**
   * Runs work like `#attempt`, in the transaction of a run's rows. If they are in the same file, a failure is one of the
   * run; if another process locks the journal, the whole transaction is tried again.
   */
  #attemptWithRows(outcome: 'not_sent' | 'unknown', { database }: Journal, work: () => void): void {
    const isSameFile = database.isInTransaction;
    try {
      work();
    } catch (error) {
      if (isSameFile || isBusy(error)) throw error;
      this.#fail(outcome, error);
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
