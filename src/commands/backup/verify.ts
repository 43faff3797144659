/** `boh backup verify DIR`: reads a backup whole, and says of each resource whether it is as it was written. */
import { Command } from 'commander';
import { ifDamaged } from '../../bulk/backup/manifest.ts';
import { verifyBackup } from '../../bulk/backup/verify-backup.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { present } from '../../interaction/output/present.ts';
import { prepare } from '../prepare.ts';

export function verifyCommand(context: Context): Command {
  const command = prepare(new Command('verify'))
    .argument('[folder]', 'where the backup is')
    .usage('<folder> [flags]')
    .description(
      'Read a backup whole and hold it against its manifest: a changed byte, a missing file, another count of records.',
    );
  return command.action(() => run(command.args[0], context));
}

async function run(folder: string | undefined, context: Context): Promise<void> {
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
