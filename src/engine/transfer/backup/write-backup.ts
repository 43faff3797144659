/** Writes an account to a folder: one file for each resource, and a manifest that completes the backup atomically. */
import { createHash } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireOwner } from '../../../account/session/file-owner.ts';
import { isRefusedList } from '../../../account/session/list.ts';
import type { Session } from '../../../account/session/session.ts';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Environment } from '../../../base/environment.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { replaceFile, writeFailure } from '../../../base/replace-file.ts';
import { isBusy } from '../../../base/storage/failures.ts';
import { type FileLock, lockFile } from '../../../base/storage/file-lock.ts';
import { createResultFolder } from '../../tables/result-folder.ts';
import {
  type BackedUpResource,
  type BackupManifest,
  isBackupFile,
  lockName,
  manifestName,
  manifestText,
  ownerOfBackup,
  readBackupManifest,
  type SkippedResource,
} from './manifest.ts';
import { backedUpResources, canListChanges, readResource } from './read-account.ts';

export interface BackupOptions {
  session: Session;
  folder: string;
  /** The environment, which contains the folder of the profiles. */
  env: Environment;
  /** Whether to overwrite a backup that may be from another account. */
  isAnyAccount?: boolean | undefined;
  version: string;
  /** The resources to back up; by default all resources that can be listed. */
  resources?: readonly Resource[] | undefined;
  /** Whether to read only the changes since the backup in the folder. */
  sinceLast: boolean;
  now(): Date;
  /** Called before the list of a resource is read. */
  onResource?: ((resource: Resource) => void) | undefined;
  /** Called with the number of rows when they arrive. */
  onRows?: ((count: number) => void) | undefined;
  /** Called with notes that need no action. */
  onNote?: ((message: string) => void) | undefined;
}

/**
 * Writes a backup. Until the manifest is replaced, the folder contains the previous backup, even if the process is killed.
 * Lists that the service refuses are left out, unless the previous backup contains them. If another list can't be read
 * completely, throws and leaves the previous backup unchanged.
 */
