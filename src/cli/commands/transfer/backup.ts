/** `boh backup FOLDER` writes an account to a folder. Its subcommands are `boh backup verify` and `boh backup restore`. */

import { accountInUse } from '../../../account/session/account.ts';
import { matchOwner, ownerFailure } from '../../../account/session/file-owner.ts';
import type { Session } from '../../../account/session/session.ts';
import { endpointName } from '../../../account/settings/settings.ts';
import type { Api } from '../../../api/contract/api.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { formatCount } from '../../../base/shown-items.ts';
import { version } from '../../../base/version.ts';
import {
  type BackupManifest,
  damageHint,
  leftOutNotes,
  ownerOfBackup,
} from '../../../engine/transfer/backup/manifest.ts';
import { verifyBackup } from '../../../engine/transfer/backup/read-lines.ts';
import { writeBackup } from '../../../engine/transfer/backup/write-backup.ts';
import { backupSource } from '../../../engine/transfer/source.ts';
import type { Context } from '../../context/context.ts';
import { startRowProgress } from '../../output/heap-limiter.ts';
import type { Result } from '../../output/result.ts';
import { note, warn } from '../../terminal/messages.ts';
import { openRunSession } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { anyAccountFlag, listableResources, resolveResources, resourceFlag } from '../flags/shared-flags.ts';
import { parseReferenceFlags, runTransfer, transferFlags, transferProblems } from './run-transfer.ts';

const backupFlags = [
  resourceFlag(),
  ['--since-last', 'read only changes since the previous backup; the new backup is still complete'],
  anyAccountFlag('overwrite a backup of another account'),
] as const;

/** Returns the command `boh backup` with its subcommands. */
export function backupCommand(context: Context): Command {
  return createCommand(context, {
    name: 'backup',
    about:
      'Back up an account to a folder: all records with links, deleted ones too, and checksums. The previous backup is ' +
      'replaced once the new one is complete.\n\nTo edit records in a spreadsheet: boh export. To keep them as files ' +
      'that boh apply reads: boh pull.',
    args: [['[folder]', 'the folder of the backup']],
    usage: '<folder> [flags]',
    flags: backupFlags,
    examples: ['boh backup nightly', 'boh backup nightly --since-last', 'boh backup verify nightly'],
    reportsRedactions: true,
    subcommands: [verifyCommand(context), restoreCommand(context)],
    run: ([folder], flags) => runBackup(folder, flags, context),
  });
}

async function runBackup(
  folder: string | undefined,
  { resource, sinceLast = false, anyAccount }: FlagsOf<typeof backupFlags>,
  context: Context,
): Promise<Result> {
  if (!folder) throw usage('Missing the folder of the backup.', { hint: boh.account('backup', 'FOLDER') });
  const resources = resolveResources(resource, '--resource', context.api);
  const session = await context.session();
  const { streams, now } = context;
  const progress = startRowProgress(context, (resources ?? listableResources(context.api).allowed).length);
  try {
    const manifest = await writeBackup({
      session,
      folder,
      env: context.env,
      isAnyAccount: anyAccount,
      version,
      resources,
      sinceLast,
      now,
      onResource: ({ nouns }) => progress.startPart(`Reading ${nouns}`),
      onRows: progress.add,
      onNote: (message) => note(streams, message),
    });
    return backupResult(manifest, folder);
  } catch (error) {
    progress.done();
    if (context.signal.aborted)
      note(streams, boh.hint`The backup is incomplete. To start again: ${boh.account('backup', folder)}`);
    throw error;
  } finally {
    progress.done();
  }
}

function backupResult(manifest: BackupManifest, folder: string): Result {
  const { resources, left_out: skippedResources } = manifest;
  const total = resources.reduce((sum, { records }) => sum + records, 0);
  const names = skippedResources.map(({ resource }) => resource).join(', ');
  return {
    kind: 'data',
    data: resources.map(({ resource, records, deleted, read, unseen }) => ({
      resource,
      records,
      deleted,
      read,
      unseen,
    })),
    columns: [
      ...['resource', 'records', 'deleted'].map((name) => ({ name })),
      { name: 'read', show: (value: unknown) => (value === 'complete' ? 'all records' : String(value)) },
    ],
    notes: [
      `${formatCount(total)} records of ${resources.length} resources backed up to ${folder}.`,
      ...resources.flatMap(({ resource, unseen }) =>
        unseen.length > 0 ? [`The service doesn't return these of ${resource}: ${unseen.join(', ')}.`] : [],
      ),
      ...leftOutNotes(manifest),
    ],
    expectedFailure:
      skippedResources.length === 0
        ? undefined
        : new Failure(
            'partial',
            `The backup in ${folder} doesn't contain ${names}: the token may not read them, or the service refused it.`,
            {
              hint: 'The reasons are above. Sign in with the missing scopes, or choose resources with --resource.',
            },
          ),
  };
}

function verifyCommand(context: Context): Command {
  return createCommand(context, {
    name: 'verify',
    summary: 'Check that a backup is complete and unchanged',
    about:
      'Read a backup completely and compare it with its manifest: checksums, files, and counts of records.',
    args: [['[folder]', 'the folder of the backup']],
    usage: '<folder> [flags]',
    run: ([folder]) => verify(folder),
  });
}

