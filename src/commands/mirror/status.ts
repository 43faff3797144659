/** `boh mirror status`: shows the age of the mirror, for people and for monitoring. */

import { Option } from 'commander';
import { formatDuration } from '../../base/duration.ts';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { type ResourceStatus, readMirrorStatus } from '../../mirror/status.ts';
import { withReader } from '../../mirror/stores/open.ts';
import type { Reader } from '../../mirror/stores/store.ts';
import { formatFromFlags } from '../../output/choose-format.ts';
import { present } from '../../output/present.ts';
import { Command } from '../command.ts';
import { type ResourceFlag, resourceOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { addMirrorFlag, type MirrorFlags, parseDurationFlag, resourcesOf, targetOf } from './target.ts';

interface Flags extends MirrorFlags, ResourceFlag {
  maxAge?: string;
}

/** Returns the command `boh mirror status`. */
export function statusCommand(context: Context): Command {
  const command = prepare(new Command('status'))
    .description('Show the number of rows, their age and the last error of each resource in the mirror.')
    .examples('boh mirror status', 'boh mirror status --max-age 15m')
    .addOption(
      new Option('--max-age <time>', 'exit with 10 if rows are older, for example 15m or 900 (seconds)'),
    )
    .addOption(resourceOption());
  return addMirrorFlag(command).action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: Context): Promise<void> {
  await formatFromFlags(context);
  const maxAgeSeconds = flags.maxAge === undefined ? undefined : parseDurationFlag(flags.maxAge, '--max-age');
  const target = await targetOf(flags, context);
  const resources = await resourcesOf(flags, mirroredResources(context.api), context);
  const readStatus = async (reader: Reader) => {
    const status = await readMirrorStatus(reader, resources, context.now(), flags.resource === undefined);
    return { label: reader.label, status };
  };
  const { label, status } = await withReader(target, readStatus);
  await present(context, {
    kind: 'data',
    data: status,
    idField: 'resource',
    columns: [
      { name: 'resource', isIndivisible: true },
      { name: 'rows', align: 'right' },
      { name: 'age', align: 'right', show: (age) => formatDuration(Number(age) * 1000) },
      { name: 'last_error' },
    ],
    notes: [...errorNotes(status, context), `Mirror: ${label}`],
  });
  if (maxAgeSeconds === undefined) return;
  const outdatedResources = status.filter(({ age }) => age === null || age > maxAgeSeconds);
  if (outdatedResources.length === 0) return;
  const names = outdatedResources.map(({ resource, age }) =>
    age === null ? `${resource} (never)` : `${resource} (${formatDuration(age * 1000)})`,
  );
  throw new Failure('differences', `Older than ${flags.maxAge}: ${names.join(', ')}.`, {
    hint: boh.mirror('mirror sync'),
  });
}

/** Returns each error with its resources as a note: on a terminal the table may cut it. */
function errorNotes(status: readonly ResourceStatus[], { streams }: Context): string[] {
  if (!streams.isTerminal.out) return [];
  const failedResources = status.filter(({ last_error: reason }) => reason !== null);
  return [...Map.groupBy(failedResources, ({ last_error: reason }) => reason)].map(
    ([reason, statuses]) => `${statuses.map(({ resource }) => resource).join(', ')}: ${reason}`,
  );
}
