/** Opens, creates and resets the file of a sandbox. */
import { existsSync } from 'node:fs';
import { replaceDatabaseContent, sourceSchema } from '../../storage/copy.ts';
import { withDraftAsync } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import { FairQueue, type QueueOptions } from '../../storage/fair-queue.ts';
import { openFile } from '../../storage/open.ts';
import { deleteOrphanedTokens } from '../access/tokens.ts';
import { namingOf, sandboxForm } from './file-format.ts';
import type { Tables } from './tables.ts';

/** Fills a new sandbox, inside a transaction. */
export type Fill = (database: Database) => void;

/** Options for opening the database of a sandbox. */
export interface OpenOptions extends QueueOptions {
  /** Returns the function that fills a new sandbox. If omitted, the file must exist. */
  fill?: () => Promise<Fill>;
  /** Whether writes survive a power cut. */
  isDurable?: boolean | undefined;
}

/** Opens the database of a sandbox. */
export async function openDatabase(file: string, tables: Tables, opening: OpenOptions): Promise<Database> {
  const isNew = file === ':memory:' || !existsSync(file);
  const fill = isNew && opening.fill ? await opening.fill() : refuseMoved;
  const form = sandboxForm(file, () => tables.all, builtFingerprint);
  const durability = opening.isDurable ? 'power' : form.durability;
  return new FairQueue().readNow(() => openFile(file, { ...form, durability }, fill), opening);
}

/** Refuses to create a file that was moved or deleted after it was checked. */
function refuseMoved(database: Database): never {
  throw database.failure('moved');
}

/** Replaces the data by that of a new sandbox, in one step: other processes see the old or the new data. */
export function resetContent(
  database: Database,
  tables: Tables,
  fill: Fill,
  waiting: QueueOptions,
): Promise<void> {
  return withDraftAsync(namingOf(database.file), async (draft) => {
    openFile(
      draft,
      sandboxForm(database.file, () => tables.all, builtFingerprint),
      fill,
    ).close();
    await replaceContent(database, draft, waiting);
  });
}

/**
 * Replaces the content of a sandbox by that of another file, in one step. The tokens of both files are kept, so that
 * clients of a served sandbox can continue.
 */
export function replaceContent(database: Database, file: string, waiting: QueueOptions): Promise<void> {
  const finish = () => {
    database.run(`INSERT OR IGNORE INTO sandbox_tokens SELECT * FROM ${sourceSchema}.sandbox_tokens`);
    deleteOrphanedTokens(database);
  };
  return new FairQueue().enqueue(
    () => replaceDatabaseContent(database, file, { keep: ['sandbox_tokens'], finish }),
    waiting,
  );
}

/** The fingerprint of the tables of boh's own API. The build sets it; without a build, it is computed at run time. */
declare const BOH_CONTRACT_FINGERPRINT: string | undefined;

const builtFingerprint = typeof BOH_CONTRACT_FINGERPRINT === 'string' ? BOH_CONTRACT_FINGERPRINT : undefined;
