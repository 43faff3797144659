/** Updates of an account: the whole of a record that one may send, and the guard that each of them goes through. */
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { operation } from '../contract/operation.ts';
import { usage } from '../errors.ts';
import { withinScopes } from './permit.ts';
import { bodyFrom, type Current, relationsNeeded } from './record-body.ts';
import { UpdateGuard } from './update-guard.ts';
import type { WriteReader } from './write.ts';

export interface UpdatesOptions {
  client(): Promise<Client>;
  resolve(call: Call): Promise<Call>;
  /** Those of the token, as far as they are known and count. */
  scopes(): readonly string[] | undefined;
  reader: WriteReader;
}

export interface Updates {
  current(update: Call): Promise<Current>;
  guard: UpdateGuard;
}

export function openUpdates({ client, resolve, scopes, reader }: UpdatesOptions): Updates {
  const current: Updates['current'] = async (update) => {
    const get = operation(update.operation.resource, 'get');
    if (!get) throw usage(`${update.operation.resource.command} can’t be read one by one.`);
    // What the token may not see in full is shown by its ids, at least at some services.
    const optional = relationsNeeded(update.operation);
    const call = await resolve({ operation: get, ids: update.ids ?? [], query: { optional } });
    const { record } = await (await client()).get(call);
    return { id: call.ids?.[0] ?? '', record, ...bodyFrom(withinScopes(update.operation, scopes()), record) };
  };
  const guard = new UpdateGuard({
    reader,
    read: async (update) => (await current(update)).record,
    within: (update) => withinScopes(update, scopes()),
  });
  return { current, guard };
}
