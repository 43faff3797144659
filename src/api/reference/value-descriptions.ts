/** Describes values for help: placeholders, types and bounds. */
import type { Api } from '../contract/api.ts';
import { describeBounds, describeLimit } from '../contract/bounds.ts';
import type { Field, Kind } from '../contract/field.ts';
import { linkFields } from '../contract/operation.ts';
import { flagName, inputWords } from '../contract/value-text.ts';
import { withArticle } from '../contract/wording.ts';

/** Returns the flag of a field or filter for help: `--tags <id,...>`, `--[no-]is-active`. */
export function flagTerm(name: string, field: Field, value = placeholder(field)): string {
  const flag = flagName(name);
  return field.kind === 'boolean' ? `--[no-]${flag}` : `--${flag} <${value}>`;
}

export function placeholder(field: Field): string {
  // Links that require more than an ID and a number need JSON.
  const { amountField } = field.traits;
  if (linkFields(field).some(({ name, isRequired }) => isRequired && name !== amountField)) return 'json';
  return amountField ? 'id=number,...' : kinds[field.kind].placeholder;
}

/** Returns the type of the value: "whole number", "list of tags". */
export function describeType({ kind, traits: { target = '' } }: Field, api: Api): string {
  const { type } = kinds[kind];
  return typeof type === 'string' ? type : type(api, target);
}

/** Returns the placeholder of a filter in help: filters on linked records accept only their IDs. */
export function filterPlaceholder(field: Field): string {
  return field.kind === 'many' ? kinds.many.placeholder : placeholder(field);
}

interface KindDescription {
  /** The placeholder on the command line. */
  placeholder: string;
  type: string | ((api: Api, target: string) => string);
  /** The bounds of every value of the kind. */
  bounds?: string;
}

const kinds: Readonly<Record<Kind, KindDescription>> = {
  text: { placeholder: 'text', type: 'text' },
  integer: { placeholder: 'number', type: 'whole number' },
  decimal: { placeholder: 'number', type: 'number' },
  numeric_text: { placeholder: 'number', type: 'number, written as text in JSON' },
  boolean: { placeholder: 'true|false', type: 'true or false' },
  date: { placeholder: 'date', type: 'date, YYYY-MM-DD' },
  timestamp: { placeholder: 'time', type: 'time in UTC, YYYY-MM-DD HH:MM:SS' },
  choice: { placeholder: 'word', type: 'word' },
  unit: { placeholder: 'text', type: 'name or number of a unit' },
  hour: {
    placeholder: 'hour',
    type: 'whole hour of the day; in JSON also a time such as "09:30"',
    bounds: 'from 0 to 24',
  },
  words: { placeholder: 'word,...', type: 'list of words' },
  integers: { placeholder: 'word,...', type: 'list of words or numbers' },
  ids: { placeholder: 'id,...', type: 'list of IDs' },
  ring: {
    placeholder: 'json',
    type: 'list of [longitude, latitude] pairs',
    bounds:
      'at least four pairs, the last the same as the first; longitude from -180 to 180, latitude from -90 to 90',
  },
  one: { placeholder: 'id', type: (api, target) => withArticle(api.nounOf(target)) },
  many: { placeholder: 'id,...', type: (api, target) => `list of ${api.nounsOf(target)}` },
  object: { placeholder: 'json', type: 'nested fields' },
  objects: { placeholder: 'json', type: 'list of nested fields' },
};

/** Returns the bounds of a value, including those that depend on another field. */
export function boundsOf({ kind, traits }: Field): string[] {
  const bounds = [kinds[kind].bounds, describeBounds(traits), ...(traits.limits ?? []).map(describeLimit)];
  return bounds.filter((text) => text !== undefined);
}

/** Returns the description of a field with its unit, bounds and words. `isNew`: the words for new records. */
export function describeField(field: Field, { isNew = false } = {}): string {
  const { description = '', unit, allowed, nullable, creatable } = field.traits;
  const words = inputWords(field, isNew ? creatable : undefined);
  const notes = [
    unit && `in ${unit}`,
    ...boundsOf(field),
    words.length > 0 && words.join(' | '),
    allowed && (allowed.length > 6 ? `${allowed.slice(0, 3).join(', ')}, … and more` : allowed.join(' | ')),
    nullable && 'can be cleared',
  ].filter(Boolean);
  return notes.length > 0 ? `${description} [${notes.join('; ')}]` : description;
}

export function describeFilter(field: Field): string {
  const words = inputWords(field);
  const list = words.length > 0 ? ` [${words.join(' | ')}; separate several with commas]` : '';
  return (field.traits.description ?? '') + list;
}

/** Advice on how to write several values on the command line. */
export const commaAdvice =
  'Separate several values with commas; put a value with a comma in quotes: \'@"Last, First",@VIP\'';
