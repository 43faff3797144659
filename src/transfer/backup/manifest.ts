/** What a backup's folder holds, in `manifest.json`: which file is of which resource, and by what to know that it is whole. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { whyNotRead } from '../../base/unreadable.ts';
import { type FileOwner, ownerFrom } from '../../session/file-owner.ts';

export const manifestName = 'manifest.json';

const format = 1;

/** Whether a name is one that a backup gives to a file of records: it leads out of no folder, on no system. */
export function isRecordsFile(name: string): boolean {
  return /^\w+-[0-9a-f]{16}\.ndjson$/.test(name);
}

export interface Manifest {
  format: typeof format;
  /** The version of boh that wrote it. */
  boh: string;
  /** Where the records are from: the address of the service, and whose they are. */
  place: string;
  business: { id: string | null; name: string | null };
  /** Stands for the token that it was written with; absent in backups of earlier versions. */
  account_key?: string | null | undefined;
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  began_at: string;
  ended_at: string;
  resources: readonly BackedUp[];
  left_out: readonly LeftOut[];
}

export interface BackedUp {
  /** By the API’s own name. */
  resource: string;
  file: string;
  /** Deleted ones among them. */
  records: number;
  /** Null where the API can’t list deleted records of this kind. */
  deleted: number | null;
  bytes: number;
  sha256: string;
  /** Whether all of the list was read, or what had changed since the backup before. */
  read: 'whole' | 'changes';
  /** The last change that was seen, as the service dates it; null where it dates none. */
  until: string | null;
  /** Fields that a restore would need and no record shows, as to a token without the scope for them. */
  unseen: readonly string[];
}

export interface LeftOut {
  resource: string;
  reason: string;
}

/** The account whose records a backup holds. */
export function ownerOfBackup({ place, business: { id, name }, account_key }: Manifest): FileOwner {
  return ownerFrom(place, { business: id, business_name: name, account_key });
}

/** With a checksum of all that stands before it. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, checksum: checksumOf(manifest) }, null, 2)}\n`;
}

function checksumOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** What to do about a backup that isn’t as it was written. */
export const ifDamaged = 'Take another copy of this backup, or make a new one in another folder.';

/** Undefined where the folder holds no backup. Throws `unavailable` where its manifest isn’t as it was written. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const file = join(folder, manifestName);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new Failure('usage', `${folder} is no folder.`);
    const why = whyNotRead(cause);
    throw new Failure('unavailable', `${file} can’t be read: ${why}.`, { cause });
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
  // To the byte: blanks count as well.
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

/** A checksum is no proof of who wrote it: whatever the manifest says, no file but those of a backup is opened. */
function refuseOtherFiles({ resources }: { resources: unknown }, file: string): void {
  if (!Array.isArray(resources)) throw changed(file);
  for (const entry of resources) {
    const { file: name, resource, sha256 } = Object(entry) as Record<string, unknown>;
    if (typeof name !== 'string' || typeof resource !== 'string' || typeof sha256 !== 'string')
      throw changed(file);
    if (isRecordsFile(name)) continue;
    throw new Failure(
      'unavailable',
      `${file} names ${JSON.stringify(name)}, and no backup has a file of that name.`,
      {
        hint: `Nothing of it was read. ${ifDamaged}`,
      },
    );
  }
}

function changed(file: string): Failure {
  return new Failure('unavailable', `${file} is not as a backup has written it: it was changed or damaged.`, {
    hint: ifDamaged,
  });
}
