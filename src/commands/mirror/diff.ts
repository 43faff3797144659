/** `boh mirror diff`: compares each table of the mirror with the account. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { compareTables, type TableDifference } from '../../mirror/diff.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { parseExcluded } from '../../mirror/schema/excluded.ts';
import { openReader } from '../../mirror/stores/open.ts';
import { readExcludedNames } from '../../mirror/sync/exclusions.ts';
import { readForgotten } from '../../mirror/sync/states.ts';
import { formatFromFlags } from '../../output/choose-format.ts';
import { present } from '../../output/present.ts';
import { startPartsProgress } from '../../terminal/progress.ts';
import { Command } from '../command.ts';
import {
  type AnyAccountFlag,
  anyAccountOption,
  type ResourceFlag,
  resourceOption,
} from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, requireMirrorOwner, resourcesOf, targetOf } from './target.ts';

type Flags = MirrorFlags & ResourceFlag & AnyAccountFlag;

/** Returns the command `boh mirror diff`. */
export function diffCommand(context: Context): Command {
  const command = prepare(new Command('diff'))
    .description(
      'Compare the mirror with the account: read all lists, and compare the number of rows and a checksum of each table. ' +
        'Exits with 10 if they differ.',
    )
    .examples('boh mirror diff', 'boh mirror diff --resource customers,tags')
    .addOption(resourceOption());
  addMirrorFlag(command).addOption(anyAccountOption('compare with a mirror of another account'));
  return command.action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: Context): Promise<void> {
  await formatFromFlags(context);
  const target = await targetOf(flags, context);
  const names = (await resourcesOf(flags, mirroredResources(context.api), context)).map(
    ({ resource }) => resource.name,
  );
  const reader = await openReader(target);
  const differences: TableDifference[] = [];
  try {
    const session = await context.session();
    await requireMirrorOwner(reader, flags, context);
    const excludedFields = parseExcluded(context.api, await readExcludedNames(reader));
    const forgotten = await readForgotten(reader);
    const selectedResources = mirroredResources(context.api, excludedFields).filter(({ resource }) =>
      names.includes(resource.name),
    );
    const progress = startPartsProgress(context.streams, selectedResources.length);
    try {
      for (const mirrored of selectedResources) {
        progress.startPart(`Reading ${mirrored.resource.nouns}`);
        differences.push(...(await compareTables(session, reader, mirrored, forgotten, progress.update)));
      }
    } finally {
      progress.done();
    }
  } finally {
    await reader.close();
  }
  await present(context, {
    kind: 'data',
    data: differences,
    idField: 'table',
    columns: [
      { name: 'table', isIndivisible: true },
      { name: 'account_rows', align: 'right' },
      { name: 'mirror_rows', align: 'right' },
      { name: 'same' },
    ],
  });
  const differentTables = differences.filter(({ same }) => !same).map(({ table }) => table);
  if (differentTables.length === 0) return;
  throw new Failure('differences', `The mirror differs from the account in ${differentTables.join(', ')}.`, {
    hint: boh.hint`To read what changed since the last sync: ${boh.mirror('mirror sync')}. To read everything: --full`,
  });
}
