/** The sandbox's clock: it runs with the machine's, shifted or stopped as someone has set it. */
import { usage } from '../../base/errors.ts';
import type { Database } from '../../storage/database.ts';
import { isInReach, writeMoment } from '../calendar.ts';
import { isObject, readFact, writeFact } from '../store/facts.ts';

/** Either so many milliseconds ahead of the machine's clock, or stopped at a moment. */
export type ClockSetting = { ahead: number } | { frozen: number };

export interface ClockState {
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  now: string;
  isFrozen: boolean;
  /** How far it is ahead of the machine's clock, in seconds; negative where it is behind. */
  aheadSeconds: number;
}

const factName = 'clock';

function isClockSetting(value: unknown): value is ClockSetting {
  if (!isObject(value)) return false;
  const milliseconds = 'frozen' in value ? value.frozen : value.ahead;
  return Number.isFinite(milliseconds);
}

export function readClock(database: Database): ClockSetting {
  return readFact(database, factName, isClockSetting) ?? { ahead: 0 };
}

export class Clock {
  readonly #database: Database;
  readonly #machine: () => number;

  constructor(database: Database, machine: () => number) {
    this.#database = database;
    this.#machine = machine;
  }

  /** Milliseconds since 1970. Read anew each time, as another process may have set it. */
  now(): number {
    return this.by(this.#setting());
  }

  /** The same, as it is set. */
  by(setting: ClockSetting): number {
    return 'frozen' in setting ? setting.frozen : this.#machine() + setting.ahead;
  }

  /** The same of the machine, whatever this clock is set to. */
  machineNow(): number {
    return this.#machine();
  }

  state(): ClockState {
    const now = this.now();
    return {
      now: writeMoment(now),
      isFrozen: 'frozen' in this.#setting(),
      aheadSeconds: Math.round((now - this.#machine()) / 1000),
    };
  }

  /** A stopped clock stays stopped, at another moment. */
  set(milliseconds: number): void {
    if (!isInReach(milliseconds)) {
      throw usage('The clock can be set to moments from the year 2000 to the year 2099.');
    }
    const isFrozen = 'frozen' in this.#setting();
    this.#keep(isFrozen ? { frozen: milliseconds } : { ahead: milliseconds - this.#machine() });
  }

  advance(milliseconds: number): void {
    this.#database.write(() => this.set(this.now() + milliseconds));
  }

  freeze(): void {
    this.#database.write(() => this.#keep({ frozen: this.now() }));
  }

  /** Runs on from where it stands. */
  unfreeze(): void {
    this.#database.write(() => this.#keep({ ahead: this.now() - this.#machine() }));
  }

  /** Back to the machine's time. */
  reset(): void {
    this.#keep({ ahead: 0 });
  }

  #setting(): ClockSetting {
    return readClock(this.#database);
  }

  #keep(setting: ClockSetting): void {
    this.#database.write(() => writeFact(this.#database, factName, setting));
  }
}