async function verify(folder: string | undefined): Promise<Result> {
  if (!folder)
    throw usage('Missing the folder of the backup.', { hint: boh.plain('backup verify', 'FOLDER') });
  const { manifest, resources, otherFiles } = await verifyBackup(folder);
  const { business, place, ended_at: endedAt } = manifest;
  const account = [business.name, place].filter(Boolean).join(', ');
  const problems = resources.flatMap(({ resource, problem }) =>
    problem === null ? [] : [[resource, [problem]] as [string, string[]]],
  );
  const names = problems.map(([resource]) => resource).join(', ');
  return {
    kind: 'data',
    data: resources,
    columns: ['resource', 'records', 'problem'].map((name) => ({ name })),
    notes: [
      problems.length > 0
        ? `Backup of ${account}, ${endedAt} (UTC).`
        : `The backup is ${manifest.left_out.length > 0 ? 'unchanged, but incomplete' : 'complete and unchanged'}: ${account}, ${endedAt} (UTC).`,
      ...leftOutNotes(manifest),
      ...(otherFiles.length > 0 ? [`Files that aren't part of the backup: ${otherFiles.join(', ')}.`] : []),
    ],
    expectedFailure:
      problems.length === 0
        ? undefined
        : new Failure('unavailable', `The backup in ${folder} is damaged: ${names}.`, {
            fields: Object.fromEntries(problems),
            hint: damageHint,
          }),
  };
}

const restoreFlags = (api: Api) =>
  [
    ...under('Records:', [
      resourceFlag(),
      anyAccountFlag('match records by key if the account of the backup is unknown'),
    ]),
    ...transferFlags(api),
  ] as const;

function restoreCommand(context: Context): Command {
  const { api } = context;
  return createCommand(context, {
    name: 'restore',
    summary: 'Restore records from a backup',
    about:
      'Restore the records of a backup. In the account of the backup, records are matched by ID; in another account by ' +
      "key, and missing records are created with new IDs. Other records of the account aren't changed. All changes are " +
      'shown first.',
    args: [['[folder]', 'the folder of the backup']],
    usage: '<folder> [flags]',
    flags: restoreFlags(api),
    examples: [
      'boh backup restore nightly --dry-run',
      'boh backup restore nightly --resource tags,customers',
      'boh backup restore nightly --profile new-branch --map-branch "Old Town=Harbor"',
    ],
    dryRun: true,
    check: (flags) => transferProblems(flags, api),
    run: ([folder], flags) => restore(folder, flags, context),
  });
}

async function restore(
  folder: string | undefined,
  flags: FlagsOf<ReturnType<typeof restoreFlags>>,
  context: Context,
): Promise<Result> {
  if (!folder)
    throw usage('Missing the folder of the backup.', { hint: boh.account('backup restore', 'FOLDER') });
  if (context.globals.offline)
    throw usage("backup restore can't be used with --offline: it reads from the service.");
  const references = parseReferenceFlags(flags, context.api);
  const requestedResources = resolveResources(flags.resource, '--resource', context.api);
  const manifest = await readVerifiedManifest(folder);
  const { collections, nounsOf } = context.api;
  const backedUpNames = manifest.resources.map(({ resource }) => resource);
  const backedUpResources = backedUpNames.flatMap(
    (name) => collections.find((resource) => resource.name === name) ?? [],
  );
  const otherNames = backedUpNames.filter((name) => !collections.some((resource) => resource.name === name));
  if (otherNames.length > 0)
    note(
      context.streams,
      `Not restored, because this account has no such resources: ${otherNames.map(nounsOf).join(', ')}.`,
    );
  const missingResources = (requestedResources ?? []).filter(
    (resource) => !backedUpResources.includes(resource),
  );
  if (missingResources.length > 0)
    throw usage(
      `The backup in ${folder} doesn't contain ${missingResources.map(({ nouns }) => nouns).join(', ')}.`,
    );
  const session = await openRunSession(context, flags);
  const isSameAccount = await isOfAccount(session, manifest, {
    folder,
    isOverridden: flags.anyAccount,
    env: context.env,
  });
  const { place, business, ended_at: endedAt } = manifest;
  const account = [business.name, place].filter(Boolean).join(', ');
  note(
    context.streams,
    `Restoring the backup of ${account}, ${endedAt} (UTC), to ${isSameAccount ? 'the same account' : endpointName(session.settings)}.`,
  );
  if (requestedResources === undefined)
    for (const message of leftOutNotes(manifest)) warn(context.streams, message);
  return runTransfer(
    {
      command: 'backup restore',
      label: folder,
      from: folder,
      source: backupSource(folder, manifest),
      resources: requestedResources ?? backedUpResources,
      session,
      isSameAccount,
      references,
      flags,
    },
    context,
  );
}

/** Verifies the whole backup and returns its manifest, so that a damaged backup is never restored in part. */
async function readVerifiedManifest(folder: string): Promise<BackupManifest> {
  const { manifest, resources } = await verifyBackup(folder);
  const problems = resources.filter(({ problem }) => problem !== null);
  if (problems.length === 0) return manifest;
  throw new Failure('unavailable', `The backup in ${folder} is damaged; nothing was sent.`, {
    fields: Object.fromEntries(problems.map(({ resource, problem }) => [resource, [problem ?? '']])),
    hint: damageHint,
  });
}

/**
 * Returns whether the backup belongs to this account, so that records can be matched by ID. Throws if that is unknown,
 * because the same IDs could belong to other records. With `isOverridden`, an unknown account counts as another account.
 */
async function isOfAccount(
  session: Session,
  manifest: BackupManifest,
  { folder, isOverridden, env }: { folder: string; isOverridden: boolean | undefined; env: Context['env'] },
): Promise<boolean> {
  const owner = ownerOfBackup(manifest);
  const account = await accountInUse(session);
  const match = matchOwner(owner, account);
  if (match === 'own' || match === 'other' || isOverridden) return match === 'own';
  throw await ownerFailure(match, owner, account, {
    label: folder,
    kind: 'backup',
    env,
    override: 'To match its records by key, as for another account: --any-account',
  });
}
