/** The manifest of a backup, `manifest.json`: the file of each resource with its checksum. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AccountIdentity } from '../../../account/session/account.ts';
import { readBoundedFile } from '../../../base/bounded-read.ts';
import { Failure } from '../../../base/errors.ts';
import { describeReadError } from '../../../base/file-errors.ts';
import { requireVersion } from '../../../base/format-version.ts';
import { lockFileSuffix } from '../../../base/storage/file-lock.ts';

export const manifestName = 'manifest.json';

export const lockName = manifestName + lockFileSuffix;

/** Returns whether a file name belongs to a backup. Incomplete files remain if a process is killed. */
export function isBackupFile(name: string): boolean {
  const isIncomplete = name.startsWith('.') && name.endsWith('.part');
  return name === manifestName || name.startsWith(lockName) || isIncomplete || isRecordsFile(name);
}

/** Returns whether a name is a valid file name for records. Valid names can't point outside the folder on any system. */
function isRecordsFile(name: string): boolean {
  return /^\w+-[0-9a-f]{16}\.ndjson$/.test(name);
}

/** The content of `manifest.json`. */
export interface BackupManifest {
  format: 1;
  /** The version of boh that wrote the backup. */
  boh: string;
  /** The URL of the service. */
  place: string;
  business: { id: string | null; name: string | null };
  /** Identifies the token that was used; null for a sandbox. */
  account_key: string | null;
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  began_at: string;
  ended_at: string;
  resources: readonly BackedUpResource[];
  left_out: readonly SkippedResource[];
}

export interface BackedUpResource {
  /** The API's name of the resource. */
  resource: string;
  file: string;
  /** The number of records, including deleted ones. */
  records: number;
  /** The number of deleted records; null if the API can't list them. */
  deleted: number | null;
  bytes: number;
  sha256: string;
  /** Whether the whole list was read, or only the changes since the previous backup. */
  read: 'complete' | 'changes';
  /** The time of the last change according to the service; null if unknown. */
  until: string | null;
  /** Fields that a restore needs and that no record contains, for example because the token lacks a scope. */
  unseen: readonly string[];
}

/** A resource that isn't in a backup, or fields of one (`items of inventory_counts`), with the reason. */
export interface SkippedResource {
  resource: string;
  reason: string;
}

/** Returns a sentence for each resource that a backup doesn't contain, with the reason. */
export function leftOutNotes({ left_out: skipped }: BackupManifest): string[] {
  return skipped.map(({ resource, reason }) => `Not in the backup: ${resource}. ${reason}`);
}

/** Returns the account whose records a backup contains. */
export function ownerOfBackup({
  place,
  business: { id, name },
  account_key,
}: BackupManifest): AccountIdentity {
  const business = id === null ? undefined : { id, name: name ?? undefined };
  return { service: place, business, key: account_key ?? undefined };
}

/** Returns the text of a manifest, with a checksum of everything before the checksum. */
export function manifestText(manifest: BackupManifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
}

function checksumOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

export const damageHint = 'Use another copy of this backup, or create a new one in another folder.';

/** Reads the manifest of a backup. Returns undefined if there is none. Throws `unavailable` if it was changed. */
export async function readBackupManifest(folder: string): Promise<BackupManifest | undefined> {
  const file = join(folder, manifestName);
  let text: string;
  try {
    text = (await readBoundedFile(file)).toString();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new Failure('usage', `${folder} isn't a folder.`);
    throw new Failure('unavailable', `Can't read ${file}: ${describeReadError(cause)}.`, { cause });
  }
  return parseManifest(text, file);
}

function parseManifest(text: string, file: string): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw changedFailure(file);
  }
  if (typeof value !== 'object' || value === null || !('checksum' in value)) throw changedFailure(file);
  const { checksum, ...content } = value as { checksum: unknown; format?: unknown; boh?: unknown };
  requireVersion(content.format ?? 1, 'unavailable', file, `boh ${content.boh} wrote it.`);
  // Comparing the text also detects changed whitespace.
  if (checksum !== checksumOf(content) || text !== manifestText(content as BackupManifest))
    throw changedFailure(file);
  const manifest = content as BackupManifest;
  refuseOtherFiles(manifest, file);
  return manifest;
}

/**
 * Refuses names of other files. A checksum doesn't prove who wrote the manifest, so only files with the names of backup files
 * are opened.
 */
function refuseOtherFiles({ resources }: { resources: unknown }, file: string): void {
  if (!Array.isArray(resources)) throw changedFailure(file);
  for (const entry of resources) {
    const { file: name, resource, sha256 } = Object(entry) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof resource !== 'string' || typeof sha256 !== 'string')
      throw changedFailure(file);
    if (isRecordsFile(name)) continue;
    throw new Failure(
      'unavailable',
      `${file} names ${JSON.stringify(name)}, which isn't the name of a backup file.`,
      {
        hint: `Nothing was read. ${damageHint}`,
      },
    );
  }
}

function changedFailure(file: string): Failure {
  return new Failure('unavailable', `${file} was changed or damaged after the backup.`, {
    hint: damageHint,
  });
}
