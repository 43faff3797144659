/** What stands before every write of a command: dry run, checks, guards, look-ups, the signed-in user. */
import type { Client } from '../../client/client.ts';
import type { WriteOptions } from '../../client/write.ts';
import { operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { whoami } from '../../resources/index.ts';
import type { Context } from '../context.ts';
import { activeProfileGuard } from '../guards/active-profile.ts';
import { resolveCall } from '../input/resolve.ts';

/** `named` are the fields given by flags, the only ones in which `@NAME` is looked up. */
export function writeOptions(context: Context, named: readonly string[]): WriteOptions {
  const { dryRun = false, unchecked = false } = context.globals;
  return {
    dryRun,
    unchecked,
    guards: [async (call) => (await context.client()).permit(call), activeProfileGuard(context)],
    resolve: async (call) => resolveCall(await context.client(), call, named),
    signedInUser: async () => signedInUser(await context.client()),
  };
}

async function signedInUser(client: Client): Promise<string> {
  const get = operation(whoami, 'get');
  if (!get) throw new Error('whoami has no get');
  const { record } = await client.get({ operation: get });
  const { user } = record;
  if (typeof user === 'object' && user !== null && 'id' in user && typeof user.id === 'string')
    return user.id;
  throw new Failure('unavailable', 'The service doesn’t say who is signed in.', {
    hint: 'Name the user: --creator-id ID',
  });
}
