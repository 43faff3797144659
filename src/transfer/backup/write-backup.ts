/** An account into a folder: a file for each resource, and a manifest that makes them the backup in one moment. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { demandOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { removeFile } from '../../storage/create.ts';
import { isBusy } from '../../storage/failures.ts';
import { type Hold, hold, holdSuffix } from '../../storage/hold.ts';
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
import { holdName, isOfBackup, writeLines } from './write-lines.ts';

export interface BackupOptions {
  session: Session;
  folder: string;
  /** Where the profiles are. */
  env: Environment;
  /** Write over a backup that may be another account’s, too. */
  isAnyAccount?: boolean | undefined;
  /** The version of boh. */
  version: string;
  /** These alone; all that can be listed where there are none. */
  resources?: readonly Resource[] | undefined;
  /** Ask only for what has changed since the backup that the folder holds. */
  sinceLast: boolean;
  now(): Date;
  /** Told before the list of a resource is read, and of its rows as they come. */
  onResource?: ((resource: Resource) => void) | undefined;
  onRows?: ((count: number) => void) | undefined;
  /** What somebody should know, and need not stop for. */
  onNote?: ((sentence: string) => void) | undefined;
}

/**
 * Until the manifest is in its place, the folder holds the backup that it held before, whatever happens to the process;
 * from then on the new one. Throws without touching it where a list can’t be read whole.
 */
export async function writeBackup(options: BackupOptions): Promise<Manifest> {
  const { folder } = options;
  // For its owner alone: it holds all that the business knows of its customers.
  makeResultFolder(folder, { mode: 0o700 });
  const held = keepFolder(folder);
  try {
    return await write(options);
  } finally {
    held.release();
    removeFile(join(folder, manifestName) + holdSuffix);
  }
}

async function write(options: BackupOptions): Promise<Manifest> {
  const { session, folder, version, now } = options;
  const began = now();
  const found = await manifestBefore(options);
  const { account, match } = await demandOwn(options, found);
  // The records of another account are no part of this one’s.
  const before = match === 'other' ? undefined : found;
  const resources: BackedUp[] = [];
  const leftOut: LeftOut[] = [];
  for (const resource of chosen(options)) {
    const refusal = await refusalOf(session, resource);
    if (refusal) leftOut.push({ resource: resource.name, reason: refusal.message });
    else {
      const written = await writeResource(options, resource, before).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.category !== 'not_allowed') throw told(resource, error);
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
    place: account.place,
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
  // Fields that weren’t shown then may be now, in records that haven’t changed.
  const isKnown = entry !== undefined && entry.until !== null && entry.unseen.length === 0;
  const isIncremental = sinceLast && isKnown && knowsChanges(resource);
  if (sinceLast && entry && !knowsChanges(resource))
    onNote?.(`${resource.command} are read whole: the API doesn’t tell all that has changed of them.`);
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

/** A token that may not list a resource is known before, where its scopes are. */
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
    throw usage(`${folder} holds no backup yet, so nothing is known of what has changed since.`, {
      hint: 'Leave --since-last out the first time.',
    });
  const others = (await readdir(folder)).filter((name) => !isOfBackup(name));
  if (others.length > 0)
    throw usage(`${folder} holds other files and no backup; nothing was written.`, {
      hint: 'Name a folder that is empty, or isn’t there yet.',
    });
  return undefined;
}

/** A backup is of one account for all its time, unless the line says otherwise. */
function demandOwn(
  { session, folder, env, isAnyAccount: isAny }: BackupOptions,
  found: Manifest | undefined,
) {
  return demandOwner(session, found && ownerOfBackup(found), {
    called: folder,
    kind: 'backup',
    override: 'Give each account a folder of its own. To write over it all the same: --any-account',
    env,
    isAny,
  });
}

function refuseLoss(folder: string, before: Manifest, resources: readonly BackedUp[]): void {
  const lost = before.resources.filter((old) => !resources.some(({ resource }) => resource === old.resource));
  if (lost.length === 0) return;
  const names = lost.map(({ resource }) => resource).join(', ');
  throw usage(`The backup in ${folder} also holds ${names}, which this one would not; it is as it was.`, {
    hint: 'Back up to another folder, or with a token that may read them.',
  });
}

function told(resource: Resource, error: unknown): unknown {
  if (!(error instanceof Failure) || error.category === 'interrupted') return error;
  return new Failure(
    error.category,
    `${resource.command}: ${error.message} The backup is as it was before.`,
    {
      ...error.details,
    },
  );
}

function keepFolder(folder: string): Hold {
  try {
    const file = join(folder, manifestName);
    return hold({ file, called: 'The backup', remedy: 'Make a new one in another folder.' });
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Failure('unavailable', `Another process is writing a backup to ${folder}.`, {
      hint: 'Try again when that is done.',
      cause: error,
    });
  }
}

/** What backups before this one have left: nobody else writes here while the folder is held. */
async function sweep(folder: string, { resources }: Manifest): Promise<void> {
  const files = new Set(resources.map(({ file }) => file));
  for (const name of await readdir(folder)) {
    const isKept = name === manifestName || name.startsWith(holdName) || files.has(name);
    if (isOfBackup(name) && !isKept) await rm(join(folder, name), { force: true });
  }
}
