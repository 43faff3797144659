/** Opens the change sets of the account in use. */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { ChangeSets } from '../../changes/change-sets.ts';
import { openChangeSets } from '../../changes/open-change-sets.ts';
import type { Context } from '../../context/context.ts';
import { type AccountInUse, accountInUse } from '../../session/file-owner.ts';
import type { AnyAccountFlag } from '../flags/shared-flags.ts';

/** The change sets of an account. They are closed when the command ends. */
export interface OpenChangeSets {
  /** Undefined if the account has no change sets, and `createsFile` isn't set. */
  sets: ChangeSets | undefined;
  account: AccountInUse;
}

/** Makes a command go by the clock of the sandbox if the account is one: `sandbox clock set` makes a change set due. */
export async function useSandboxClock(context: Context): Promise<void> {
  if ((await context.settings()).sandbox === undefined) return;
  // Opens the sandbox, which a session does with its first request.
  await (await context.session()).pace(1);
  context.now = context.sandboxNow ?? context.now;
}

/** Opens the change sets. With `limitsWait`, it waits at most three seconds for the service, and then uses the account in the settings. */
export async function openSets(
  context: Context,
  { anyAccount = false }: AnyAccountFlag,
  { limitsWait = false, createsFile = false } = {},
): Promise<OpenChangeSets> {
  await useSandboxClock(context);
  const account = await accountInUse(await context.session(), undefined, { limitsWait });
  const sets = openChangeSets(context.env, account, {
    allowsAnyAccount: anyAccount,
    createsIfMissing: createsFile,
  });
  if (sets) context.recordedWrites.finish.push(() => sets.close());
  return { sets, account };
}

/** Opens the change sets of the account. Throws `not_found` if it has none. */
export async function requireChangeSets(context: Context, flags: AnyAccountFlag): Promise<ChangeSets> {
  const { sets } = await openSets(context, flags, { limitsWait: true });
  if (sets) return sets;
  throw new Failure('not_found', 'This account has no change sets on this machine.', {
    hint: boh.help('change create'),
  });
}
