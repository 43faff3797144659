/**
 * Syncs one resource. The first sync reads the whole list; later syncs read changes, and repeat this until no record
 * changes during a reading. The progress is stored in the same transaction as the rows.
 */

import { MissingFields } from '../../../account/session/missing-fields.ts';
import { filterTime, type ReadingClock, startReadingClock } from '../../../account/session/reading-clock.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { identifier, sql } from '../../../api/sql/sql.ts';
import { Failure } from '../../../base/errors.ts';
import type { MirroredResource } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';
import { readingColumn } from '../schema/table.ts';
import { countRows, readIds } from '../stores/reads.ts';
import type { Store, StoreChange } from '../stores/store.ts';
import type { ChangeLog } from './change-log.ts';
import { recordChanges, recordRemovals, requireIds } from './page-changes.ts';
import {
  canFilterByChange,
  type MirrorListPage,
  type MirrorListRequest,
  readFromPage,
  readPasses,
} from './read-list.ts';
import { SeenReferences } from './seen-references.ts';
import { stateChange } from './states.ts';

export interface ResourceSyncOptions {
  session: Session;
  store: Store;
  /** The log of changes; undefined if the mirror keeps no versions. */
  log: ChangeLog | undefined;
  mirrored: MirroredResource;
  state: State;
  /** Whether to read the whole list again and delete records that are no longer listed. */
  isFull: boolean;
  /** The records that the mirror forgot, as `RESOURCE/ID`. */
  forgotten: ReadonlySet<string>;
  /** Returns this machine's time, in UTC. */
  now(): string;
  /** Called with the number of records read so far, and the expected number (0 if unknown). */
  onRecords?: ((count: number, expected: number) => void) | undefined;
}

export interface ResourceSyncResult {
  /** The number of records that were read, including repeated ones. */
  read: number;
  /** The number of rows that were deleted because the service no longer lists the records. */
  removed: number;
  /** Whether the whole list was read. */
  isWhole: boolean;
  /** Why records may be missing after a first sync; undefined if none are missing. */
  incomplete?: string | undefined;
  /** A sentence about relations that the service doesn't return; undefined if there are none. */
  missing?: string | undefined;
  /** Fields that are stored as JSON: those that the contract doesn't have, and those with values that don't fit. */
  otherFields: { unknown: readonly string[]; mismatched: readonly string[] };
}

/** The maximum number of times that changes are read. If records keep changing, the next sync reads the rest. */
const maxReadings = 10;

/** The maximum number of rows that are deleted at a time. */
const maxRemovedRows = 500;

/**
 * The number of rows and of milliseconds after which a batch is written. Smaller batches write the same pages of a file
 * repeatedly, and larger batches keep rows in memory longer.
 */
const batchLimits = { rows: 1000, ms: 1000 } as const;

/** Syncs the resource. Throws the failure of reading or storing; the rows stored before it are kept. */
export async function syncResource(options: ResourceSyncOptions): Promise<ResourceSyncResult> {
  const reading = new ResourceReading(options);
  const isWhole = await reading.readWhole();
  await reading.readChanges();
  const { read, removed, incomplete, missing } = reading;
  const { unknown, mismatched } = options.mirrored.unusual;
  return {
    ...{ read, removed, isWhole, incomplete, missing: missing.describe() },
    otherFields: { unknown: [...unknown].sort(), mismatched: [...mismatched].sort() },
  };
}

class ResourceReading {
  read = 0;
  removed = 0;
  incomplete: string | undefined;
  readonly missing = new MissingFields();
  readonly #options: ResourceSyncOptions;
  readonly #startedAt: string;
  readonly #references: SeenReferences;
  #state: State;
  #isStable = false;

  constructor(options: ResourceSyncOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#startedAt = options.now();
    this.#references = new SeenReferences(options.mirrored, this.#startedAt);
    this.#beginVersions();
  }

