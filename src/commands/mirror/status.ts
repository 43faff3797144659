/** `boh mirror status`: how old the copy is, for people and for monitoring. */
import { Option } from 'commander';
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { mirroredResources } from '../../mirror/schema/derive.ts';
import { mirrorStatus, type ResourceStatus } from '../../mirror/status.ts';
import { openReader } from '../../mirror/stores/open.ts';
import { formatOnLine } from '../../output/chosen-format.ts';
import { present } from '../../output/present.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { type ResourceFlag, resourceOption } from '../flags/resource-flag.ts';
import { prepare } from '../prepare.ts';
import {
  addPlaceFlag,
  demandOwnUnlessNamed,
  type PlaceFlags,
  readDuration,
  resourcesOf,
  targetOf,
  timeInWords,
} from './place.ts';

interface Flags extends PlaceFlags, ResourceFlag, AnyAccountFlag {
  maxAge?: string;
}

export function statusCommand(context: Context): Command {
  const command = prepare(new Command('status')).description(
    'Show for each resource how many rows the copy has, how old they are in seconds, and why the last sync failed, where it did.',
  );
  addPlaceFlag(command).addOption(anyAccountOption());
  command.addOption(resourceOption());
  command.addOption(new Option('--max-age <time>', 'end with 10 where rows are older, such as 15m or 900'));
  return command.action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: Context): Promise<void> {
  await formatOnLine(context);
  const oldest = flags.maxAge === undefined ? undefined : readDuration(flags.maxAge, '--max-age');
  const target = await targetOf(flags, context);
  const resources = await resourcesOf(flags, mirroredResources(context.api), context);
  const reader = await openReader(target, mirroredResources(context.api));
  let status: ResourceStatus[];
  try {
    await demandOwnUnlessNamed(reader, flags, context);
    status = await mirrorStatus(reader, resources, context.now(), flags.resource === undefined);
  } finally {
    await reader.close();
  }
  await present(context, {
    kind: 'facts',
    facts: status,
    key: 'resource',
    columns: [
      { name: 'resource', whole: true },
      { name: 'rows', align: 'right' },
      { name: 'age', align: 'right', show: (age) => timeInWords(Number(age)) },
      { name: 'last_error' },
    ],
    remarks: [...reasonsIn(status, context), `The mirror is ${reader.called}`],
  });
  if (oldest === undefined) return;
  const old = status.filter(({ age }) => age === null || age > oldest);
  if (old.length === 0) return;
  const names = old.map(({ resource, age }) =>
    age === null ? `${resource} (never)` : `${resource} (${timeInWords(age)})`,
  );
  throw new Failure('differences', `Older than ${flags.maxAge}: ${names.join(', ')}.`, {
    hint: boh.mirror('mirror sync'),
  });
}

/** Whole, where the table may have no room for them: each once, with the resources that it is about. */
function reasonsIn(status: readonly ResourceStatus[], { streams }: Context): string[] {
  if (!streams.isTerminal.out) return [];
  const failed = status.filter(({ last_error: reason }) => reason !== null);
  return [...Map.groupBy(failed, ({ last_error: reason }) => reason)].map(
    ([reason, those]) => `${those.map(({ resource }) => resource).join(', ')}: ${reason}`,
  );
}
