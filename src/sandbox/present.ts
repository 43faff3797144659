/** The sandbox as of now: what it goes by, whatever it is asked, and all that time has brought about by itself. */
import { StorageFailure } from '../storage/failures.ts';
import { type Clock, type ClockSetting, readClock } from './business/clock.ts';
import { type Calm, calmOf, catchUp, isBehind } from './business/passing-time.ts';
import { readSettings, type Settings } from './business/settings.ts';
import { type Context, contextAt } from './context.ts';

/** Read once, and anew when anybody has written to the file. */
interface Kept {
  version: string;
  settings: Settings;
  clock: ClockSetting;
  calm: Calm;
}

export interface Standing {
  /** The file’s; see `Database`. */
  version: string;
  settings: Settings;
  /** By the sandbox’s clock, in milliseconds since 1970. */
  now: number;
  /** Whether there is something that time alone has still to bring about. */
  isBehind: boolean;
}

export class Present {
  readonly #parts: Pick<Context, 'database' | 'tables'>;
  readonly #clock: Clock;
  #kept: Kept | undefined;

  constructor(parts: Pick<Context, 'database' | 'tables'>, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  /** One query where nobody has written since it was last asked. Not to be asked while something is written. */
  standing(): Standing {
    const { version, settings, clock, calm } = this.#upToDate();
    const now = this.#clock.by(clock);
    return { version, settings, now, isBehind: isBehind(calm, now) };
  }

  /** For what happens outside of requests: it is done by the owner. */
  context(now = this.#clock.now()): Context {
    this.comeTo(now);
    return this.#at(now);
  }

  /** Has time bring about what it does by itself; for reading, what can’t be written for now is left for later. */
  comeTo(now: number, isReading = false): void {
    try {
      if (isBehind(calmOf(this.#parts), now)) catchUp(this.#at(now));
    } catch (error) {
      const canWait = isReading && error instanceof StorageFailure && !error.isOfTheFile;
      if (!canWait) throw error;
    }
  }

  ownerId(): string {
    const owner = this.#parts.database.get('SELECT id FROM users WHERE is_owner = 1 ORDER BY seq LIMIT 1');
    return String(owner?.id);
  }

  #at(now: number): Context {
    return contextAt(this.#parts.database, this.#parts.tables, now, this.ownerId());
  }

  #upToDate(): Kept {
    const { database } = this.#parts;
    if (this.#kept?.version === database.version) return this.#kept;
    this.#kept = database.read(() => ({
      version: database.version,
      settings: readSettings(database),
      clock: readClock(database),
      calm: calmOf(this.#parts),
    }));
    return this.#kept;
  }
}
