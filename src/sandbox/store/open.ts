/** Opens, creates and resets the file of a sandbox. */
import { existsSync } from 'node:fs';
import { api as ownApi } from '../../resources/index.ts';
import { replaceDatabaseContent, sourceSchema } from '../../storage/copy.ts';
import { withDraftAsync } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import { openFile } from '../../storage/open.ts';
import { retryWhileBusy, type WaitOptions } from '../../storage/retry-while-busy.ts';
import { deleteOrphanedTokens } from '../access/tokens.ts';
import { fileDescriptionOf, sandboxFormat } from './file-format.ts';
import type { Tables } from './tables.ts';

/** Adds the first records to a new sandbox, inside a transaction. */
export type Seed = (database: Database) => void;

/** The options for opening the database of a sandbox. */
export interface OpenOptions extends WaitOptions {
  /** Loads the function that adds the first records. If omitted, the file must exist. */
  loadSeed?: () => Promise<Seed>;
  /** Whether writes survive a power failure. */
  isDurable?: boolean | undefined;
}

export async function openDatabase(file: string, tables: Tables, options: OpenOptions): Promise<Database> {
  const isNew = file === ':memory:' || !existsSync(file);
  const seed = isNew && options.loadSeed ? await options.loadSeed() : refuseMissingFile;
  const format = sandboxFormat(file, () => tables.all, fingerprintOf(tables));
  const durability = options.isDurable ? 'power' : format.durability;
  return retryWhileBusy(() => openFile(file, { ...format, durability }, seed), options);
}

/** Refuses to create a file that was moved or deleted after it was checked. */
function refuseMissingFile(database: Database): never {
  throw database.failure('moved');
}

/** Replaces the data with that of a new sandbox, in one step: other processes read the old or the new data. */
export function resetContent(
  database: Database,
  tables: Tables,
  seed: Seed,
  waitOptions: WaitOptions,
): Promise<void> {
  return withDraftAsync(fileDescriptionOf(database.file), async (draft) => {
    openFile(
      draft,
      sandboxFormat(database.file, () => tables.all, fingerprintOf(tables)),
      seed,
    ).close();
    await replaceContent(database, draft, waitOptions);
  });
}

/**
 * Replaces the content of a sandbox with that of another file, in one step. The tokens of both files are kept, so that
 * clients of a served sandbox can continue.
 */
export function replaceContent(database: Database, file: string, waitOptions: WaitOptions): Promise<void> {
  const finish = () => {
    database.run(`INSERT OR IGNORE INTO sandbox_tokens SELECT * FROM ${sourceSchema}.sandbox_tokens`);
    deleteOrphanedTokens(database);
  };
  return retryWhileBusy(
    () => replaceDatabaseContent(database, file, { keep: ['sandbox_tokens'], finish }),
    waitOptions,
  );
}

/** The fingerprint of the tables of boh's own API. The build sets it; without a build, it is computed at run time. */
declare const BOH_CONTRACT_FINGERPRINT: string | undefined;

/** The API of a preset has other tables, so its fingerprint is computed. */
function fingerprintOf({ api }: Tables): string | undefined {
  return api === ownApi ? buildFingerprint : undefined;
}

const buildFingerprint = typeof BOH_CONTRACT_FINGERPRINT === 'string' ? BOH_CONTRACT_FINGERPRINT : undefined;
