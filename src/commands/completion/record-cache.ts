/** Caches names of records for a few minutes, so that Tab responds at once. Only the user can read the files. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asOwnerOf } from '../../base/as-owner.ts';
import type { Environment } from '../../base/environment.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { ownFolder } from '../../base/own-folders.ts';
import { replaceFile } from '../../base/replace-file.ts';

/** The part of a record that a candidate needs. */
export interface KnownRecord {
  id: string;
  title: string;
  /** Values of its natural key. */
  names: readonly string[];
}

/** The cached response to one request. */
export interface RecordCache {
  /** Returns the records; undefined if none are cached or they are too old. */
  get(): readonly KnownRecord[] | undefined;
  put(records: readonly KnownRecord[]): void;
  /** Returns whether to send the request in the background: false if another process has just started to. */
  claim(): boolean;
}

const lifetimeMs = 5 * 60_000;
const claimLifetimeMs = 10_000;
const prefix = 'names-';

/** Opens the cache of a request (`what`) to an account (`account` is hashed: it contains a token). */
export function openRecordCache(environment: Environment, account: string, what: string): RecordCache {
  const folder = join(ownFolder(environment, 'cache'), 'completion');
  const name = createHash('sha256').update(`${account}\n${what}`).digest('hex').slice(0, 32);
  const path = join(folder, `${prefix}${name}.json`);
  const claimed = `${path}.asked`;
  return {
    get: () =>
      ageOf(path) < lifetimeMs ? (JSON.parse(readFileSync(path, 'utf8')) as KnownRecord[]) : undefined,
    put: (records) => {
      prepareFolder(folder);
      asOwnerOf(folder, () => replaceFile(path, JSON.stringify(records)));
    },
    claim: () => {
      if (ageOf(claimed) < claimLifetimeMs) return false;
      prepareFolder(folder);
      asOwnerOf(folder, () => replaceFile(claimed, ''));
      return true;
    },
  };
}

/** Creates the folder, and deletes files that are too old. */
function prepareFolder(folder: string): void {
  asOwnerOf(folder, () => {
    makeFolder(folder, { mode: 0o700 });
    for (const file of readdirSync(folder)) {
      if (ageOf(join(folder, file)) >= lifetimeMs) rmSync(join(folder, file), { force: true });
    }
  });
}

/** Returns the age of a file in milliseconds; infinite without a file, or for one from the future. */
function ageOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  // The time of a file has fractions of milliseconds, the clock doesn't: without rounding a new file seems to be from the future.
  const age = stats ? Date.now() - Math.floor(stats.mtimeMs) : Number.POSITIVE_INFINITY;
  return age < 0 ? Number.POSITIVE_INFINITY : age;
}
