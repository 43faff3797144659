/** Caches the sandbox's current state: its settings, its clock, and the period until the next due change. */
import { StorageFailure } from '../storage/failures.ts';
import { type Clock, type ClockSetting, readClock } from './business/clock.ts';
import { readSettings, type Settings } from './business/settings.ts';
import { applyDueChanges, areChangesDue, type QuietPeriod, quietPeriodOf } from './business/time-effects.ts';
import { type Context, createContext } from './context.ts';
import type { Variant } from './variant.ts';

/** The state that was read from the file, for one version of the file. */
interface CachedState {
  version: string;
  settings: Settings;
  clock: ClockSetting;
  quietPeriod: QuietPeriod;
}

/** The state before a request is handled. */
export interface CurrentState {
  /** The version of the file (see `Database`). */
  version: string;
  settings: Settings;
  /** The sandbox's time, in milliseconds since 1970. */
  now: number;
  /** Whether changes are due at this time. */
  hasDueChanges: boolean;
}

/** The current state of one sandbox. */
export class LiveState {
  readonly #store: Pick<Context, 'database' | 'tables'>;
  readonly #clock: Clock;
  readonly #defaults: Partial<Variant>;
  #cache: CachedState | undefined;

  constructor(store: Pick<Context, 'database' | 'tables'>, clock: Clock, defaults: Partial<Variant>) {
    this.#store = store;
    this.#clock = clock;
    this.#defaults = defaults;
  }

  /** Returns the state. Needs one query if the file is unchanged since the last call. Don't call it inside a write. */
  current(): CurrentState {
    const { version, settings, clock, quietPeriod } = this.#cached();
    const now = this.#clock.timeFor(clock);
    return { version, settings, now, hasDueChanges: areChangesDue(quietPeriod, now) };
  }

  /** Returns a context for actions of the owner outside of requests. */
  context(now = this.#clock.now()): Context {
    this.advanceTo(now);
    return this.#contextAt(now);
  }

  /** Applies the due changes. For reads, changes that can't be written now are applied later. */
  advanceTo(now: number, isReading = false): void {
    try {
      if (areChangesDue(quietPeriodOf(this.#store), now)) applyDueChanges(this.#contextAt(now));
    } catch (error) {
      const canBePostponed = isReading && error instanceof StorageFailure && !error.isUnusableFile;
      if (!canBePostponed) throw error;
    }
  }

  ownerId(): string {
    const owner = this.#store.database.get('SELECT id FROM users WHERE is_owner = 1 ORDER BY seq LIMIT 1');
    return String(owner?.id);
  }

  #contextAt(now: number): Context {
    return createContext(this.#store.database, this.#store.tables, now, this.ownerId());
  }

  #cached(): CachedState {
    const { database } = this.#store;
    if (this.#cache?.version === database.version) return this.#cache;
    this.#cache = database.read(() => ({
      version: database.version,
      settings: readSettings(database, this.#defaults),
      clock: readClock(database),
      quietPeriod: quietPeriodOf(this.#store),
    }));
    return this.#cache;
  }
}
