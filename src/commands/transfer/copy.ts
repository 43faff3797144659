/** `boh copy RESOURCE… --from PROFILE --to PROFILE`: copies records from one account to another. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { endpointName } from '../../settings/settings.ts';
import { note } from '../../terminal/messages.ts';
import { accountSource } from '../../transfer/source.ts';
import { checkRunFlags } from '../bulk/run-session.ts';
import { parseWhere } from '../bulk/where.ts';
import { Command } from '../command.ts';
import { listableResources, resolveResources } from '../flags/resource-flag.ts';
import { repeatable } from '../flags/shared-flags.ts';
import { prepare, withRedactionReport } from '../prepare.ts';
import { runTransfer } from './run-transfer.ts';
import { addTransferFlags, parseReferenceFlags, type TransferFlags } from './transfer-flags.ts';
import { openTwoAccounts } from './two-accounts.ts';

/** The flags of `boh copy`, not yet validated. */
interface CopyFlags extends TransferFlags {
  from?: string;
  to?: string;
  where?: string[];
}

/** Returns the command `boh copy`. */
export function copyCommand(context: Context): Command {
  const command = prepare(new Command('copy').withDryRun())
    .argument('[resource...]', 'the resources to copy')
    .usage('<resource...> --from <profile> --to <profile> [flags]')
    .description(
      'Copy records from one account to another. Records are matched by key: existing records are updated, missing records ' +
        'are created with new IDs. Related records must exist in the target, or be copied with --with-references. All ' +
        'changes are shown first.',
    );
  command.group(
    'Records:',
    new Option('--from <profile>', 'the profile to read from'),
    new Option('--to <profile>', 'the profile to write to'),
    repeatable(
      '--where <key=value>',
      'copy only records that match this filter (repeatable, with one resource)',
    ),
  );
  addTransferFlags(command, context.api);
  command.examples(
    'boh copy suppliers --from main --to new-branch --with-references --dry-run',
    'boh copy sections --from main --to new-branch --map-branch Riverside=Harbor',
    'boh copy customers --from main --to rehearsal --where is_blacklisted=true',
  );
  return withRedactionReport(command, context).action(createAction(context, () => run(command, context)));
}

async function run(command: Command, context: Context): Promise<Result> {
  const flags = command.opts<CopyFlags>();
  const { from, to, where = [] } = flags;
  checkRunFlags(flags);
  if (command.args.length === 0)
    throw usage('Missing the resources to copy.', {
      hint: boh.plain('copy', 'suppliers', '--from', 'PROFILE', '--to', 'PROFILE'),
    });
  if (from === undefined || to === undefined)
    throw usage('A copy needs two profiles: --from PROFILE --to PROFILE.');
  if (context.globals.offline) throw usage("copy can't be used with --offline: it reads from both services.");
  const references = parseReferenceFlags(command, context.api);
  const resources =
    (await resolveResources(command.args, 'copy', listableResources(context.api), context.api)) ?? [];
  refuseReadOnlyResources(resources);
  const [resource, ...otherResources] = resources;
  if (where.length > 0 && otherResources.length > 0)
    throw usage('--where can only be used with one resource, because filters differ between resources.');
  if (where.length > 0 && flags.withDeleted)
    throw usage(
      "--with-deleted can't be used with --where: to select deleted records, filter by is_deleted.",
    );
  const requestedFilters = resource && where.length > 0 ? parseWhere(resource, where, context.now()) : {};
  const accounts = await openTwoAccounts({ from, to }, flags, context);
  const { filters = {} } = resource
    ? await accounts.from.names.resolveFilters(resource, { filters: requestedFilters })
    : {};
  const { settings } = accounts.to;
  note(
    context.streams,
    `From ${from}, ${endpointName(accounts.from.settings)}, to ${to}, ${endpointName(settings)}.`,
  );
  return runTransfer(
    {
      command: `copy --to ${to}`,
      label: `copy from ${from} to ${to}`,
      from: `${from}: ${resources.map(({ command }) => command).join(', ')}`,
      source: accountSource(accounts.from, { filters, includesDeleted: flags.withDeleted === true }),
      resources,
      session: accounts.to,
      isSameAccount: false,
      references,
      flags,
    },
    context,
  );
}

function refuseReadOnlyResources(resources: readonly Resource[]): void {
  const readOnlyResources = resources.filter(({ create, update }) => !create && !update);
  if (readOnlyResources.length === 0) return;
  throw usage(
    `${readOnlyResources.map(({ nouns }) => nouns).join(' and ')} can't be copied, because the API can't write them.`,
  );
}
