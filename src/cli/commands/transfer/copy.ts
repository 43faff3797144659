/** `boh copy RESOURCE… --from PROFILE --to PROFILE`: copies records from one account to another. */

import { accountIfReadable } from '../../../account/session/account.ts';
import type { Session } from '../../../account/session/session.ts';
import { endpointName, type Settings } from '../../../account/settings/settings.ts';
import { loadSettings } from '../../../account/settings/store.ts';
import type { Api } from '../../../api/contract/api.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { accountSource } from '../../../engine/transfer/source.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { note } from '../../terminal/messages.ts';
import { openRunSession, type RunFlags } from '../bulk/run-flags.ts';
import { parseWhere } from '../bulk/where.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { type FlagsOf, repeated, under } from '../flags/flag-table.ts';
import { resolveResources } from '../flags/shared-flags.ts';
import { parseReferenceFlags, runTransfer, transferFlags, transferProblems } from './run-transfer.ts';

const copyFlags = (api: Api) =>
  [
    ...under('Records:', [
      ['--from <profile>', 'the profile to read from'],
      ['--to <profile>', 'the profile to write to'],
      [
        '--where <key=value>',
        'copy only records that match this filter (repeatable, with one resource)',
        repeated,
      ],
    ]),
    ...transferFlags(api),
  ] as const;

export function copyCommand(context: Context): Command {
  const { api } = context;
  return createCommand(context, {
    name: 'copy',
    about:
      'Copy records from one account to another. Records are matched by key: existing records are updated, missing records ' +
      'are created with new IDs. Related records must exist in the target, or be copied with --with-references. All ' +
      'changes are shown first.',
    args: [['[resource...]', 'the resources to copy']],
    usage: '<resource...> --from <profile> --to <profile> [flags]',
    flags: copyFlags(api),
    examples: [
      'boh copy suppliers --from main --to new-branch --with-references --dry-run',
      'boh copy sections --from main --to new-branch --map-branch Riverside=Harbor',
      'boh copy customers --from main --to rehearsal --where is_blacklisted=true',
    ],
    dryRun: true,
    reportsRedactions: true,
    check: (flags) => transferProblems(flags, api),
    run: ([names], flags) => run(names, flags, context),
  });
}

async function run(
  names: readonly string[],
  flags: FlagsOf<ReturnType<typeof copyFlags>>,
  context: Context,
): Promise<Result> {
  const { from, to, where = [] } = flags;
  if (names.length === 0)
    throw usage('Missing the resources to copy.', {
      hint: boh.plain('copy', 'suppliers', '--from', 'PROFILE', '--to', 'PROFILE'),
    });
  if (from === undefined || to === undefined)
    throw usage('A copy needs two profiles: --from PROFILE --to PROFILE.');
  if (context.globals.offline) throw usage("copy can't be used with --offline: it reads from both services.");
  const references = parseReferenceFlags(flags, context.api);
  const resources = resolveResources(names, 'copy', context.api) ?? [];
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

export interface TwoAccounts {
  from: Session;
  to: Session;
}

/** Opens the accounts of two profiles. Throws a usage failure if they are the same account. */
export async function openTwoAccounts(
  { from, to }: { from: string; to: string },
  flags: RunFlags,
  context: Context,
  subject = 'A copy',
): Promise<TwoAccounts> {
  const { globals, env } = context;
  const conflictingFlags = ['profile', 'sandbox', 'baseUrl'].filter(
    (name) => globals[name as keyof typeof globals],
  );
  if (conflictingFlags.length > 0) {
    const names = conflictingFlags
      .map((name) => (name === 'baseUrl' ? '--base-url' : `--${name}`))
      .join(', ');
    throw usage(`${subject} uses the accounts of two profiles, so it can't be combined with ${names}.`, {
      hint: 'For a sandbox, create a profile: boh profiles add NAME --sandbox',
    });
  }
  const settingsOf = async (profile: string) => (await loadSettings({ ...globals, profile }, env)).settings;
  const [source, target] = [await settingsOf(from), await settingsOf(to)];
  // --to names the profile, which a protected profile requires.
  globals.profile = to;
  const sessions = {
    from: await openRunSession(context, flags, source),
    to: await openRunSession(context, flags, target),
  };
  await refuseSameAccount(sessions);
  return sessions;
}

async function refuseSameAccount({ from, to }: TwoAccounts): Promise<void> {
  const [fromEndpoint, toEndpoint] = [endpointOf(from.settings), endpointOf(to.settings)];
  const [{ businessId: fromId }, { businessId: toId }] = [
    await accountIfReadable(from),
    await accountIfReadable(to),
  ];
  const isKnown = fromId !== undefined && toId !== undefined;
  if (isKnown && fromId !== toId) return;
  // All sandboxes report the same demo business, also served ones.
  const canCompareBusinesses = isKnown && !isLocal(from.settings) && !isLocal(to.settings);
  if (fromEndpoint !== toEndpoint && !canCompareBusinesses) return;
  const are = isKnown ? 'are' : 'may be';
  const reason = isKnown ? '' : ' The service reports no business for them (whoami).';
  throw usage(
    `${from.settings.profile} and ${to.settings.profile} ${are} the same account: ${fromEndpoint}.${reason} Nothing was sent.`,
    {
      hint: boh.hint`Use profiles of two accounts. To list profiles: ${boh.plain('profiles list')}`,
    },
  );
}

function endpointOf(settings: Settings): string {
  return endpointName(settings) + settings.apiPrefix;
}

function isLocal({ sandbox, baseUrl }: Settings): boolean {
  return sandbox !== undefined || (baseUrl !== undefined && isLoopback(new URL(baseUrl).hostname));
}
