/** Updates of an account, sent so that no field is lost that isn’t changed: whole where the service replaces, watched where it may. */
import { Failure, usage } from '../base/errors.ts';
import { type Client, nameOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import { type BodyField, type Operation, operation } from '../contract/operation.ts';
import { flagName } from '../contract/text.ts';
import type { Settings } from '../settings/settings.ts';
import { attemptsBeforeWrite, beforeSent } from './outcome.ts';
import { withinScopes } from './permit.ts';
import { bodyFrom, type Current, relationsNeeded } from './record-body.ts';
import type { Row } from './row.ts';
import { type SendUpdate, type Sent, UpdateGuard, type Watched } from './update-guard.ts';
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
  /** Whether an update of a run may leave as it is planned: else its record is read before, by itself. */
  isPlanned(call: Call, told: WriteTold): boolean;
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
    isPlanned: (call, told) => put === 'replace' || guard.isSafe(call, told),
    // Whoever has said that the service replaces, and writes the request himself, knows what it does.
    sendAsWritten: async (call, send) =>
      put === 'merge' ? guard.watch(call, {}, send) : { sent: await send({}) },
    toBeGiven: (update) =>
      put === 'replace' && !unchecked ? neverShown(within(update).body).map(({ name }) => name) : [],
  };
}

interface WholeOptions {
  /** The record as it is. */
  current(update: Call): Promise<Current>;
  /** The part of an update that the token may send. */
  within(update: Operation): Pick<Operation, 'body'>;
  /** What can’t be known is left out, whatever the service makes of that. */
  isHiddenLeftOut: boolean;
}

interface WholeUpdate {
  call: Call;
  /** The record as it was read for it; none where all was given. */
  known: Row | undefined;
}

/** Throws `usage` where the service doesn’t show all of the record: nothing is sent then. */
async function wholeUpdate(call: Call, options: WholeOptions): Promise<WholeUpdate> {
  const { operation, body = {} } = call;
  const isGiven = (name: string) => Object.hasOwn(body, name);
  const fields = options.within(operation).body.filter(({ field }) => !field.traits.leftAside);
  const left = fields.filter(({ name }) => !isGiven(name));
  if (left.length === 0) return { call, known: undefined };
  const hidden = neverShown(left);
  if (hidden.length > 0 && !options.isHiddenLeftOut) throw notWhole(call, hidden);
  const current = await options.current(call);
  const unknown = left.filter(({ name }) => current.unknown.includes(name));
  if (unknown.length > 0 && !options.isHiddenLeftOut) throw notWhole(call, unknown);
  return { call: { ...call, body: { ...current.body, ...body } }, known: current.record };
}

/** Those that no answer shows, so that nobody can send them again as they were. */
function neverShown(fields: readonly BodyField[]): BodyField[] {
  return fields.filter(({ field }) => field.isHidden);
}

function notWhole({ operation, ids = [] }: Call, unknown: readonly BodyField[]): Failure {
  const names = unknown.map(({ name }) => name).join(', ');
  return new Failure(
    'usage',
    `The update of ${nameOf(operation, ids)} was not sent: wire.put is replace, and the service doesn’t show ${names}, which would be emptied.`,
    { outcome: 'not_sent', hint: hintFor(unknown) },
  );
}

/** What can be done about fields that can’t be known. */
function hintFor(unknown: readonly BodyField[]): string {
  const flags = unknown.map(({ name, field }) =>
    field.traits.secret ? `--ask ${name}` : `--${flagName(name)}`,
  );
  const it = unknown.length === 1 ? 'it' : 'them';
  return `Give ${it} as well (${flags.join(', ')}, or a column of that name), or send the rest without ${it}: --unchecked`;
}
