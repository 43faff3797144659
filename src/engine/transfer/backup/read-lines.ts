/** Reads the files of a backup and verifies that they are unchanged. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeleted } from '../../../account/session/list.ts';
import { isRow, parseJson, type Row } from '../../../account/session/row.ts';
import { Failure } from '../../../base/errors.ts';
import { readErrorReason } from '../../../base/file-errors.ts';
import { boh } from '../../../base/hint.ts';
import {
  type BackedUpResource,
  type BackupManifest,
  damageHint,
  isBackupFile,
  manifestName,
  readBackupManifest,
} from './manifest.ts';

/** Yields the records in order. Throws `unavailable` for a line that isn't a record, and at the end if the file was changed. */
export async function* readRecords(folder: string, entry: BackedUpResource): AsyncGenerator<Row> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const line of readLines(join(folder, entry.file), hash)) {
    count++;
    const record = parseRecord(line);
    if (!record) throw damagedFailure(folder, entry, `line ${count} isn't a record`);
    yield record;
  }
  if (hash.digest('hex') !== entry.sha256) throw damagedFailure(folder, entry, 'its content has changed');
  if (count !== entry.records)
    throw damagedFailure(folder, entry, `it has ${count} records instead of ${entry.records}`);
}

async function* readLines(file: string, hash: { update(chunk: Buffer): unknown }): AsyncGenerator<string> {
  let incompleteLine: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of await openContent(file)) {
      hash.update(chunk);
      let lineStart = 0;
      for (let lineEnd = chunk.indexOf(10); lineEnd >= 0; lineEnd = chunk.indexOf(10, lineStart)) {
        yield Buffer.concat([incompleteLine, chunk.subarray(lineStart, lineEnd)]).toString('utf8');
        incompleteLine = Buffer.alloc(0);
        lineStart = lineEnd + 1;
      }
      incompleteLine = Buffer.concat([incompleteLine, chunk.subarray(lineStart)]);
    }
  } catch (cause) {
    if (cause instanceof Failure || !(cause instanceof Error) || !('code' in cause)) throw cause;
    const reason = cause.code === 'ENOENT' ? 'no such file' : readErrorReason(cause);
    throw new Failure('unavailable', `Can't read ${file}: ${reason}.`, { cause });
  }
  if (incompleteLine.length > 0) yield incompleteLine.toString('utf8');
}

/** Opens a regular file. A link could point outside the folder, and a pipe or device might never end. */
async function openContent(file: string): Promise<AsyncIterable<Buffer>> {
  // These flags don't exist on Windows.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  if (!(await lstat(file)).isFile()) throw notRegularFile(file);
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle.createReadStream();
  await handle.close();
  throw notRegularFile(file);
}

function notRegularFile(file: string): Failure {
  return new Failure('unavailable', `${file} was changed after the backup: it isn't a regular file.`, {
    hint: damageHint,
  });
}

function parseRecord(line: string): Row | undefined {
  try {
    const value: unknown = parseJson(line)?.value;
    return isRow(value) && typeof value.id === 'string' && value.id !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

function damagedFailure(folder: string, { file }: BackedUpResource, problem: string): Failure {
  return new Failure(
    'unavailable',
    `${join(folder, file)} was changed or damaged after the backup: ${problem}.`,
    {
      hint: boh.hint`To list all damage: ${boh.plain('backup verify', folder)}`,
    },
  );
}

/** The result of verifying the file of a resource. */
interface VerifiedResource {
  resource: string;
  records: number;
  /** The problem with the file; null if there is none. */
  problem: string | null;
}

/** The result of verifying a backup. */
interface Verification {
  manifest: BackupManifest;
  resources: VerifiedResource[];
  /** The files in the folder that are not part of the backup. */
  otherFiles: string[];
}

/** Verifies a backup. Throws `not_found` if the folder has no backup, and `unavailable` if its manifest was changed. */
export async function verifyBackup(folder: string): Promise<Verification> {
  const manifest = await requireBackup(folder);
  const resources: VerifiedResource[] = [];
  for (const entry of manifest.resources) resources.push(await verifyResource(folder, entry));
  // The next backup deletes the files of an interrupted backup.
  const otherFiles = (await readdir(folder)).filter((name) => !isBackupFile(name));
  return { manifest, resources, otherFiles };
}

async function requireBackup(folder: string): Promise<BackupManifest> {
  const manifest = await readBackupManifest(folder);
  if (manifest) return manifest;
  throw new Failure('not_found', `No backup found in ${folder}: ${manifestName} is missing.`, {
    hint: boh.hint`To make one: ${boh.account('backup', folder)}`,
  });
}

async function verifyResource(folder: string, entry: BackedUpResource): Promise<VerifiedResource> {
  let [records, deleted] = [0, 0];
  const ids = new Set<string>();
  try {
    for await (const record of readRecords(folder, entry)) {
      records++;
      ids.add(String(record.id));
      if (isDeleted(record)) deleted++;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { resource: entry.resource, records, problem: error.message };
  }
  const problem =
    ids.size < records
      ? `${entry.file} contains a duplicate ID.`
      : entry.deleted !== null && entry.deleted !== deleted
        ? `${entry.file} has ${deleted} deleted records instead of ${entry.deleted}.`
        : null;
  return { resource: entry.resource, records, problem };
}
