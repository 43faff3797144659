/** Writes an account to a folder: a file per resource, and a manifest that completes the backup atomically. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { requireOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { removeFile } from '../../storage/create.ts';
import { isBusy } from '../../storage/failures.ts';
import { type FileLock, lockFile, lockFileSuffix } from '../../storage/file-lock.ts';
import { makeResultFolder } from '../../tables/result-folder.ts';
import {
  type BackedUp,
  type LeftOut,
  type Manifest,
  manifestName,
  manifestText,
  ownerOfBackup,
  readManifest,
} from './manifest.ts';
import { backedUpResources, knowsChanges, readResource } from './read-account.ts';
import { isOfBackup, lockName, writeLines } from './write-lines.ts';

/** Options of a backup. */
export interface BackupOptions {
  session: Session;
  folder: string;
  /** The environment, for the folder of the profiles. */
  env: Environment;
  /** Whether to overwrite a backup that may be from another account. */
  isAnyAccount?: boolean | undefined;
  /** The version of boh. */
  version: string;
  /** The resources to back up; by default all that can be listed. */
  resources?: readonly Resource[] | undefined;
  /** Whether to read only the changes since the backup in the folder. */
  sinceLast: boolean;
  now(): Date;
  /** Called before the list of a resource is read; `onRows` as its rows arrive. */
  onResource?: ((resource: Resource) => void) | undefined;
  onRows?: ((count: number) => void) | undefined;
  /** Called with notes that need no action. */
  onNote?: ((sentence: string) => void) | undefined;
}

/**
 * Writes a backup. Until the manifest is in place, the folder contains the previous backup, whatever happens to the
 * process. If a list can't be read completely, it throws and leaves the previous backup unchanged.
 */
export async function writeBackup(options: BackupOptions): Promise<Manifest> {
  const { folder } = options;
  // Only its owner may read it: it contains all customer data of the business.
  makeResultFolder(folder, { mode: 0o700 });
  const lock = keepFolder(folder);
  try {
    return await write(options);
  } finally {
    lock.release();
    removeFile(join(folder, manifestName) + lockFileSuffix);
  }
}

async function write(options: BackupOptions): Promise<Manifest> {
  const { session, folder, version, now } = options;
  const began = now();
  const found = await manifestBefore(options);
  const { account, match } = await demandOwn(options, found);
  // Records of another account don't belong to this backup.
  const before = match === 'other' ? undefined : found;
  const resources: BackedUp[] = [];
  const leftOut: LeftOut[] = [];
  for (const resource of chosen(options)) {
    const refusal = await refusalOf(session, resource);
    if (refusal) leftOut.push({ resource: resource.name, reason: refusal.message });
    else {
      const written = await writeResource(options, resource, before).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.category !== 'not_allowed')
          throw listFailure(resource, error);
        leftOut.push({ resource: resource.name, reason: error.message });
      });
      if (written) resources.push(written);
    }
  }
  if (resources.length === 0) {
    throw new Failure(
      'not_allowed',
      `Nothing could be read: ${leftOut.map(({ reason }) => reason).join(' ')}`,
    );
  }
  if (before) refuseLoss(folder, before, resources);
  const manifest: Manifest = {
    format: 1,
    boh: version,
    place: account.service,
    business: { id: account.business?.id ?? null, name: account.business?.name ?? null },
    account_key: account.key ?? null,
    began_at: formatTimestamp(began),
    ended_at: formatTimestamp(now()),
    resources: resources.reverse(),
    left_out: leftOut.reverse(),
  };
  await writeLines(folder, () => manifestName, textOf(manifestText(manifest)));
  await sweep(folder, manifest);
  return manifest;
}

async function* textOf(text: string) {
  yield text;
}

async function writeResource(
  { session, folder, sinceLast, onResource, onRows, onNote }: BackupOptions,
  resource: Resource,
  before: Manifest | undefined,
): Promise<BackedUp> {
  onResource?.(resource);
  const entry = before?.resources.find((each) => each.resource === resource.name);
  // Fields that were hidden then may be visible now, in records that haven't changed.
  const isKnown = entry !== undefined && entry.until !== null && entry.unseen.length === 0;
  const isIncremental = sinceLast && isKnown && knowsChanges(resource);
  if (sinceLast && entry && !knowsChanges(resource))
    onNote?.(
      `${resource.command} are always read completely, because the API doesn't report all changes to them.`,
    );
  const reading = readResource({
    session,
    resource,
    before: isIncremental ? { folder, entry } : undefined,
    onRows,
  });
  const nameFor = (sha256: string) => `${resource.name}-${sha256.slice(0, 16)}.ndjson`;
  const file = await writeLines(folder, nameFor, reading.texts);
  return { resource: resource.name, ...file, ...reading.facts() };
}

/** Returns the refusal to list a resource, known without a request if the token's scopes are. */
async function refusalOf(session: Session, resource: Resource): Promise<Failure | undefined> {
  const list = operation(resource, 'list');
  try {
    if (list) await session.permit({ operation: list });
    return undefined;
  } catch (error) {
    if (error instanceof Failure && error.category === 'not_allowed') return error;
    throw error;
  }
}

function chosen({ session, resources }: BackupOptions): Resource[] {
  return backedUpResources(session.api).filter((resource) => resources?.includes(resource) ?? true);
}

async function manifestBefore({ folder, sinceLast }: BackupOptions): Promise<Manifest | undefined> {
  const before = await readManifest(folder);
  if (before) return before;
  if (sinceLast)
    throw usage(`${folder} contains no backup, so --since-last can't be used.`, {
      hint: 'Run the first backup without --since-last.',
    });
  const others = (await readdir(folder)).filter((name) => !isOfBackup(name));
  if (others.length > 0)
    throw usage(`${folder} contains other files, not a backup; nothing was written.`, {
      hint: 'Choose an empty or new folder.',
    });
  return undefined;
}

/** Requires that a backup stays with one account, unless the command line allows another. */
function demandOwn(
  { session, folder, env, isAnyAccount: isAny }: BackupOptions,
  found: Manifest | undefined,
) {
  return requireOwner(session, found && ownerOfBackup(found), {
    label: folder,
    kind: 'backup',
    override: 'Use a separate folder for each account. To overwrite it anyway: --any-account',
    env,
    isOverridden: isAny,
  });
}

function refuseLoss(folder: string, before: Manifest, resources: readonly BackedUp[]): void {
  const lost = before.resources.filter((old) => !resources.some(({ resource }) => resource === old.resource));
  if (lost.length === 0) return;
  const names = lost.map(({ resource }) => resource).join(', ');
  throw usage(
    `The backup in ${folder} contains ${names}, which the new backup would not. The backup was not changed.`,
    {
      hint: 'Back up to another folder, or with a token that may read them.',
    },
  );
}

function listFailure(resource: Resource, error: unknown): unknown {
  if (!(error instanceof Failure) || error.category === 'interrupted') return error;
  return new Failure(error.category, `${resource.command}: ${error.message} The backup was not changed.`, {
    ...error.details,
  });
}

function keepFolder(folder: string): FileLock {
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

/** Deletes the remains of earlier backups: no other process writes here while the folder is locked. */
async function sweep(folder: string, { resources }: Manifest): Promise<void> {
  const files = new Set(resources.map(({ file }) => file));
  for (const name of await readdir(folder)) {
    const isKept = name === manifestName || name.startsWith(lockName) || files.has(name);
    if (isOfBackup(name) && !isKept) await rm(join(folder, name), { force: true });
  }
}
