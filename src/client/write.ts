/** The one path that every write takes: completed, checked, shown, guarded, sent once, and its fate told. */
import { type FieldMessages, violations } from '../errors.ts';
import type { Answered, Client } from './client.ts';
import { withFate } from './fate.ts';
import type { Call } from './request.ts';
import type { HttpRequest } from './transport.ts';

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
export type Outcome = { planned: HttpRequest } | { planned?: undefined; answered: Answered | undefined };

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
    return { answered: await client.write(resolved) };
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

/** Fields that stand for the signed-in user where they are left out (docs/deployments.md: "Values"). */
async function complete(call: Call, signedInUser: () => Promise<string>): Promise<Call> {
  const { operation, body = {} } = call;
  if (operation.effect !== 'create') return call;
  const missing = operation.body.filter(
    ({ name, field }) => field.traits.defaultsToSignedInUser && body[name] === undefined,
  );
  if (missing.length === 0) return call;
  const id = await signedInUser();
  const given = { ...body, ...Object.fromEntries(missing.map(({ name }) => [name, id])) };
  // In the document's order; what the contract doesn't know follows behind.
  const known = operation.body.map(({ name }) => name).filter((name) => name in given);
  return { ...call, body: { ...Object.fromEntries(known.map((name) => [name, given[name]])), ...given } };
}
