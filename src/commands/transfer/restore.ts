/** `boh backup restore FOLDER`: writes the records of a backup to an account. */
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { accountInUse, matchOwner, ownerFailure, profileOf } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import { endpointName } from '../../settings/settings.ts';
import { note, warn } from '../../terminal/messages.ts';
import {
  type BackupManifest,
  damageHint,
  leftOutNotes,
  ownerOfBackup,
} from '../../transfer/backup/manifest.ts';
import { verifyBackup } from '../../transfer/backup/read-lines.ts';
import { backupSource } from '../../transfer/source.ts';
import { checkRunFlags, openRunSession } from '../bulk/run-session.ts';
import { Command } from '../command.ts';
import { listableResources, resolveResources, resourceOption } from '../flags/resource-flag.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { runTransfer } from './run-transfer.ts';
import { addTransferFlags, parseReferenceFlags, type TransferFlags } from './transfer-flags.ts';

/** The flags of `boh backup restore`, not yet validated. */
interface RestoreFlags extends TransferFlags, AnyAccountFlag {
  resource?: string[];
}

/** Returns the command `boh backup restore`. */
export function restoreCommand(context: Context): Command {
  const command = prepare(new Command('restore').withDryRun())
    .argument('[folder]', 'the folder of the backup')
    .usage('<folder> [flags]')
    .description(
      'Restore the records of a backup. In the account of the backup, records are matched by ID; in another account by ' +
        "key, and missing records are created with new IDs. Other records of the account aren't changed. All changes are " +
        'shown first.',
    )
    .group(
      'Records:',
      resourceOption(),
      anyAccountOption('match records by key if the account of the backup is unknown'),
    );
  addTransferFlags(command, context.api);
  command.examples(
    'boh backup restore nightly --dry-run',
    'boh backup restore nightly --resource tags,customers',
    'boh backup restore nightly --profile new-branch --map-branch "Old Town=Harbor"',
  );
  return command.action(createAction(context, () => run(command, context)));
}

async function run(command: Command, context: Context): Promise<Result> {
  const flags = command.opts<RestoreFlags>();
  const [folder] = command.args;
  if (!folder)
    throw usage('Missing the folder of the backup.', { hint: boh.account('backup restore', 'FOLDER') });
  checkRunFlags(flags);
  if (context.globals.offline)
    throw usage("backup restore can't be used with --offline: it reads from the service.");
  const references = parseReferenceFlags(command, context.api);
  const requestedResources = await resolveResources(
    flags.resource,
    '--resource',
    listableResources(context.api),
    context.api,
  );
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
  const account = await accountInUse(session, owner);
  const match = matchOwner(owner, account);
  if (match === 'own' || match === 'other' || isOverridden) return match === 'own';
  throw ownerFailure(match, owner, account, {
    label: folder,
    kind: 'backup',
    profile: await profileOf(owner, env),
    override: 'To match its records by key, as for another account: --any-account',
  });
}
