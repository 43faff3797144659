/** The one path that every write takes: completed, checked, shown, guarded, sent once, and its fate told. */
import type { Operation } from '../contract/operation.ts';
import { Failure, type FieldMessages, violations } from '../errors.ts';
import type { Row } from './answer.ts';
import { type Client, nameOf } from './client.ts';
import type { Call } from './request.ts';
import { type HttpRequest, TransportError } from './transport.ts';

/** May stop a write by throwing; asked in order, after the checks and before anything is sent. */
export type Guard = (call: Call) => Promise<void>;

export interface WriteOptions {
  /** Build the request and stop there. */
  dryRun: boolean;
  /** Leave out the check against the contract. */
  unchecked: boolean;
  guards: readonly Guard[];
  /** Turns `@NAME` into ids, where the call holds any. */
  resolve: (call: Call) => Promise<Call>;
  /** The id of the user behind the token. */
  signedInUser: () => Promise<string>;
}

/** What became of a write: done, with the record where the answer has one, or only planned. */
export type Outcome = { planned: HttpRequest } | { planned?: undefined; record: Row | undefined };

/** The client is made only after the checks: bad input needs no address and no token to be told. */
export async function performWrite(
  makeClient: () => Promise<Client>,
  call: Call,
  options: WriteOptions,
): Promise<Outcome> {
  if (!options.unchecked) await check(call);
  const client = await makeClient();
  if (options.dryRun) {
    return { planned: client.requestFor(await complete(call, async () => '(the signed-in user)')) };
  }
  for (const guard of options.guards) await guard(call);
  const resolved = await complete(await options.resolve(call), options.signedInUser);
  try {
    return { record: await client.write(resolved) };
  } catch (error) {
    throw withFate(error, resolved);
  }
}

/** Every violation at once, before anything is sent. */
export async function check({ operation, body = {} }: Call): Promise<void> {
  if (operation.body.length === 0) return;
  const { validateBody } = await import('../contract/validate.ts');
  const messages: FieldMessages = validateBody(operation, body);
  if (Object.keys(messages).length === 0 && Object.keys(body).length === 0) {
    messages._ = ['give at least one field'];
  }
  if (Object.keys(messages).length === 0) return;
  const { command } = operation.resource;
  throw violations(
    `The input of ${command} ${operation.verb}`,
    messages,
    `See: boh ${command} ${operation.verb} --help`,
  );
}

/** Fields that stand for the signed-in user where they are left out (wire.md: "Values"). */
async function complete(call: Call, signedInUser: () => Promise<string>): Promise<Call> {
  const { operation, body = {} } = call;
  if (operation.effect !== 'create') return call;
  const missing = operation.body.filter(
    ({ name, field }) => field.traits.defaultsToSignedInUser && body[name] === undefined,
  );
  if (missing.length === 0) return call;
  const id = await signedInUser();
  const given = { ...body, ...Object.fromEntries(missing.map(({ name }) => [name, id])) };
  const order = operation.body.map(({ name }) => name).filter((name) => name in given);
  return { ...call, body: Object.fromEntries(order.map((name) => [name, given[name]])) };
}

/** A write that may have happened says so, and how to find out: repeating it could do it twice. */
function withFate(error: unknown, call: Call): unknown {
  if (!(error instanceof Failure) || error.category !== 'unavailable') return error;
  const { cause, status } = error.details;
  if (cause instanceof TransportError && !cause.mayHaveArrived) return error;
  if (status !== undefined && status >= 300 && status < 400) return error;
  const { operation, ids = [] } = call;
  const deed = `${operation.verb.replace('-', ' ')} of ${nameOf(operation, ids)}`;
  return new Failure(
    'unavailable',
    `${error.message} The ${deed} may or may not have happened; it was not repeated.`,
    {
      ...error.details,
      hint: `See whether it happened: ${checkCommand(operation, call)}`,
    },
  );
}

function checkCommand({ resource, effect }: Operation, { ids = [], body = {} }: Call): string {
  if (ids[0] !== undefined) {
    const isGone = effect === 'delete' && resource.list?.filters.some(({ name }) => name === 'is_deleted');
    return `boh ${resource.command} get ${ids[0]}${isGone ? ' (a deleted record has a deleted_at)' : ''}`;
  }
  const key = resource.key.find((name) => typeof body[name] === 'string');
  const flag = key
    ? ` --${key.replaceAll(/[_.]/g, '-')} ${JSON.stringify(body[key])}`
    : ' --updated-after 10m';
  return `boh ${resource.command} list${flag}`;
}
