/** `boh backup DIR`, carried out: progress while it reads, a line for each resource, and which ones are left out. */
import type { Manifest } from '../../bulk/backup/manifest.ts';
import { writeBackup } from '../../bulk/backup/write-backup.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { present } from '../../interaction/output/present.ts';
import { steadyHeap } from '../../interaction/output/steady-heap.ts';
import { inPlace } from '../../interaction/where.ts';
import { shellWord } from '../../session/outcome.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { partsProgress } from '../../terminal/progress.ts';
import { version } from '../../version.ts';
import type { AnyAccountFlag } from '../flags/any-account.ts';
import { listed, type ResourceFlag, resourcesNamed } from '../flags/resource-flag.ts';

export interface BackupFlags extends ResourceFlag, AnyAccountFlag {
  sinceLast?: boolean;
}

export async function runBackup(
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
