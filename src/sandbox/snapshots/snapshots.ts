/**
 * Manages snapshots: named copies of whole sandboxes, which can be saved and restored while the sandbox is in use.
 */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../../api/contract/api.ts';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { copyDatabaseFile, readContent } from '../../base/storage/copy.ts';
import { createFileAsync, removeFile, withDraftAsync } from '../../base/storage/create.ts';
import type { Database } from '../../base/storage/database.ts';
import {
  type FileDescription,
  isSqliteError,
  StorageFailure,
  systemErrorCode,
  toStorageError,
} from '../../base/storage/failures.ts';
import { type DatabaseFormat, openFile } from '../../base/storage/open.ts';
import type { WaitOptions } from '../../base/storage/retry-while-busy.ts';
import { fileDescriptionOf, openDatabase, replaceContent, sandboxFormat } from '../store/open.ts';
import { sandboxFile, sandboxFolder } from '../store/sandbox-files.ts';
import { Tables } from '../store/tables.ts';

export interface Snapshot {
  name: string;
  bytes: number;
  savedAt: Date;
}

const extension = '.sqlite';

export function listSnapshots(environment: Environment): Snapshot[] {
  const folder = snapshotFolder(environment);
  const files = listFileNames(folder).filter((file) => file.endsWith(extension) && !file.startsWith('.'));
  return files.sort().map((file) => {
    const { size, mtime } = statSync(join(folder, file));
    return { name: file.slice(0, -extension.length), bytes: size, savedAt: mtime };
  });
}

/**
 * Saves a consistent copy of a sandbox, even while other processes write to it. Throws a usage failure if a snapshot
 * with this name exists, unless it should be replaced.
 */
export async function saveSnapshot(
  environment: Environment,
  name: string,
  file: string,
  { isReplacing, ...waitOptions }: WaitOptions & { isReplacing: boolean },
): Promise<void> {
  const description = descriptionOfSnapshot(environment, name);
  if (!isReplacing && hasSnapshot(environment, name)) throw alreadyExists(name);
  const isCreated = await createFileAsync(
    description,
    (draft) => copyDatabaseFile(fileDescriptionOf(file), draft, waitOptions),
    {
      isReplacing,
    },
  );
  if (!isCreated) throw alreadyExists(name);
}

/**
 * Restores a snapshot in one step: other processes read the state before or after it. Tokens that were created since the
 * snapshot stay valid, so that a server and its users can continue.
 */
export async function restoreSnapshot(
  environment: Environment,
  name: string,
  file: string,
  api: Api,
  waitOptions: WaitOptions = {},
): Promise<void> {
  requireSnapshot(environment, name);
  const snapshot = descriptionOfSnapshot(environment, name);
  const tables = new Tables(api);
  const database = await openDatabase(file, tables, waitOptions);
  try {
    await withDraftAsync(fileDescriptionOf(file), async (draft) => {
      await copyDatabaseFile(snapshot, draft, waitOptions);
      updateDraft(
        draft,
        sandboxFormat(file, () => tables.all),
        snapshot,
      );
      await replaceContent(database, draft, waitOptions).catch((error: unknown) => {
        if (isOtherFileDamaged(error, database)) throw error.copyWith({ description: snapshot });
        // The sandbox's file and the SQL are correct, so the snapshot must be damaged.
        throw isSqliteError(error) ? new StorageFailure('damaged', snapshot, { cause: error }) : error;
      });
    });
  } finally {
    database.close();
  }
}

/** Returns the content of a snapshot, for a sandbox in memory. */
export async function contentOfSnapshot(
  environment: Environment,
  name: string,
  api: Api,
  waitOptions: WaitOptions = {},
): Promise<Uint8Array> {
  const file = requireSnapshot(environment, name);
  const tables = new Tables(api);
  return withDraftAsync(fileDescriptionOf(file), async (draft) => {
    const snapshot = descriptionOfSnapshot(environment, name);
    await copyDatabaseFile(snapshot, draft, waitOptions);
    updateDraft(
      draft,
      sandboxFormat(file, () => tables.all),
      snapshot,
    );
    const database = await openDatabase(draft, tables, waitOptions);
    try {
      return readContent(database);
    } finally {
      database.close();
    }
  });
}

export function deleteSnapshot(environment: Environment, name: string): void {
  removeFile(requireSnapshot(environment, name));
}

/** Updates the copy of a snapshot, which may be of another preset. The snapshot itself isn't changed. */
function updateDraft(draft: string, format: DatabaseFormat, snapshot: FileDescription): void {
  try {
    const database = openFile(draft, format);
    const damage = database.checkIntegrity();
    database.close();
    if (damage.length > 0) throw new StorageFailure('damaged', snapshot);
  } catch (error) {
    throw error instanceof StorageFailure ? error.copyWith({ description: snapshot }) : error;
  }
}

/** Returns whether a file other than the sandbox's is damaged: SQLite doesn't report which of the two files is damaged. */
function isOtherFileDamaged(error: unknown, database: Database): error is StorageFailure {
  return (
    error instanceof StorageFailure && error.problem === 'damaged' && database.checkIntegrity().length === 0
  );
}

function descriptionOfSnapshot(environment: Environment, name: string): FileDescription {
  return {
    file: snapshotFile(environment, name),
    label: 'The snapshot',
    remedy: boh.hint`To save it again: ${boh.account('sandbox snapshot save', name, '--yes')}`,
  };
}

function snapshotFolder(environment: Environment): string {
  return join(sandboxFolder(environment), 'snapshots');
}

/** Returns the file of a snapshot. Names of snapshots have the same rules as names of sandboxes. */
function snapshotFile(environment: Environment, name: string): string {
  sandboxFile(environment, name);
  return join(snapshotFolder(environment), name + extension);
}

function hasSnapshot(environment: Environment, name: string): boolean {
  return listSnapshots(environment).some((snapshot) => snapshot.name === name);
}

/** Returns the file of a snapshot. Throws `not_found` if it doesn't exist. */
export function requireSnapshot(environment: Environment, name: string): string {
  const file = snapshotFile(environment, name);
  if (hasSnapshot(environment, name)) return file;
  const names = listSnapshots(environment).map((snapshot) => snapshot.name);
  throw new Failure('not_found', `Snapshot ${name} not found.`, {
    hint:
      names.length > 0
        ? `Existing snapshots: ${names.join(', ')}.`
        : boh.hint`To save one: ${boh.account('sandbox snapshot save', 'NAME')}`,
  });
}

function alreadyExists(name: string): Failure {
  return usage(`A snapshot named ${name} already exists.`, {
    hint: 'Choose another name, or replace it with --yes.',
  });
}

/** Returns the names of the files in a folder; empty if the folder doesn't exist. */
function listFileNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw toStorageError(error, { file: folder, label: 'The folder', remedy: '' });
  }
}
