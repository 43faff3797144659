/** The manifest of a backup, `manifest.json`: the file of each resource, and the checksums that prove it complete. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readBounded } from '../../base/bounded-read.ts';
import { Failure } from '../../base/errors.ts';
import { readErrorText } from '../../base/file-errors.ts';
import { type FileOwner, ownerFrom } from '../../session/file-owner.ts';

/** The file name of the manifest. */
export const manifestName = 'manifest.json';

const format = 1;

/** Returns whether a name is a valid file name for records: such names never lead out of the folder, on any system. */
export function isRecordsFile(name: string): boolean {
  return /^\w+-[0-9a-f]{16}\.ndjson$/.test(name);
}

/** The content of `manifest.json`. */
export interface Manifest {
  format: typeof format;
  /** The version of boh that wrote it. */
  boh: string;
  /** The address of the service that the records come from. */
  place: string;
  business: { id: string | null; name: string | null };
  /** Identifies the token that it was written with; absent in backups of earlier versions. */
  account_key?: string | null | undefined;
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  began_at: string;
  ended_at: string;
  resources: readonly BackedUp[];
  left_out: readonly LeftOut[];
}

/** The backup of one resource. */
export interface BackedUp {
  /** The API's name of the resource. */
  resource: string;
  file: string;
  /** Includes deleted records. */
  records: number;
  /** Null if the API can't list deleted records of this resource. */
  deleted: number | null;
  bytes: number;
  sha256: string;
  /** Whether the whole list was read, or the changes since the previous backup. */
  read: 'whole' | 'changes';
  /** The time of the last change, from the service; null if it reports none. */
  until: string | null;
  /** Fields that a restore would need and no record shows, for example because the token lacks a scope. */
  unseen: readonly string[];
}

/** A resource that was left out of a backup. */
export interface LeftOut {
  resource: string;
  reason: string;
}

/** Returns the account whose records a backup contains. */
export function ownerOfBackup({ place, business: { id, name }, account_key }: Manifest): FileOwner {
  return ownerFrom(place, { business: id, business_name: name, account_key });
}

/** Returns the text of a manifest, with a checksum of everything before the checksum. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
}

function checksumOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** The hint for a damaged backup. */
export const ifDamaged = 'Use another copy of this backup, or create a new one in another folder.';

/** Returns undefined if the folder has no backup. Throws `unavailable` if its manifest has changed. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, manifestName);
  let text: string;
  try {
    text = (await readBounded(file)).toString();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new Failure('usage', `${folder} isn't a folder.`);
    const why = readErrorText(cause);
    throw new Failure('unavailable', `Can't read ${file}: ${why}.`, { cause });
  }
  return parsed(text, file);
}

function parsed(text: string, file: string): Manifest {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw changed(file);
  }
  if (typeof found !== 'object' || found === null || !('checksum' in found)) throw changed(file);
  const { checksum, ...rest } = found as { checksum: unknown };
  // Byte by byte: whitespace counts, too.
  if (checksum !== checksumOf(rest) || text !== manifestText(rest as Manifest)) throw changed(file);
  const manifest = rest as Manifest;
  if (manifest.format === format) {
    refuseOtherFiles(manifest, file);
    return manifest;
  }
  throw new Failure('unavailable', `${file} was written by another version of boh (${manifest.boh}).`, {
    hint: 'Update boh to read it.',
  });
}

/** Refuses other file names: a checksum doesn't prove who wrote the manifest, so only files of backups are opened. */
function refuseOtherFiles({ resources }: { resources: unknown }, file: string): void {
  if (!Array.isArray(resources)) throw changed(file);
  for (const entry of resources) {
    const { file: name, resource, sha256 } = Object(entry) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof resource !== 'string' || typeof sha256 !== 'string')
      throw changed(file);
    if (isRecordsFile(name)) continue;
    throw new Failure(
      'unavailable',
      `${file} names ${JSON.stringify(name)}, which isn't the name of a backup file.`,
      {
        hint: `Nothing was read. ${ifDamaged}`,
      },
    );
  }
}

function changed(file: string): Failure {
  return new Failure('unavailable', `${file} was changed or damaged after the backup.`, {
    hint: ifDamaged,
  });
}
