/**
 * One resource brought up to date. The first time its list is read whole, later what has changed since, and again until
 * a reading shows no change that was made while it went on. Where that comes from stands in the mirror with the rows.
 */
import { Failure } from '../../base/errors.ts';
import { askedSince, type ReadingClock, readingClock } from '../../session/reading-clock.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';
import { walkColumn } from '../schema/table.ts';
import { countOf, idsOf } from '../stores/reads.ts';
import { name, sql } from '../stores/sql.ts';
import type { Store } from '../stores/store.ts';
import { changesOf, demandIds, removalOf } from './page-changes.ts';
import { type Asked, canAskSince, type ListPage, readFrom, readPasses } from './read-list.ts';
import { keepState } from './states.ts';

export interface ResourceSync {
  session: Session;
  store: Store;
  mirrored: Mirrored;
  state: State;
  /** The whole list is read, though it was before: what isn’t there any more goes. */
  isFull: boolean;
  /** As `RESOURCE/ID`: these aren’t held. */
  forgotten: ReadonlySet<string>;
  /** The machine’s time, in UTC. */
  now(): string;
  /** Told how many records have been read, and of how many where that is known: else of 0. */
  onRecords?: ((count: number, expected: number) => void) | undefined;
}

export interface Synced {
  /** Records that were read, those that came again among them. */
  read: number;
  /** Rows that went because the service doesn’t show the records any more. */
  removed: number;
  isWhole: boolean;
  /** Fields that are kept beside: those that the contract doesn’t know, and those with values that fit nowhere. */
  beside: { unknown: readonly string[]; unfit: readonly string[] };
}

/** Changes that go on and on are left for the next sync: they are as near to it as to this one. */
const mostReadings = 10;

const mostRemoved = 500;

export async function syncResource(sync: ResourceSync): Promise<Synced> {
  const reading = new ResourceReading(sync);
  const isWhole = await reading.readWhole();
  await reading.readChanges();
  const { read, removed } = reading;
  const { unknown, unfit } = sync.mirrored.met;
  return { read, removed, isWhole, beside: { unknown: [...unknown].sort(), unfit: [...unfit].sort() } };
}

class ResourceReading {
  read = 0;
  removed = 0;
  readonly #sync: ResourceSync;
  readonly #startedAt: string;
  #state: State;
  #isQuiet = false;
  /** No row that is put there can be there before. */
  #isFresh = false;
  /** There were rows before the walk. */
  #mayHoldUnseen = true;

  constructor(sync: ResourceSync) {
    this.#sync = sync;
    this.#state = sync.state;
    this.#startedAt = sync.now();
  }

  /** Answers whether it was to be done. */
  async readWhole(): Promise<boolean> {
    const { mirrored, isFull } = this.#sync;
    const { resource } = mirrored;
    if (!isFull && this.#state.since !== undefined && canAskSince(resource)) {
      await this.#index();
      return false;
    }
    const began = (await this.#goOn()) ?? (await this.#beginAnew());
    if (this.#mayHoldUnseen) this.removed = await this.#removeUnseen();
    const [since, startedAt] = [began ?? this.#state.since, this.#startedAt];
    const isDone = { walkPage: undefined, walkBegan: undefined, lastError: undefined };
    await this.#keep({ ...isDone, since, fullAt: startedAt, syncedAt: startedAt });
    this.#isQuiet = !canAskSince(resource) || since === undefined;
    return true;
  }

  async readChanges(): Promise<void> {
    let before = 0;
    for (let count = 0; !this.#isQuiet && count < mostReadings; count++) {
      const { since } = this.#state;
      if (since === undefined) return;
      const reading = readingClock();
      await this.#takeAll(this.#passes(askedSince(since)), reading);
      // A change that lies in the future, by another clock, would be one for ever.
      this.#isQuiet = !reading.hasChanged() || (reading.changed() !== 0 && reading.changed() === before);
      before = reading.changed();
      const moved = [since, reading.at() ?? since].sort().at(-1);
      await this.#keep({ since: moved, syncedAt: this.#startedAt, lastError: undefined });
    }
  }

  /** From the first page on. Answers when it began by the service’s clock. */
  async #beginAnew(): Promise<string | undefined> {
    this.#state = { ...this.#state, walk: this.#state.walk + 1, walkPage: undefined, walkBegan: undefined };
    const reading = readingClock();
    // Where there are no rows yet, none belong to a record that is only now read.
    this.#isFresh = (await this.#countRows()) === 0;
    this.#mayHoldUnseen = !this.#isFresh;
    if (!this.#isFresh) await this.#index();
    await this.#takeAll(this.#passes(undefined), reading, ({ number }) => ({
      walkPage: number,
      walkBegan: reading.dated(),
    }));
    this.#isFresh = false;
    await this.#index();
    return reading.at();
  }

