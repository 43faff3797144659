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

/** Fills a new sandbox, inside one transaction. */
export type Fill = (database: Database) => void;

/** How to open a sandbox. */
export interface OpenOptions extends QueueOptions {
  /** Called only for a new sandbox; without it the file must exist. */
  fill?: () => Promise<Fill>;
  /** Whether writes also survive a power cut. */
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

/** The file existed a moment ago. */
function refuseMoved(database: Database): never {
  throw database.failure('moved');
}

/** Starts over. Others see either the old data or the new data. */
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
 * Replaces the content of a sandbox by that of another file, in one step. Its tokens stay and those of the other file
 * are added, so that clients of a served sandbox can continue.
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

/**
 * The fingerprint of the tables that follow from boh's own API. A file that has it needs no further check. The build
 * sets it; without a build it is computed.
 */
declare const BOH_CONTRACT_MARK: string | undefined;

const builtFingerprint = typeof BOH_CONTRACT_MARK === 'string' ? BOH_CONTRACT_MARK : undefined;
