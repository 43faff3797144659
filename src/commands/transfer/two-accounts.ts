/** Opens two accounts by their profiles, for `boh copy` and `boh diff`. They must be different accounts. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { Context } from '../../context/context.ts';
import { accountIfReadable } from '../../session/account.ts';
import type { Session } from '../../session/session.ts';
import { endpointName, type Settings } from '../../settings/settings.ts';
import { loadSettings } from '../../settings/store.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { openRunSession } from '../bulk/run-session.ts';

/** Two opened accounts. */
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