  /**
   * Where an earlier sync was cut off, from the page before. Undefined where it can’t be gone on with, or the rows
   * are not as many in the end as the service counts.
   */
  async #goOn(): Promise<string | undefined> {
    const { walkPage, walkBegan, deletedFilter } = this.#state;
    if (walkPage === undefined || walkBegan === undefined || deletedFilter !== 'include') return undefined;
    await this.#index();
    let total: number | undefined;
    const pages = readFrom(this.#asked(undefined), Math.max(1, walkPage - 1));
    await this.#takeAll(pages, readingClock(), (page) => {
      total = page.total;
      return { walkPage: page.number };
    });
    return total !== undefined && total === (await this.#countSeen()) ? walkBegan : undefined;
  }

  /**
   * What is not done yet is not counted as done: with the rows, only how far the reading has come is kept. What came
   * before a failure is kept, too.
   */
  async #takeAll(
    pages: AsyncIterable<ListPage>,
    reading: ReadingClock,
    far?: (page: ListPage) => Partial<State>,
  ): Promise<void> {
    const { store, mirrored, forgotten, onRecords } = this.#sync;
    const before = this.read;
    const behind = new WriteBehind((rows, state) => {
      const changes = changesOf(mirrored, rows, state.walk, this.#isFresh);
      return store.write([...changes, keepState(state)], { isGoingOn: true });
    });
    try {
      for await (const page of pages) {
        const { rows, date } = page;
        reading.see(date, rows);
        demandIds(mirrored, rows);
        if (page.isLaterPass && this.#isFresh) {
          await behind.flush();
          this.#isFresh = false;
          await this.#index();
        }
        this.read += rows.length;
        const held =
          forgotten.size === 0
            ? rows
            : rows.filter(({ id }) => !forgotten.has(`${mirrored.resource.name}/${id}`));
        this.#state = { ...this.#state, ...far?.(page) };
        await behind.add(held, this.#state);
        onRecords?.(this.read, page.expected === undefined ? 0 : before + page.expected);
      }
    } catch (error) {
      const unkept = await behind.flush().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      throw unkept === undefined ? error : withUnkept(error, unkept);
    }
    await behind.flush();
  }

  /**
   * Rows are found again by it, but for those of the first reading: that goes without, and makes it in the end. What is
   * missing after a sync that was cut off, or in a mirror of an earlier boh, is made here as well.
   */
  #index(): Promise<void> {
    const { store, mirrored } = this.#sync;
    return store.index(mirrored.tables);
  }

  #passes(after: string | undefined): AsyncGenerator<ListPage> {
    return readPasses(this.#asked(after), () => {
      this.#state = { ...this.#state, deletedFilter: 'include' };
    });
  }

  #asked(after: string | undefined): Asked {
    const { session, mirrored } = this.#sync;
    return { session, mirrored, after, deletedFilter: this.#state.deletedFilter };
  }

  async #keep(changes: Partial<State>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    await this.#sync.store.write([keepState(this.#state)]);
  }

  async #countRows(): Promise<number> {
    const { store, mirrored } = this.#sync;
    return countOf(store, mirrored.main);
  }

  async #countSeen(): Promise<number> {
    const { store, mirrored, forgotten } = this.#sync;
    const left = [...forgotten].filter((each) => each.startsWith(`${mirrored.resource.name}/`)).length;
    return left + (await countOf(store, mirrored.main, sql`${name(walkColumn)} = ${this.#state.walk}`));
  }

  /** What a whole reading has not shown isn’t there any more. Answers how many went. */
  async #removeUnseen(): Promise<number> {
    const { store, mirrored } = this.#sync;
    const walk = name(walkColumn);
    const unseen = sql`${walk} < ${this.#state.walk} OR ${walk} IS NULL`;
    for (let removed = 0; ; ) {
      const ids = await idsOf(store, mirrored.main, unseen, mostRemoved);
      if (ids.length === 0) return removed;
      await store.write(removalOf(mirrored, ids));
      removed += ids.length;
    }
  }
}

/** What the reading failed of, and that what it had brought could not be written either: both have to be known. */
function withUnkept(error: unknown, unkept: unknown): unknown {
  if (error === unkept || !(error instanceof Failure) || !(unkept instanceof Failure)) return error;
  const isInterrupted = error.category === 'interrupted';
  return new Failure(
    isInterrupted ? 'interrupted' : unkept.category,
    `${error.message} What was read before could not be kept: ${unkept.message}`,
    { ...(isInterrupted ? error.details : unkept.details), cause: unkept },
  );
}

/** As many rows make a stretch, or as long in milliseconds, whichever comes first: more are slower, as each row is then held for longer. */
const enough = { rows: 250, ms: 1000 } as const;

/** While one is being written, reading goes on up to so many rows: what a sync that is killed has read in vain. */
const mostRows = 1000;

class WriteBehind {
  readonly #write: (rows: readonly Row[], state: State) => Promise<void>;
  #rows: Row[] = [];
  #state: State | undefined;
  #began = 0;
  #underWay: Promise<void> | undefined;
  #isWriting = false;

  /** `write` puts rows and state into the mirror in one transaction. */
  constructor(write: (rows: readonly Row[], state: State) => Promise<void>) {
    this.#write = write;
  }

  /** `state` says how far the reading has come with these rows. Throws what an earlier write failed of. */
  async add(rows: readonly Row[], state: State): Promise<void> {
    if (this.#rows.length === 0) this.#began = performance.now();
    this.#rows.push(...rows);
    this.#state = state;
    const isEnough = this.#rows.length >= enough.rows || performance.now() - this.#began > enough.ms;
    if (isEnough && (!this.#isWriting || this.#rows.length >= mostRows)) await this.#send();
  }

  /** All that was added is written once it is done. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#underWay;
  }

  async #send(): Promise<void> {
    await this.#underWay;
    if (!this.#state) return;
    const [rows, state] = [this.#rows, this.#state];
    this.#rows = [];
    this.#state = undefined;
    this.#isWriting = true;
    this.#underWay = this.#write(rows, state).finally(() => {
      this.#isWriting = false;
    });
    // Whoever adds or flushes next is told.
    this.#underWay.catch(() => {});
  }
}
