/** `boh backup DIR`: an account into a folder; `boh backup verify DIR`: whether that is still as it was written. */
import { Command, Option } from 'commander';
import { Failure, usage } from '../base/errors.ts';
import { version } from '../base/version.ts';
import type { Context } from '../context/context.ts';
import { inPlace } from '../context/where.ts';
import { present } from '../output/present.ts';
import { steadyHeap } from '../output/steady-heap.ts';
import { shellWord } from '../session/outcome.ts';
import { note } from '../terminal/messages.ts';
import { numeral } from '../terminal/numeral.ts';
import { partsProgress } from '../terminal/progress.ts';
import { ifDamaged, type Manifest } from '../transfer/backup/manifest.ts';
import { verifyBackup } from '../transfer/backup/read-lines.ts';
import { writeBackup } from '../transfer/backup/write-backup.ts';
import { type AnyAccountFlag, anyAccountOption } from './flags/any-account.ts';
import { listed, type ResourceFlag, resourceOption, resourcesNamed } from './flags/resource-flag.ts';
import { prepare, reportingRedactions } from './prepare.ts';

/** The flags of a backup as they were typed. */
interface BackupFlags extends ResourceFlag, AnyAccountFlag {
  sinceLast?: boolean;
}

/** Builds the command with the one below it. */
export function backupCommand(context: Context): Command {
  const command = prepare(new Command('backup'))
    .argument('[folder]', 'where the backup is, or is to be')
    .usage('<folder> [flags]')
    .description(
      'Write every record that can be listed to a folder, with links and deleted records: a file for each resource, and ' +
        'manifest.json with counts and checksums. The folder holds the backup before until the new one is whole.',
    )
    .addOption(resourceOption())
    .addOption(
      new Option(
        '--since-last',
        'ask only for what has changed since the backup in that folder; it is whole all the same',
      ),
    )
    .addOption(anyAccountOption())
    .addHelpText(
      'after',
      '\nExamples:\n  boh backup nightly\n  boh backup nightly --since-last\n  boh backup verify nightly',
    )
    .action(() => runBackup(command.args[0], command.opts(), context));
  command.addCommand(verifyCommand(context).summary('Find out whether a backup is as it was written'));
  return reportingRedactions(command, context);
}

async function runBackup(
  folder: string | undefined,
  { resource, sinceLast = false, anyAccount }: BackupFlags,
  context: Context,
): Promise<void> {
  if (!folder) throw usage('Where to? Name a folder: boh backup FOLDER');
  if (context.globals.dryRun) throw usage('backup only reads: there is nothing to rehearse.');
  const resources = await resourcesNamed(resource, '--resource', listed(context.api), context.api);
  const session = await context.session();
  const { streams, now } = context;
  const keepSteady = steadyHeap(context);
  const bar = partsProgress(streams, (resources ?? listed(context.api).among).length);
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
        bar.begin(`Reading ${nouns}`);
      },
      onRows: (rows) => {
        count += rows;
        keepSteady(rows);
        bar.update(count);
      },
      onNote: (sentence) => note(streams, sentence),
    });
    bar.done();
    await show(manifest, folder, context);
  } catch (error) {
    bar.done();
    if (context.signal.aborted)
      note(
        streams,
        inPlace(`What was read is no backup yet. To begin again: boh backup ${shellWord(folder)}`, context),
      );
    throw error;
  } finally {
    bar.done();
  }
}

async function show(manifest: Manifest, folder: string, context: Context): Promise<void> {
  const { resources, left_out: leftOut } = manifest;
  const total = resources.reduce((sum, { records }) => sum + records, 0);
  await present(context, {
    kind: 'facts',
    facts: resources.map(({ resource, records, deleted, read, unseen }) => ({
      resource,
      records,
      deleted,
      read,
      unseen,
    })),
    columns: ['resource', 'records', 'deleted', 'read'].map((name) => ({ name })),
    remarks: [`${numeral(total)} records of ${resources.length} resources in ${folder}.`],
  });
  const { streams } = context;
  for (const { resource, unseen } of resources) {
    if (unseen.length > 0)
      note(streams, `The service shows nothing of these fields of ${resource}: ${unseen.join(', ')}.`);
  }
  for (const { resource, reason } of leftOut) note(streams, `Left out: ${resource}. ${reason}`);
  if (leftOut.length === 0) return;
  const names = leftOut.map(({ resource }) => resource).join(', ');
  throw new Failure('partial', `The backup in ${folder} is without ${names}: the token may not read them.`, {
    hint: 'Sign in with the scopes that are named, or say what is wanted with --resource.',
  });
}

function verifyCommand(context: Context): Command {
  const command = prepare(new Command('verify'))
    .argument('[folder]', 'where the backup is')
    .usage('<folder> [flags]')
    .description(
      'Read a backup whole and hold it against its manifest: a changed byte, a missing file, another count of records.',
    );
  return command.action(() => verify(command.args[0], context));
}

async function verify(folder: string | undefined, context: Context): Promise<void> {
  if (!folder) throw usage('Which backup? Name its folder: boh backup verify FOLDER');
  const { manifest, resources, others } = await verifyBackup(folder);
  const { business, place, ended_at: at, left_out: leftOut } = manifest;
  const whose = [business.name, place].filter(Boolean).join(', ');
  const problems = resources.flatMap(({ resource, problem }) =>
    problem === null ? [] : [[resource, [problem]] as [string, string[]]],
  );
  await present(context, {
    kind: 'facts',
    facts: resources,
    columns: ['resource', 'records', 'problem'].map((name) => ({ name })),
    remarks: [
      `The backup of ${whose} of ${at} (UTC)${problems.length === 0 ? ' is as it was written' : ''}.`,
      ...(leftOut.length > 0
        ? [`Left out when it was made: ${leftOut.map(({ resource }) => resource).join(', ')}.`]
        : []),
      ...(others.length > 0 ? [`No part of it: ${others.join(', ')}.`] : []),
    ],
  });
  if (problems.length === 0) return;
  const names = problems.map(([resource]) => resource).join(', ');
  throw new Failure('unavailable', `The backup in ${folder} is damaged: ${names}.`, {
    fields: Object.fromEntries(problems),
    hint: ifDamaged,
  });
}
