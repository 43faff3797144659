/** The rules of a field as sentences. */

import { apiOf } from '../contract/api.ts';
import { capital } from '../contract/capital.ts';
import type { Fields } from '../contract/field.ts';
import { type Operation, operations } from '../contract/operation.ts';
import { typedWords } from '../contract/text.ts';
import type { FieldPlace } from './field-place.ts';
import { asSentence, listed } from './names.ts';
import { boundsOf } from './value-words.ts';

export function fieldRules(place: FieldPlace): string[] {
  const { resource, path, field } = place;
  const { traits } = field;
  const [name = ''] = path;
  const isTop = path.length === 1;
  const sent = sendings(place);
  const { creatable, limited, amount, only } = traits;
  const target = apiOf(resource).resource(traits.target ?? '');
  const other = traits.inverseOf ? target : undefined;
  const rules = [
    isTop && resource.key.includes(name) && 'A record can be named by it: @VALUE.',
    ...boundsOf(field).map((words) => asSentence(capital(words))),
    traits.nullable && (sent[0] ? `Can be empty: --clear ${sent[0].name}.` : 'Can be empty (null).'),
    traits.unique && 'No two records share a value.',
    creatable && `A new record takes ${listed(typedWords(field, creatable))} alone.`,
    limited &&
      `A token with only ${limited.scope} can write ${listed(typedWords(field, limited.values))} alone.`,
    traits.open && 'Other numbers are taken too.',
    only && target && `Takes ${target.nouns} whose ${only.field} is ${wordAt(target.fields, only)} alone.`,
    amount && `Each is written ID=NUMBER, where the number is the ${amount.replaceAll('_', ' ')}.`,
    traits.defaultsToSignedInUser && 'The signed-in user, where it is not given.',
    isFixed(sent, place) && 'Set at creation; an update can’t change it.',
    isForUpdates(sent, place) && 'Set by an update alone: a new record begins without it.',
    traits.secret && 'Has no flag, since others on the machine can see a command line: use --ask or --data.',
    traits.writeOnly && 'Sent and never returned.',
    isTop && traits.includable && `Shown in full with --include ${name}.`,
    isTop && traits.sortable && `Lists can be sorted by it: --sort ${name}, or -${name} for the last first.`,
    other && `The other side of ${other.command}.${traits.inverseOf}.`,
  ];
  return rules.filter((rule) => typeof rule === 'string');
}

interface Sending {
  operation: Operation;
  /** The field's name in the request: `category_id`. */
  name: string;
}

/** The requests that hold the field itself. */
function sendings({ resource, field }: FieldPlace): Sending[] {
  return operations(resource).flatMap((operation) =>
    operation.body.filter((entry) => entry.field === field).map(({ name }) => ({ operation, name })),
  );
}

function isFixed(sent: readonly Sending[], { resource }: FieldPlace): boolean {
  const effects = sent.map(({ operation }) => operation.effect);
  return effects.includes('create') && !effects.includes('update') && resource.update !== undefined;
}

function isForUpdates(sent: readonly Sending[], { resource, path }: FieldPlace): boolean {
  const effects = sent.map(({ operation }) => operation.effect);
  return (
    path.length === 1 &&
    effects.includes('update') &&
    !effects.includes('create') &&
    resource.create !== undefined
  );
}

function wordAt(fields: Fields, { field: name, value }: { field: string; value: number }): string {
  const field = fields[name];
  return field ? listed(typedWords(field, [value])) : String(value);
}
