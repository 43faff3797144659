/** Names of records, kept for a few minutes so that Tab answers at once. Names are private: so are the files. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOwnerOf } from '../../base/as-owner.ts';
import type { Environment } from '../../base/environment.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { ownFolder } from '../../base/own-folders.ts';

/** As much of a record as a candidate needs. */
export interface KnownRecord {
  id: string;
  title: string;
  /** Values of its natural key. */
  names: readonly string[];
}

export interface RecordCache {
  /** Undefined where nothing is kept, or nothing fresh. */
  get(): readonly KnownRecord[] | undefined;
  put(records: readonly KnownRecord[]): void;
  /** Whether to ask in the background: not where somebody has just begun to. */
  claim(): boolean;
}

const lifetime = 5 * 60_000;
const claimLifetime = 10_000;
const prefix = 'names-';

/** One file for each question (`what`) to each account (`account` is hashed: it holds a token). */
export function openRecordCache(environment: Environment, account: string, what: string): RecordCache {
  const folder = join(ownFolder(environment, 'cache'), 'completion');
  const name = createHash('sha256').update(`${account}\n${what}`).digest('hex').slice(0, 32);
  const path = join(folder, `${prefix}${name}.json`);
  const claimed = `${path}.asked`;
  return {
    get: () =>
      ageOf(path) < lifetime ? (JSON.parse(readFileSync(path, 'utf8')) as KnownRecord[]) : undefined,
    put: (records) => {
      prepareFolder(folder);
      asOwnerOf(folder, () => replaceFile(path, JSON.stringify(records)));
    },
    claim: () => {
      if (ageOf(claimed) < claimLifetime) return false;
      prepareFolder(folder);
      asOwnerOf(folder, () => replaceFile(claimed, ''));
      return true;
    },
  };
}

/** What has had its time is removed: nothing stays that nobody reads. */
function prepareFolder(folder: string): void {
  asOwnerOf(folder, () => {
    makeFolder(folder, { mode: 0o700 });
    for (const file of readdirSync(folder)) {
      if (ageOf(join(folder, file)) >= lifetime) rmSync(join(folder, file), { force: true });
    }
  });
}

/** Another shell may be reading: the new file takes the old one's place when it is whole. */
function replaceFile(path: string, text: string): void {
  const next = `${path}.${randomBytes(4).toString('hex')}`;
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
  renameSync(next, path);
}

/** In milliseconds; infinite where there is no file, or one from the future. */
function ageOf(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  // Of the clock the milliseconds count, of a file their parts as well: one of this very moment isn’t of the next one.
  const age = stats ? Date.now() - Math.floor(stats.mtimeMs) : Number.POSITIVE_INFINITY;
  return age < 0 ? Number.POSITIVE_INFINITY : age;
}
