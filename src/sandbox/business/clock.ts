/** Implements the sandbox's clock, which follows the machine's clock with an offset or is stopped. */
import { usage } from '../../base/errors.ts';
import type { Database } from '../../base/storage/database.ts';
import { formatTimestamp, isSupportedTime } from '../calendar.ts';
import { isObject, readStoredValue, writeStoredValue } from '../store/rows.ts';

/** The stored setting: an offset to the machine's clock, or the time at which the clock is stopped; in milliseconds. */
export type ClockSetting = { ahead: number } | { frozen: number };

/** The state of the clock for the output of commands. */
export interface ClockState {
  /** The time in UTC, `YYYY-MM-DD HH:MM:SS`. */
  now: string;
  isFrozen: boolean;
  /** The number of seconds ahead of the machine's clock; negative if behind. */
  aheadSeconds: number;
}

const storedName = 'clock';

function isClockSetting(value: unknown): value is ClockSetting {
  if (!isObject(value)) return false;
  const milliseconds = 'frozen' in value ? value.frozen : value.ahead;
  return Number.isFinite(milliseconds);
}

export function readClock(database: Database): ClockSetting {
  return readStoredValue(database, storedName, isClockSetting) ?? { ahead: 0 };
}

export function storeClock(database: Database, setting: ClockSetting): void {
  writeStoredValue(database, storedName, setting);
}

export class Clock {
  readonly #database: Database;
  readonly #machineClock: () => number;

  constructor(database: Database, machine: () => number) {
    this.#database = database;
    this.#machineClock = machine;
  }

  /**
   * Returns the time in milliseconds since 1970. Reads the setting each time, because another process may have
   * changed it.
   */
  now(): number {
    return this.timeFor(this.#setting());
  }

  /** Returns the time that a setting gives, in milliseconds since 1970. */
  timeFor(setting: ClockSetting): number {
    return 'frozen' in setting ? setting.frozen : this.#machineClock() + setting.ahead;
  }

  /** Returns the time of the machine's clock, in milliseconds since 1970. */
  machineNow(): number {
    return this.#machineClock();
  }

  state(): ClockState {
    const now = this.now();
    return {
      now: formatTimestamp(now),
      isFrozen: 'frozen' in this.#setting(),
      aheadSeconds: Math.round((now - this.#machineClock()) / 1000),
    };
  }

  /** Sets the clock. A stopped clock stays stopped, at the new time. Throws a usage failure for unsupported times. */
  set(milliseconds: number): void {
    if (!isSupportedTime(milliseconds)) {
      throw usage('The clock can be set to times from the year 2000 to the year 2099.');
    }
    const isFrozen = 'frozen' in this.#setting();
    this.#store(isFrozen ? { frozen: milliseconds } : { ahead: milliseconds - this.#machineClock() });
  }

  /** Moves the clock forward. */
  advance(milliseconds: number): void {
    this.#database.write(() => this.set(this.now() + milliseconds));
  }

  /** Stops the clock. */
  freeze(): void {
    this.#database.write(() => this.#store({ frozen: this.now() }));
  }

  /** Starts a stopped clock again, from the time at which it was stopped. */
  unfreeze(): void {
    this.#database.write(() => this.#store({ ahead: this.now() - this.#machineClock() }));
  }

  /** Sets the clock to the machine's time. */
  reset(): void {
    this.#store({ ahead: 0 });
  }

  #setting(): ClockSetting {
    return readClock(this.#database);
  }

  #store(setting: ClockSetting): void {
    storeClock(this.#database, setting);
  }
}
