/** Updates of an account, sent so that no field is lost that isn’t changed: whole where the service replaces, watched where it may. */
import type { Client } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { type Operation, operation } from '../contract/operation.ts';
import { Failure, usage } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { attemptsBeforeWrite, beforeSent } from './outcome.ts';
import { withinScopes } from './permit.ts';
import { bodyFrom, type Current, relationsNeeded } from './record-body.ts';
import { type SendUpdate, type Sent, UpdateGuard, type Watched } from './update-guard.ts';
import { neverShown, wholeUpdate } from './whole-update.ts';
import type { WriteReader, WriteTold } from './write.ts';

export interface UpdatesOptions {
  client(): Promise<Client>;
  resolve(call: Call): Promise<Call>;
  /** Those of the token, as far as they are known and count. */
  scopes(): readonly string[] | undefined;
  reader: WriteReader;
  /** `wire.put` is what the service does to fields that an update doesn’t send. */
  settings: Settings;
  /** Nothing is held against the contract: what can’t be known of a record is left out. */
  unchecked: boolean;
}

export interface Updates {
  current(update: Call): Promise<Current>;
  /** The whole update, as it would leave where the service replaces; as far as it is known, of a record that is to be made first. */
  planned(call: Call): Promise<Call>;
  send(call: Call, told: WriteTold, send: SendUpdate): Promise<Sent>;
  /** One that leaves as somebody wrote it, and has gone well whatever it has emptied; that is told where it can be seen. */
  sendAsWritten<One extends Sent>(call: Call, send: SendUpdate<One>): Promise<Watched<One>>;
  /** Names of what has to be given with each update, as it would be emptied otherwise and nobody can read it. */
  toBeGiven(update: Operation): string[];
}

export function openUpdates(options: UpdatesOptions): Updates {
  const { client, resolve, scopes, reader, settings, unchecked } = options;
  const { put } = settings.wire;
  const within = (update: Operation) => withinScopes(update, scopes());
  const current: Updates['current'] = async (update) => {
    const get = operation(update.operation.resource, 'get');
    if (!get) throw usage(`${update.operation.resource.command} can’t be read one by one.`);
    // What the token may not see in full is shown by its ids, at least at some services.
    const optional = relationsNeeded(update.operation);
    const call = await resolve({ operation: get, ids: update.ids ?? [], query: { optional } });
    const { record } = await (await client()).get({ ...call, attempts: update.attempts });
    return { id: call.ids?.[0] ?? '', record, ...bodyFrom(within(update.operation), record) };
  };
  const currentBefore: Updates['current'] = (update) => current({ ...update, attempts: attemptsBeforeWrite });
  const guard = new UpdateGuard({
    settings,
    reader,
    read: async (update) => (await currentBefore(update)).record,
    within,
  });
  const whole = (call: Call) =>
    wholeUpdate(call, { current: currentBefore, within, isHiddenLeftOut: unchecked });
  return {
    current,
    planned: async (call) => {
      try {
        return (await whole(call)).call;
      } catch (error) {
        if (error instanceof Failure && error.category === 'not_found') return call;
        throw error;
      }
    },
    send: async (call, told, send) => {
      if (put === 'merge') return guard.send(call, told, send);
      const { call: as, known } = await whole(call).catch((error) => {
        throw beforeSent(error);
      });
      return send({ ...told, known: told.known ?? known }, { as });
    },
    // Whoever has said that the service replaces, and writes the request himself, knows what it does.
    sendAsWritten: async (call, send) =>
      put === 'merge' ? guard.watch(call, {}, send) : { sent: await send({}) },
    toBeGiven: (update) =>
      put === 'replace' && !unchecked ? neverShown(within(update).body).map(({ name }) => name) : [],
  };
}
