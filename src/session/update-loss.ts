/** That an update was carried out and has emptied what it didn’t send: in words, with the command that puts it back. */
import { Failure } from '../base/errors.ts';
import { nameOf } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Operation } from '../contract/operation.ts';
import type { Settings } from '../settings/settings.ts';
import { partsWithoutIds } from './diff/values.ts';
import { commandOf, shellWord } from './outcome.ts';
import { bodyFrom } from './record-body.ts';
import type { Row } from './row.ts';
import type { Unsent } from './unsent-fields.ts';

export interface Loss {
  /** Which update it was, and the fields. */
  message: string;
  /** What to do about it, with a line to type. */
  hint: string;
}

/** `before` is the record as it was; `within` the part of an update that the token may send. */
export function lossOf(
  call: Call,
  before: Row,
  { emptied }: Pick<Unsent, 'emptied'>,
  within: Pick<Operation, 'body'>,
): Loss {
  const { operation, ids = [], body = {} } = call;
  const names = emptied.map(({ name }) => name);
  const { body: known } = bodyFrom(within, before);
  const lostParts = emptied.filter(({ field }) => field.kind === 'objects');
  const parts = lostParts.map(({ name }) => [name, partsWithoutIds(known[name])]);
  const whole = { ...known, ...Object.fromEntries(parts), ...body };
  const lost = names.length === 1 ? 'which was not sent, is empty now' : 'which were not sent, are empty now';
  return {
    message:
      `The update of ${nameOf(operation, ids)} was carried out, and ${names.join(', ')}, ${lost}: ` +
      'this service takes an update for the whole record.',
    hint: `To put back what was emptied: boh ${commandOf(call)} --data ${shellWord(JSON.stringify(whole))}`,
  };
}

/** As the failure that ends a run. */
export function failureOf({ message, hint }: Loss, settings: Pick<Settings, 'profile' | 'sandbox'>): Failure {
  return new Failure('partial', message, {
    outcome: 'done',
    endsRun: true,
    hint: `${hint}\nTo have whole records sent from now on: ${sayReplaces(settings)}`,
  });
}

/** What to say where a service is known to replace records: a line to type, or a variable where there is no profile. */
export function sayReplaces({ profile, sandbox }: Pick<Settings, 'profile' | 'sandbox'>): string {
  const hasNone = profile === undefined && sandbox === undefined;
  return hasNone ? 'BOH_WIRE_PUT=replace in the environment' : 'boh config set wire.put replace';
}
