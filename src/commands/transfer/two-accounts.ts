/** Two accounts, each by its profile, to copy from one to the other or to compare them; never the same one twice. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { isLoopback } from '../../base/loopback.ts';
import type { Context } from '../../context/context.ts';
import type { Session } from '../../session/session.ts';
import { endpointName, type Settings } from '../../settings/settings.ts';
import { loadSettings } from '../../settings/store.ts';
import type { RunFlags } from '../bulk/run-flags.ts';
import { runSession } from '../bulk/run-session.ts';

export interface TwoAccounts {
  from: Session;
  to: Session;
}

/** Throws a usage failure if both are known to be the same account. */
export async function twoAccounts(
  { from, to }: { from: string; to: string },
  flags: RunFlags,
  context: Context,
  what = 'A copy',
): Promise<TwoAccounts> {
  const { globals, env } = context;
  const other = ['profile', 'sandbox', 'baseUrl'].filter((name) => globals[name as keyof typeof globals]);
  if (other.length > 0) throw usage(`${what} needs two profiles: --from PROFILE --to PROFILE.`);
  const settingsOf = async (profile: string) => (await loadSettings({ ...globals, profile }, env)).settings;
  const [source, target] = [await settingsOf(from), await settingsOf(to)];
  // Who writes here has named the profile on the line, as a protected one asks for.
  globals.profile = to;
  const sessions = {
    from: await runSession(context, flags, source),
    to: await runSession(context, flags, target),
  };
  await refuseSame(sessions);
  return sessions;
}

async function refuseSame({ from, to }: TwoAccounts): Promise<void> {
  const [a, b] = [placeIn(from.settings), placeIn(to.settings)];
  const [one, other] = [await from.whoami(), await to.whoami()];
  const isSameBusiness = one.businessId === other.businessId;
  // All sandboxes, served ones too, report the same demo business.
  const canTell =
    !isOfThisMachine(from.settings) && !isOfThisMachine(to.settings) && one.businessId !== undefined;
  if (!isSameBusiness || (a !== b && !canTell)) return;
  throw usage(
    `${from.settings.profile} and ${to.settings.profile} are the same account: ${a}. Nothing was sent.`,
    {
      hint: boh.hint`Use profiles of two accounts. To list profiles: ${boh.plain('profiles list')}`,
    },
  );
}

function placeIn(settings: Settings): string {
  return endpointName(settings) + settings.apiPrefix;
}

function isOfThisMachine({ sandbox, baseUrl }: Settings): boolean {
  return sandbox !== undefined || (baseUrl !== undefined && isLoopback(new URL(baseUrl).hostname));
}
