/** Values in the words of help: what stands for one on the command line, what it means, what it may be. */

import type { Api } from '../contract/api.ts';
import { boundsInWords, limitInWords } from '../contract/bounds.ts';
import type { Field, Kind } from '../contract/field.ts';
import { linkFields } from '../contract/operation.ts';
import { flagName, inputWords } from '../contract/text.ts';
import { withArticle } from '../contract/wording.ts';

/** A field or filter as a flag, the way help shows it: `--tags <id,...>`, `--[no-]is-active`. */
export function flagTerm(name: string, field: Field): string {
  const flag = flagName(name);
  return field.kind === 'boolean' ? `--[no-]${flag}` : `--${flag} <${placeholder(field)}>`;
}

/** What stands for the value in help. */
export function placeholder(field: Field): string {
  // A link that can't do without more than an id and a number is given as JSON.
  const { amount } = field.traits;
  if (linkFields(field).some(({ name, isRequired }) => isRequired && name !== amount)) return 'json';
  return amount ? 'id=number,...' : kinds[field.kind].placeholder;
}

/** What kind of value it is: "whole number", "list of tags". */
export function typeInWords({ kind, traits: { target = '' } }: Field, api: Api): string {
  const { type } = kinds[kind];
  return typeof type === 'string' ? type : type(api, target);
}

interface KindWords {
  /** What stands for a value on the command line. */
  placeholder: string;
  type: string | ((api: Api, target: string) => string);
  /** What every value of the kind keeps to, whatever its field. */
  bounds?: string;
}

const kinds: Readonly<Record<Kind, KindWords>> = {
  text: { placeholder: 'text', type: 'text' },
  integer: { placeholder: 'number', type: 'whole number' },
  decimal: { placeholder: 'number', type: 'number' },
  numeric_text: { placeholder: 'number', type: 'number, written as text in JSON' },
  boolean: { placeholder: 'true|false', type: 'true or false' },
  date: { placeholder: 'date', type: 'date, YYYY-MM-DD' },
  timestamp: { placeholder: 'moment', type: 'moment in UTC, YYYY-MM-DD HH:MM:SS' },
  choice: { placeholder: 'word', type: 'one of some words' },
  unit: { placeholder: 'text', type: 'name or number of a unit' },
  hour: {
    placeholder: 'hour',
    type: 'whole hour of the day; in JSON also a time such as "09:30"',
    bounds: 'from 0 to 24',
  },
  words: { placeholder: 'word,...', type: 'list of words' },
  integers: { placeholder: 'word,...', type: 'list of words or numbers' },
  ids: { placeholder: 'id,...', type: 'list of ids' },
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

/** What a value has to keep to: always, and while another field is what it is. */
export function boundsOf({ kind, traits }: Field): string[] {
  const all = [kinds[kind].bounds, boundsInWords(traits), ...(traits.limits ?? []).map(limitInWords)];
  return all.filter((words) => words !== undefined);
}

/** What it is, its unit, its bounds and its allowed words. `isNew`: those that a new record may have. */
export function describeField(field: Field, { isNew = false } = {}): string {
  const { about = '', unit, allowed, nullable, creatable } = field.traits;
  const words = inputWords(field, isNew ? creatable : undefined);
  const notes = [
    unit && `in ${unit}`,
    ...boundsOf(field),
    words.length > 0 && words.join(' | '),
    allowed && (allowed.length > 6 ? `${allowed.slice(0, 3).join(', ')}, … and more` : allowed.join(' | ')),
    nullable && 'can be cleared',
  ].filter(Boolean);
  return notes.length > 0 ? `${about} [${notes.join('; ')}]` : about;
}

export function describeFilter(field: Field): string {
  const words = inputWords(field);
  const list = words.length > 0 ? ` [${words.join(' | ')}; several with commas]` : '';
  return (field.traits.about ?? '') + list;
}

/** How several values are told apart on the command line. */
export const commaAdvice =
  'Several values go with commas between; one that holds a comma goes in quotes: \'@"Last, First",@VIP\'';
