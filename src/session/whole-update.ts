/** Updates for a service whose PUT replaces: all that one may send, as the record has it, with the changes on top. */
import { nameOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import { flagName } from '../contract/text.ts';
import { Failure } from '../errors.ts';
import type { Current } from './record-body.ts';
import type { Row } from './row.ts';

export interface WholeOptions {
  /** The record as it is. */
  current(update: Call): Promise<Current>;
  /** The part of an update that the token may send. */
  within(update: Operation): Pick<Operation, 'body'>;
  /** What can’t be known is left out, whatever the service makes of that. */
  isHiddenLeftOut: boolean;
}

export interface WholeUpdate {
  call: Call;
  /** The record as it was read for it; none where all was given. */
  known: Row | undefined;
}

/** Throws `usage` where the service doesn’t show all of the record: nothing is sent then. */
export async function wholeUpdate(call: Call, options: WholeOptions): Promise<WholeUpdate> {
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
export function neverShown(fields: readonly BodyField[]): BodyField[] {
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
