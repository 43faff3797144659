/** What takes the place of all that is in a sandbox waits for runs there: they would go on in a business that they know nothing of. */
import type { Context } from '../../interaction/context.ts';
import { accountPlace } from '../../session/file-owner.ts';
import type { Locks } from '../../storage/lock-queue.ts';
import { lockRun } from '../bulk/lock-run.ts';
import type { WaitFlags } from '../flags/wait-option.ts';

/** Runs over the address of a server are in another account, and not waited for. */
export function lockSandbox(
  { name, command, flags }: { name: string; command: string; flags: WaitFlags },
  context: Context,
): Promise<Locks> {
  const account = async () => ({ place: accountPlace({ sandbox: name, apiPrefix: '' }), key: undefined });
  const resources = context.api.collections.map((resource) => resource.name);
  return lockRun({ account, resources, flags, command }, context);
}
