/** Creates the content of new sandboxes: the demo business, or only what every account has. */
import type { Api } from '../api/contract/api.ts';
import { readContent } from '../base/storage/copy.ts';
import type { Database } from '../base/storage/database.ts';
import { storeClock } from './business/clock.ts';
import { formatDay } from './calendar.ts';
import { setRandomSeed } from './context.ts';
import { openDatabase, type Seed } from './store/open.ts';
import type { Tables } from './store/tables.ts';

/** The settings with which a sandbox gives the same answers in every run. A reset keeps them. */
export interface FixedStart {
  /** The time at which the clock is stopped, in milliseconds since 1970. */
  time?: number | undefined;
  /** The seed of IDs. */
  randomSeed?: number | undefined;
}

export interface NewContentOptions extends FixedStart {
  /** The time of the machine, in milliseconds since 1970. */
  machineNow: number;
  /** Whether the demo business is left out. */
  isEmpty?: boolean | undefined;
}

/** Stores the settings in an open sandbox. */
export function storeFixedStart(database: Database, { time, randomSeed }: FixedStart): void {
  if (time !== undefined) storeClock(database, { frozen: time });
  if (randomSeed !== undefined) setRandomSeed(database, randomSeed);
}

/** Loads the function that adds the first records to a new sandbox. */
export async function loadSeed(
  tables: Tables,
  { machineNow, isEmpty = false, ...start }: NewContentOptions,
): Promise<Seed> {
  const { seedSandbox } = await import('./demo/seed.ts');
  return (database) => {
    seedSandbox({ database, tables }, { now: start.time ?? machineNow, isEmpty });
    storeFixedStart(database, start);
  };
}

interface PreparedContent {
  bytes: Uint8Array;
  machineNow: number;
}

/** The maximum number of contents that are kept for an API. */
const maxPrepared = 4;

const preparedByApi = new WeakMap<Api, Map<string, PreparedContent>>();

/** Returns the content of a new sandbox in memory. It is created once a day, and then reused. */
export async function newContent(tables: Tables, options: NewContentOptions): Promise<Uint8Array> {
  const { machineNow, isEmpty, time, randomSeed } = options;
  const prepared = preparedByApi.get(tables.api) ?? new Map<string, PreparedContent>();
  preparedByApi.set(tables.api, prepared);
  const key = [formatDay(machineNow), isEmpty === true, time, randomSeed].join();
  const existing = prepared.get(key);
  if (existing && existing.machineNow <= machineNow) return existing.bytes;
  const database = await openDatabase(':memory:', tables, { loadSeed: () => loadSeed(tables, options) });
  const bytes = readContent(database);
  database.close();
  const [oldestKey] = prepared.keys();
  if (oldestKey !== undefined && prepared.size >= maxPrepared) prepared.delete(oldestKey);
  prepared.set(key, { bytes, machineNow });
  return bytes;
}