export async function writeBackup(options: BackupOptions): Promise<BackupManifest> {
  const { folder } = options;
  // Only the owner may read the folder, because it contains all customer data of the business.
  createResultFolder(folder, { mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    return await write(options);
  } finally {
    lock.release();
  }
}

async function write(options: BackupOptions): Promise<BackupManifest> {
  const { session, folder, version, now } = options;
  const beganAt = now();
  const existing = await readPreviousManifest(options);
  const { account, match } = await requireBackupAccount(options, existing);
  // Records of another account don't belong to this backup.
  const previous = match === 'other' ? undefined : existing;
  const resources: BackedUpResource[] = [];
  const skipped: SkippedResource[] = [];
  let refusal: Failure | undefined;
  const skip = (resource: Resource, failure: Failure) => {
    refusal ??= failure;
    skipped.push({ resource: resource.name, reason: failure.message });
  };
  for (const resource of selectedResources(options)) {
    const failure = await listPermissionFailure(session, resource);
    if (failure) skip(resource, failure);
    else {
      const written = await writeResource(options, resource, previous).catch((error: unknown) => {
        const wasBackedUp = previous?.resources.some((entry) => entry.resource === resource.name);
        if (!isRefusedList(error) || wasBackedUp) throw listFailure(resource, error);
        skip(resource, error);
      });
      if (!written) continue;
      const { missing, ...entry } = written;
      resources.push(entry);
      if (missing.length > 0)
        skipped.push({
          resource: `${missing.join(', ')} of ${resource.name}`,
          reason: 'The service returns them neither in lists nor in single records.',
        });
    }
  }
  if (refusal && resources.length === 0) {
    const message = `Nothing could be read: ${skipped.map(({ reason }) => reason).join(' ')}`;
    throw new Failure(refusal.category, message, { hint: refusal.details.hint });
  }
  if (previous) refuseLostResources(folder, previous, resources);
  const manifest: BackupManifest = {
    format: 1,
    boh: version,
    place: account.service,
    business: { id: account.business?.id ?? null, name: account.business?.name ?? null },
    account_key: account.key ?? null,
    began_at: formatTimestamp(beganAt),
    ended_at: formatTimestamp(now()),
    resources: resources.reverse(),
    left_out: skipped.reverse(),
  };
  await replaceFile(join(folder, manifestName), manifestText(manifest), { newFileMode: 0o600 });
  await removeOldFiles(folder, manifest);
  return manifest;
}

async function writeResource(
  { session, folder, sinceLast, onResource, onRows, onNote }: BackupOptions,
  resource: Resource,
  previous: BackupManifest | undefined,
): Promise<BackedUpResource & { missing: string[] }> {
  onResource?.(resource);
  const entry = previous?.resources.find((previousEntry) => previousEntry.resource === resource.name);
  // Fields that were missing in the previous backup may be visible now, also in unchanged records.
  const hasAllFields = entry !== undefined && entry.until !== null && entry.unseen.length === 0;
  const isIncremental = sinceLast && hasAllFields && canListChanges(resource);
  if (sinceLast && entry && !canListChanges(resource))
    onNote?.(
      `${resource.command} are always read completely, because the API doesn't report all changes to them.`,
    );
  const resourceData = readResource({
    session,
    resource,
    previous: isIncremental ? { folder, entry } : undefined,
    onRows,
  });
  const file = await writeRecords(folder, resource, resourceData.chunks);
  return {
    resource: resource.name,
    ...file,
    ...resourceData.summary(),
    missing: [...resourceData.missing()],
  };
}

/** Writes records to a file whose name contains the hash of its content, so that it replaces no file with other content. */
async function writeRecords(folder: string, { name }: Resource, chunks: AsyncIterable<string>) {
  const hash = createHash('sha256');
  async function* hashChunks() {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const partFile = join(folder, `.${name}.part`);
  const bytes = await replaceFile(partFile, hashChunks(), { newFileMode: 0o600 });
  const sha256 = hash.digest('hex');
  const file = `${name}-${sha256.slice(0, 16)}.ndjson`;
  // The folder is synced when the manifest is replaced.
  await rename(partFile, join(folder, file)).catch((error: unknown) => {
    throw writeFailure(join(folder, file), error);
  });
  return { file, bytes, sha256 };
}

/** Returns the failure if the token isn't allowed to list a resource. Known scopes are checked without a request. */
async function listPermissionFailure(session: Session, resource: Resource): Promise<Failure | undefined> {
  const list = operation(resource, 'list');
  try {
    if (list) await session.permissions.checkPermission({ operation: list });
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.category === 'not_allowed') return error;
    throw error;
  }
}

function selectedResources({ session, resources }: BackupOptions): Resource[] {
  return backedUpResources(session.api).filter((resource) => resources?.includes(resource) ?? true);
}

async function readPreviousManifest({
  folder,
  sinceLast,
}: BackupOptions): Promise<BackupManifest | undefined> {
  const previous = await readBackupManifest(folder);
  if (previous) return previous;
  if (sinceLast)
    throw usage(`${folder} contains no backup, so --since-last can't be used.`, {
      hint: 'Run the first backup without --since-last.',
    });
  const otherFiles = (await readdir(folder)).filter((name) => !isBackupFile(name));
  if (otherFiles.length > 0)
    throw usage(`${folder} contains other files, not a backup; nothing was written.`, {
      hint: 'Choose an empty or new folder.',
    });
  return undefined;
}

/** Requires that a backup belongs to the account in use, unless the command line allows another account. */
function requireBackupAccount(
  { session, folder, env, isAnyAccount: isOverridden }: BackupOptions,
  existing: BackupManifest | undefined,
) {
  return requireOwner(session, existing && ownerOfBackup(existing), {
    label: folder,
    kind: 'backup',
    override: 'Use a separate folder for each account. To overwrite it anyway: --any-account',
    env,
    isOverridden,
  });
}

/** Throws a usage failure if the new backup doesn't contain all resources of the previous backup. */
function refuseLostResources(
  folder: string,
  previous: BackupManifest,
  resources: readonly BackedUpResource[],
): void {
  const lostResources = previous.resources.filter(
    (previousEntry) => !resources.some(({ resource }) => resource === previousEntry.resource),
  );
  if (lostResources.length === 0) return;
  const names = lostResources.map(({ resource }) => resource).join(', ');
  throw usage(
    `The backup in ${folder} contains ${names}, which the new backup would not. The backup was not changed.`,
    {
      hint: 'Back up to another folder, or use a token that may read them.',
    },
  );
}

function listFailure(resource: Resource, error: unknown): unknown {
  if (!(error instanceof Failure) || error.category === 'interrupted') return error;
  return new Failure(error.category, `${resource.command}: ${error.message} The backup was not changed.`, {
    ...error.details,
  });
}

function lockFolder(folder: string): FileLock {
  try {
    const file = join(folder, manifestName);
    return lockFile({ file, label: 'The backup', remedy: 'Create a new one in another folder.' });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure('unavailable', `Another process is writing a backup to ${folder}.`, {
      hint: 'Try again when it is done.',
      cause: error,
    });
  }
}

/** Deletes the files of earlier backups. No other process writes to the folder while it is locked. */
async function removeOldFiles(folder: string, { resources }: BackupManifest): Promise<void> {
  const files = new Set(resources.map(({ file }) => file));
  for (const name of await readdir(folder)) {
    const isCurrent = name === manifestName || name.startsWith(lockName) || files.has(name);
    if (isBackupFile(name) && !isCurrent) await rm(join(folder, name), { force: true });
  }
}
