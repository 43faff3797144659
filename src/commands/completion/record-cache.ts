/** Caches names of records for a few minutes, so that Tab responds immediately. Only the user can read the files. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { replaceFileSync } from '../../base/replace-file.ts';

/** The part of a record that completion needs. */
export interface CachedRecord {
  id: string;
  title: string;
  /** The values of its natural key. */
  names: readonly string[];
}

/** The cached response to one request. */
export interface RecordCache {
  /** Returns the records; undefined if they aren't cached or are too old. */
  get(): readonly CachedRecord[] | undefined;
  put(records: readonly CachedRecord[]): void;
  /** Returns whether to send the request in the background. Returns false if another process sent it in the last seconds. */
  claim(): boolean;
}

const maxAgeMs = 5 * 60_000;
const maxClaimAgeMs = 10_000;
const fileNamePrefix = 'names-';

/** Opens the cache of a request to an account. `account` contains a token, so the file name has only its hash. */
export function openRecordCache(environment: Environment, account: string, requestKey: string): RecordCache {
  const folder = join(appFolder(environment, 'cache'), 'completion');
  const name = createHash('sha256').update(`${account}\n${requestKey}`).digest('hex').slice(0, 32);
  const path = join(folder, `${fileNamePrefix}${name}.json`);
  const claimFile = `${path}.asked`;
  return {
    get: () =>
      ageMsOf(path) < maxAgeMs ? (JSON.parse(readFileSync(path, 'utf8')) as CachedRecord[]) : undefined,
    put: (records) => {
      prepareFolder(folder);
      replaceFileSync(path, JSON.stringify(records));
    },
    claim: () => {
      if (ageMsOf(claimFile) < maxClaimAgeMs) return false;
      prepareFolder(folder);
      replaceFileSync(claimFile, '');
      return true;
    },
  };
}

/** Creates the folder, and deletes files that are too old. */
function prepareFolder(folder: string): void {
  makeFolder(folder, { mode: 0o700 });
  for (const file of readdirSync(folder)) {
    if (ageMsOf(join(folder, file)) >= maxAgeMs) rmSync(join(folder, file), { force: true });
  }
}

/** Returns the age of a file in milliseconds; infinite if the file doesn't exist or is from the future. */
function ageMsOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  // File times have fractions of milliseconds. Without rounding, a new file would seem to be from the future.
  const age = stats ? Date.now() - Math.floor(stats.mtimeMs) : Number.POSITIVE_INFINITY;
  return age < 0 ? Number.POSITIVE_INFINITY : age;
}
