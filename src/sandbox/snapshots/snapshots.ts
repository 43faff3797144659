/** Copies of whole sandboxes, kept under names, to which a sandbox can go back while others use it. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Api } from '../../contract/api.ts';
import { damageIn } from '../../storage/check.ts';
import { copyFile } from '../../storage/copy.ts';
import { createFileSlowly, inDraftSlowly, removeFile } from '../../storage/create.ts';
import type { Database } from '../../storage/database.ts';
import {
  isOfSqlite,
  type Naming,
  StorageFailure,
  storageError,
  systemErrorCode,
} from '../../storage/failures.ts';
import { type Form, openFile } from '../../storage/open.ts';
import type { Waiting } from '../../storage/turns.ts';
import { namingOf, sandboxForm } from '../store/form.ts';
import { openDatabase, replaceContent } from '../store/open.ts';
import { sandboxFile, sandboxFolder } from '../store/place.ts';
import { Tables } from '../store/tables.ts';

export interface Snapshot {
  name: string;
  bytes: number;
  savedAt: Date;
}

const ending = '.sqlite';

export function listSnapshots(environment: Environment): Snapshot[] {
  const folder = snapshotFolder(environment);
  const files = entriesOf(folder).filter((file) => file.endsWith(ending) && !file.startsWith('.'));
  return files.sort().map((file) => {
    const { size, mtime } = statSync(join(folder, file));
    return { name: file.slice(0, -ending.length), bytes: size, savedAt: mtime };
  });
}

/** Copies the sandbox of a file as it is at one moment, whoever is writing to it. */
export async function saveSnapshot(
  environment: Environment,
  name: string,
  file: string,
  { isReplacing, ...waiting }: Waiting & { isReplacing: boolean },
): Promise<void> {
  const naming = namingOfSnapshot(environment, name);
  if (!isReplacing && has(environment, name)) throw taken(name);
  const isPlaced = await createFileSlowly(naming, (draft) => copyFile(namingOf(file), draft, waiting), {
    isReplacing,
  });
  if (!isPlaced) throw taken(name);
}

/**
 * Makes a sandbox what it was. Others see it as it is or as it was, never a half of either. Tokens made since stay
 * valid, so that a server and its users can go on.
 */
export async function restoreSnapshot(
  environment: Environment,
  name: string,
  file: string,
  api: Api,
  waiting: Waiting = {},
): Promise<void> {
  existingSnapshot(environment, name);
  const snapshot = namingOfSnapshot(environment, name);
  const tables = new Tables(api);
  const database = await openDatabase(file, tables, waiting);
  try {
    await inDraftSlowly(namingOf(file), async (draft) => {
      await copyFile(snapshot, draft, waiting);
      bringUpToDate(
        draft,
        sandboxForm(file, () => tables.all),
        snapshot,
      );
      await replaceContent(database, draft, waiting).catch((error: unknown) => {
        if (isDamageElsewhere(error, database)) throw error.with({ naming: snapshot });
        // Ours is sound, and so is our SQL: the other one can’t be what it passed for.
        throw isOfSqlite(error) ? new StorageFailure('damaged', snapshot, { cause: error }) : error;
      });
    });
  } finally {
    database.close();
  }
}

export function deleteSnapshot(environment: Environment, name: string): void {
  removeFile(existingSnapshot(environment, name));
}

/** The copy of a snapshot, which may be an older boh’s; the snapshot itself stays as it is. */
function bringUpToDate(draft: string, form: Form, snapshot: Naming): void {
  try {
    const database = openFile(draft, form);
    const damage = damageIn(database);
    database.close();
    if (damage.length > 0) throw new StorageFailure('damaged', snapshot);
  } catch (error) {
    throw error instanceof StorageFailure ? error.with({ naming: snapshot }) : error;
  }
}

/** Of two files that are read at once SQLite doesn’t say which one is damaged. */
function isDamageElsewhere(error: unknown, database: Database): error is StorageFailure {
  return error instanceof StorageFailure && error.problem === 'damaged' && damageIn(database).length === 0;
}

function namingOfSnapshot(environment: Environment, name: string): Naming {
  return {
    file: snapshotFile(environment, name),
    called: 'The snapshot',
    remedy: boh.hint`To save it again: ${boh.plain('sandbox snapshot save', name, '--yes')}`,
  };
}

function snapshotFolder(environment: Environment): string {
  return join(sandboxFolder(environment), 'snapshots');
}

/** Snapshots may be called what sandboxes may. */
function snapshotFile(environment: Environment, name: string): string {
  sandboxFile(environment, name);
  return join(snapshotFolder(environment), name + ending);
}

function has(environment: Environment, name: string): boolean {
  return listSnapshots(environment).some((snapshot) => snapshot.name === name);
}

/** The file of a snapshot. Throws `not_found` where there is none of that name. */
export function existingSnapshot(environment: Environment, name: string): string {
  const file = snapshotFile(environment, name);
  if (has(environment, name)) return file;
  const names = listSnapshots(environment).map((snapshot) => snapshot.name);
  throw new Failure('not_found', `There is no snapshot ${name}.`, {
    hint:
      names.length > 0
        ? `There are ${names.join(', ')}.`
        : boh.hint`To save one: ${boh.plain('sandbox snapshot save', 'NAME')}`,
  });
}

function taken(name: string): Failure {
  return usage(`There is a snapshot ${name} already.`, {
    hint: 'Choose another name, or give --yes to replace it.',
  });
}

/** No folder is no snapshots. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw storageError(error, { file: folder, called: 'The folder', remedy: '' });
  }
}
