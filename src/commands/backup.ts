/** `boh backup FOLDER` writes an account to a folder. Its subcommands are `boh backup verify` and `boh backup restore`. */
import { Option } from 'commander';
import { Failure, usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { version } from '../base/version.ts';
import type { Context } from '../context/context.ts';
import { createHeapLimiter } from '../output/heap-limiter.ts';
import { present } from '../output/present.ts';
import { formatCount } from '../terminal/format-count.ts';
import { note } from '../terminal/messages.ts';
import { startPartsProgress } from '../terminal/progress.ts';
import { type BackupManifest, damageHint, leftOutNotes } from '../transfer/backup/manifest.ts';
import { verifyBackup } from '../transfer/backup/read-lines.ts';
import { writeBackup } from '../transfer/backup/write-backup.ts';
import { Command } from './command.ts';
import {
  listableResources,
  type ResourceFlag,
  resolveResources,
  resourceOption,
} from './flags/resource-flag.ts';
import { type AnyAccountFlag, anyAccountOption } from './flags/shared-flags.ts';
import { prepare, withRedactionReport } from './prepare.ts';
import { restoreCommand } from './transfer/restore.ts';

/** The flags of `boh backup`, not yet validated. */
interface BackupFlags extends ResourceFlag, AnyAccountFlag {
  sinceLast?: boolean;
}

/** Returns the command `boh backup` with its subcommands. */
export function backupCommand(context: Context): Command {
  const command = prepare(new Command('backup'))
    .argument('[folder]', 'the folder of the backup')
    .usage('<folder> [flags]')
    .description(
      'Back up an account to a folder: all records with links, deleted ones too, and checksums. The previous backup is ' +
        'replaced once the new one is complete.\n\nTo edit records in a spreadsheet: boh export. To keep them as files ' +
        'that boh apply reads: boh pull.',
    )
    .addOption(resourceOption())
    .addOption(
      new Option(
        '--since-last',
        'read only changes since the previous backup; the new backup is still complete',
      ),
    )
    .addOption(anyAccountOption('overwrite a backup of another account'))
    .examples('boh backup nightly', 'boh backup nightly --since-last', 'boh backup verify nightly')
    .action(() => runBackup(command.args[0], command.opts(), context));
  command.addCommand(verifyCommand(context).summary('Check that a backup is complete and unchanged'));
  command.addCommand(restoreCommand(context).summary('Restore records from a backup'));
  return withRedactionReport(command, context);
}

async function runBackup(
  folder: string | undefined,
  { resource, sinceLast = false, anyAccount }: BackupFlags,
  context: Context,
): Promise<void> {
  if (!folder) throw usage('Missing the folder of the backup.', { hint: boh.account('backup', 'FOLDER') });
  const resources = await resolveResources(
    resource,
    '--resource',
    listableResources(context.api),
    context.api,
  );
  const session = await context.session();
  const { streams, now } = context;
  const limitHeap = createHeapLimiter(context);
  const bar = startPartsProgress(streams, (resources ?? listableResources(context.api).allowed).length);
  let count = 0;
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
      onResource: ({ nouns }) => {
        count = 0;
        bar.startPart(`Reading ${nouns}`);
      },
      onRows: (rows) => {
        count += rows;
        limitHeap(rows);
        bar.update(count);
      },
      onNote: (message) => note(streams, message),
    });
    bar.done();
    await showBackup(manifest, folder, context);
  } catch (error) {
    bar.done();
    if (context.signal.aborted)
      note(streams, boh.hint`The backup is incomplete. To start again: ${boh.account('backup', folder)}`);
    throw error;
  } finally {
    bar.done();
  }
}

async function showBackup(manifest: BackupManifest, folder: string, context: Context): Promise<void> {
  const { resources, left_out: skippedResources } = manifest;
  const total = resources.reduce((sum, { records }) => sum + records, 0);
  await present(context, {
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
      { name: 'read', show: (value: unknown) => (value === 'whole' ? 'all records' : String(value)) },
    ],
    notes: [`${formatCount(total)} records of ${resources.length} resources backed up to ${folder}.`],
  });
  const { streams } = context;
  for (const { resource, unseen } of resources) {
    if (unseen.length > 0)
      note(streams, `The service doesn't return these of ${resource}: ${unseen.join(', ')}.`);
  }
  for (const skippedNote of leftOutNotes(manifest)) note(streams, skippedNote);
  if (skippedResources.length === 0) return;
  const names = skippedResources.map(({ resource }) => resource).join(', ');
  throw new Failure(
    'partial',
    `The backup in ${folder} doesn't contain ${names}: the token may not read them, or the service refused it.`,
    { hint: 'The reasons are above. Sign in with the missing scopes, or choose resources with --resource.' },
  );
}

function verifyCommand(context: Context): Command {
  const command = prepare(new Command('verify'))
    .argument('[folder]', 'the folder of the backup')
    .usage('<folder> [flags]')
    .description(
      'Read a backup completely and compare it with its manifest: checksums, files, and counts of records.',
    );
  return command.action(() => showVerification(command.args[0], context));
}

async function showVerification(folder: string | undefined, context: Context): Promise<void> {
  if (!folder)
    throw usage('Missing the folder of the backup.', { hint: boh.plain('backup verify', 'FOLDER') });
  const { manifest, resources, otherFiles } = await verifyBackup(folder);
  const { business, place, ended_at: endedAt } = manifest;
  const account = [business.name, place].filter(Boolean).join(', ');
  const problems = resources.flatMap(({ resource, problem }) =>
    problem === null ? [] : [[resource, [problem]] as [string, string[]]],
  );
  await present(context, {
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
  });
  if (problems.length === 0) return;
  const names = problems.map(([resource]) => resource).join(', ');
  throw new Failure('unavailable', `The backup in ${folder} is damaged: ${names}.`, {
    fields: Object.fromEntries(problems),
    hint: damageHint,
  });
}
