/** Whether a backup is as it was written: every byte of every file, and as many records as the manifest says. */
import { readdir } from 'node:fs/promises';
import { Failure } from '../../base/errors.ts';
import { isDeleted } from '../../session/list.ts';
import { type BackedUp, type Manifest, manifestName, readManifest } from './manifest.ts';
import { isOfBackup } from './own-files.ts';
import { readRecords } from './read-lines.ts';

export interface Verified {
  resource: string;
  records: number;
  /** What is wrong with its file; null where nothing is. */
  problem: string | null;
}

export interface Verification {
  manifest: Manifest;
  resources: Verified[];
  /** Files that are no part of the backup. */
  others: string[];
}

/** Throws `not_found` where the folder holds no backup, and `unavailable` where its manifest can’t be trusted. */
export async function verifyBackup(folder: string): Promise<Verification> {
  const manifest = await backupIn(folder);
  const resources: Verified[] = [];
  for (const entry of manifest.resources) resources.push(await verify(folder, entry));
  // What a backup that was killed has left is swept away by the next one.
  const others = (await readdir(folder)).filter((name) => !isOfBackup(name));
  return { manifest, resources, others };
}

async function backupIn(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest) return manifest;
  throw new Failure('not_found', `There is no backup in ${folder}: it has no ${manifestName}.`, {
    hint: `Make one: boh backup ${folder}`,
  });
}

async function verify(folder: string, entry: BackedUp): Promise<Verified> {
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
      ? `${entry.file} holds an id twice.`
      : entry.deleted !== null && entry.deleted !== deleted
        ? `${entry.file} holds ${deleted} deleted records in place of ${entry.deleted}.`
        : null;
  return { resource: entry.resource, records, problem };
}