  /** Reads the whole list if needed. Returns whether it was read. */
  async readWhole(): Promise<boolean> {
    const { mirrored, isFull } = this.#options;
    const { resource } = mirrored;
    if (!isFull && this.#state.since !== undefined && canFilterByChange(resource)) return false;
    const isFirst = this.#state.fullAt === undefined;
    let beganAt: string | undefined;
    try {
      beganAt = (await this.#resume()) ?? (await this.#readFromStart());
    } catch (error) {
      if (!isFirst || !(error instanceof Failure) || !error.details.isIncomplete) throw error;
      await this.#keepIncomplete(error.message);
      return true;
    }
    this.removed = await this.#removeUnlisted();
    const [since, startedAt] = [beganAt ?? this.#state.since, this.#startedAt];
    const finishedState = { readingPage: undefined, readingStartedAt: undefined, lastError: undefined };
    await this.#storeState({ ...finishedState, since, fullAt: startedAt, syncedAt: startedAt });
    this.#isStable = !canFilterByChange(resource) || since === undefined;
    return true;
  }

  /** Ends an incomplete first reading and keeps its records. The next sync reads the whole list again. */
  async #keepIncomplete(message: string): Promise<void> {
    this.incomplete = message;
    this.#isStable = true;
    const endedState = { readingPage: undefined, readingStartedAt: undefined, since: undefined };
    await this.#storeState({ ...endedState, syncedAt: this.#startedAt, lastError: message });
  }

  async readChanges(): Promise<void> {
    let previousChecksum = 0;
    for (let count = 0; !this.#isStable && count < maxReadings; count++) {
      const { since } = this.#state;
      if (since === undefined) return;
      const reading = startReadingClock();
      await this.#storePages(this.#readPages(filterTime(since)), reading);
      // A change time in the future, from another clock, would count as a change forever.
      this.#isStable =
        !reading.hasChanged() ||
        (reading.changesChecksum() !== 0 && reading.changesChecksum() === previousChecksum);
      previousChecksum = reading.changesChecksum();
      const latestTime = [since, reading.startedAt() ?? since].sort().at(-1);
      await this.#storeState({ since: latestTime, syncedAt: this.#startedAt, lastError: undefined });
    }
  }

  /** Reads the list from its first page. Returns the time at which the reading began, by the service's clock. */
  async #readFromStart(): Promise<string | undefined> {
    this.#state = {
      ...this.#state,
      readingNumber: this.#state.readingNumber + 1,
      readingPage: undefined,
      readingStartedAt: undefined,
    };
    const reading = startReadingClock();
    await this.#storePages(this.#readPages(undefined), reading, ({ number }) => ({
      readingPage: number,
      readingStartedAt: reading.serviceTime(),
    }));
    return reading.startedAt();
  }

  /**
   * Resumes an interrupted reading at the page before its last. Returns undefined if it can't be resumed, or if the
   * number of rows at the end differs from the service's count.
   */
  async #resume(): Promise<string | undefined> {
    const { readingPage, readingStartedAt, deletedFilter } = this.#state;
    if (readingPage === undefined || readingStartedAt === undefined || deletedFilter !== 'include')
      return undefined;
    let total: number | undefined;
    const pages = readFromPage(this.#request(undefined), Math.max(1, readingPage - 1));
    await this.#storePages(pages, startReadingClock(), (page) => {
      total = page.total;
      return { readingPage: page.number };
    });
    return total !== undefined && total === (await this.#countListed()) ? readingStartedAt : undefined;
  }

  /** Stores the pages, and the progress in the same transactions. Rows that were read before a failure are kept. */
  async #storePages(
    pages: AsyncIterable<MirrorListPage>,
    reading: ReadingClock,
    progress?: (page: MirrorListPage) => Partial<State>,
  ): Promise<void> {
    const { mirrored, forgotten, onRecords } = this.#options;
    const readCountBefore = this.read;
    let batch: Row[] = [];
    let batchStartMs = performance.now();
    let isWriting = false;
    const writeBatch = async () => {
      const rows = batch;
      [batch, batchStartMs] = [[], performance.now()];
      isWriting = true;
      await this.#writeRows(rows);
      isWriting = false;
    };
    try {
      for await (const page of pages) {
        const { rows, date } = page;
        reading.observe(date, rows);
        requireIds(mirrored, rows);
        this.read += rows.length;
        batch.push(...rows.filter(({ id }) => !forgotten.has(`${mirrored.resource.name}/${id}`)));
        this.#state = { ...this.#state, ...progress?.(page) };
        if (batch.length >= batchLimits.rows || performance.now() - batchStartMs > batchLimits.ms)
          await writeBatch();
        onRecords?.(this.read, page.expected === undefined ? 0 : readCountBefore + page.expected);
      }
    } catch (error) {
      if (isWriting) throw error;
      await this.#writeRows(batch).catch((writeError: unknown) => {
        throw combineErrors(error, writeError);
      });
      throw error;
    }
    await this.#writeRows(batch);
  }

  /** Stores rows, with the progress after them. */
  async #writeRows(rows: readonly Row[]): Promise<void> {
    const { mirrored, store } = this.#options;
    const changes = recordChanges(mirrored, rows, this.#state.readingNumber);
    const names = this.#references.changes(rows, changes);
    await store.write([...changes, ...(await this.#logOf(changes)), ...names, stateChange(this.#state)]);
  }

  #readPages(after: string | undefined): AsyncGenerator<MirrorListPage> {
    return readPasses(this.#request(after), () => {
      this.#state = { ...this.#state, deletedFilter: 'include' };
    });
  }

  #request(after: string | undefined): MirrorListRequest {
    const { session, mirrored } = this.#options;
    const onMissing = this.missing.of(mirrored.resource);
    return { session, mirrored, after, deletedFilter: this.#state.deletedFilter, onMissing };
  }

  async #storeState(changes: Partial<State>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    this.#beginVersions();
    await this.#options.store.write([stateChange(this.#state)]);
  }

  /** Keeps versions as soon as the list was read completely. */
  #beginVersions(): void {
    const { log, now } = this.#options;
    if (log && this.#state.fullAt !== undefined)
      this.#state = { ...this.#state, versionsSince: this.#state.versionsSince ?? now() };
  }

  /** Returns the changes that log what the changes of some records do to the mirror. */
  async #logOf(changes: readonly StoreChange[]): Promise<StoreChange[]> {
    const { log, mirrored, now } = this.#options;
    const { versionsSince, syncedAt } = this.#state;
    if (!log || versionsSince === undefined) return [];
    return log.entries(mirrored, changes, { seenAt: now(), seenAfter: syncedAt });
  }

  async #countListed(): Promise<number> {
    const { store, mirrored, forgotten } = this.#options;
    const forgottenCount = [...forgotten].filter((key) =>
      key.startsWith(`${mirrored.resource.name}/`),
    ).length;
    return (
      forgottenCount +
      (await countRows(
        store,
        mirrored.main,
        sql`${identifier(readingColumn)} = ${this.#state.readingNumber}`,
      ))
    );
  }

  /** Deletes rows that the complete reading hasn't returned. Returns their number. */
  async #removeUnlisted(): Promise<number> {
    const { store, mirrored } = this.#options;
    const column = identifier(readingColumn);
    const unlistedCondition = sql`${column} < ${this.#state.readingNumber} OR ${column} IS NULL`;
    for (let removed = 0; ; ) {
      const ids = await readIds(store, mirrored.main, unlistedCondition, maxRemovedRows);
      if (ids.length === 0) return removed;
      const changes = recordRemovals(mirrored, ids);
      await store.write([...changes, ...(await this.#logOf(changes))]);
      removed += ids.length;
    }
  }
}

/** Returns a failure with the errors of reading and of storing. Returns the first if they can't be combined. */
function combineErrors(error: unknown, writeError: unknown): unknown {
  if (error === writeError || !(error instanceof Failure) || !(writeError instanceof Failure)) return error;
  const isInterrupted = error.category === 'interrupted';
  return new Failure(
    isInterrupted ? 'interrupted' : writeError.category,
    `${error.message} The records read before could not be stored: ${writeError.message}`,
    { ...(isInterrupted ? error.details : writeError.details), cause: writeError },
  );
}
