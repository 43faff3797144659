/** Collects the details of a field from the contract. */
import { apiOf } from '../contract/api.ts';
import type { Field, Fields } from '../contract/field.ts';
import {
  type BodyField,
  linkFields,
  nestedFields,
  type Operation,
  operations,
} from '../contract/operation.ts';
import type { Scope } from '../contract/scope.ts';
import { inputWords } from '../contract/value-text.ts';
import { capitalize, inputWord } from '../contract/wording.ts';
import { formatExampleValue } from './examples.ts';
import type { FieldLocation } from './field-location.ts';
import { type FilterDetails, filterDetails } from './filter-details.ts';
import { joinWords, toSentence } from './operation-summary.ts';
import { boundsOf, describeType, flagTerm } from './value-descriptions.ts';

/** The details of a field. The keys are those of `boh explain -o json`. */
export interface FieldDetails {
  name: string;
  about: string;
  type: string;
  unit: string | null;
  related: string | null;
  rules: string[];
  words: WordDetails[];
  /** The example value for the command line. */
  example: string | null;
  written_by: WriteDetails[];
  shown_by: { command: string; scopes: readonly Scope[] }[];
  /** The scopes that a token needs in addition to those of the command. */
  shown_only_with: Scope | null;
  changed_only_with: Scope | null;
  filters: FilterDetails[];
}

export interface WordDetails {
  /** The word on the command line: `price-reduction`. */
  word: string;
  /** The value in JSON: a number, or the word itself. */
  value: number | string;
  meaning?: string;
}

/** A command that writes a field. */
export interface WriteDetails {
  command: string;
  /** Undefined if the field has no flag, or if the whole command is about it (`link-item`). */
  flag?: string;
  required: boolean;
  scopes: readonly Scope[];
}

export function fieldDetails(location: FieldLocation): FieldDetails {
  const { resource, path, field } = location;
  const { description = '', unit, readScope, writeScope, secret, writeOnly } = field.traits;
  const api = apiOf(resource);
  const reads = operations(resource).filter(({ effect }) => effect === 'list' || effect === 'get');
  return {
    name: [resource.command, ...path].join('.'),
    about: description,
    type: describeType(field, api),
    unit: unit ?? null,
    related: api.resource(field.traits.target ?? '')?.command ?? null,
    rules: fieldRules(location),
    words: wordsOf(field),
    example: secret ? null : (formatExampleValue(field, api) ?? null),
    written_by: writesOf(location),
    shown_by: writeOnly ? [] : reads.map(({ command, scopes }) => ({ command, scopes })),
    shown_only_with: readScope ?? null,
    changed_only_with: writeScope ?? null,
    filters: resource.filters
      .filter(({ on }) => on === path.join('.'))
      .map((filter) => filterDetails(filter)),
  };
}

function wordsOf({ traits: { words, allowed, meanings } }: Field): WordDetails[] {
  const numbered = Object.entries(words ?? {}).map(([word, value]) => ({
    word: inputWord(word),
    value,
  }));
  const allowedWords = (allowed ?? []).map((word) => {
    const meaning = meanings?.[word];
    return { word, value: word, ...(meaning && { meaning }) };
  });
  return [...numbered, ...allowedWords];
}

/** Returns the commands that set the field: by its flag, as a link, or as the number after each linked ID. */
function writesOf(location: FieldLocation): WriteDetails[] {
  return operations(location.resource).flatMap((operation) => {
    const { command, scopes } = operation;
    if (isLinkOf(operation, location)) return [{ command, required: false, scopes }];
    const entry = operation.body.find((candidate) => isSetBy(candidate, operation, location));
    if (!entry) return [];
    const flag = flagTerm(entry.name, entry.field);
    const { secret } = location.field.traits;
    return [{ command, required: entry.mustBeSent, scopes, ...(!secret && { flag }) }];
  });
}

function isSetBy(
  { field: requestField, responseName }: BodyField,
  { resource, effect }: Operation,
  { path, field }: FieldLocation,
): boolean {
  // An action has its own fields; they set the field of that name in responses.
  if (effect === 'act') return path.length === 1 && responseName === path[0];
  if (path.length === 1) return effect !== 'link' && requestField === field;
  // Fields of a link are set by the command of the link, or after each ID: `--items ITEM=NUMBER`.
  return effect === 'link'
    ? requestField === field
    : requestField === resource.fields[path[0] ?? ''] && containsField(requestField, field);
}

/** Returns whether requests accept the field inside the outer field, at any depth. */
function containsField(outer: Field, field: Field): boolean {
  const inner = [...linkFields(outer), ...nestedFields(outer)];
  return inner.some((entry) => entry.field === field || containsField(entry.field, field));
}

function isLinkOf({ link }: Operation, { path }: FieldLocation): boolean {
  return link !== undefined && path.length === 1 && link.field === path[0];
}

function fieldRules(location: FieldLocation): string[] {
  const { resource, path, field } = location;
  const { traits } = field;
  const [name = ''] = path;
  const isTop = path.length === 1;
  const requests = requestsWith(location);
  const { creatable, limitedByScope, amountField, targetFilter } = traits;
  const target = apiOf(resource).resource(traits.target ?? '');
  const inverseResource = traits.inverseOf ? target : undefined;
  const rules = [
    isTop && resource.key.includes(name) && 'Part of the natural key: @VALUE finds the record.',
    ...boundsOf(field).map((words) => toSentence(capitalize(words))),
    traits.nullable && (requests[0] ? `Can be empty: --clear ${requests[0].name}.` : 'Can be empty (null).'),
    traits.unique && 'Must be unique.',
    creatable && `New records accept only ${joinWords(inputWords(field, creatable))}.`,
    limitedByScope &&
      `A token with only ${limitedByScope.scope} can write only ${joinWords(inputWords(field, limitedByScope.values))}.`,
    traits.allowsOtherNumbers && 'Other numbers are also accepted.',
    targetFilter &&
      target &&
      `Accepts only ${target.nouns} whose ${targetFilter.field} is ${formatWord(target.fields, targetFilter)}.`,
    amountField && `Write each as ID=NUMBER, where the number is the ${amountField.replaceAll('_', ' ')}.`,
    traits.defaultsToSignedInUser && 'Defaults to the signed-in user.',
    isSetAtCreation(requests, location) && "Set at creation; updates can't change it.",
    isSetByUpdates(requests, location) && "Set only by updates; new records don't have it.",
    traits.secret &&
      'Has no flag, because other users of the machine can see command lines. Use --ask or --data.',
    traits.writeOnly && 'Never returned.',
    isTop && traits.includable && `Shown in full with --include ${name}.`,
    isTop &&
      traits.sortable &&
      `Lists can be sorted by it: --sort ${name}, or -${name} for descending order.`,
    inverseResource && `The inverse of ${inverseResource.command}.${traits.inverseOf}.`,
  ];
  return rules.filter((rule) => typeof rule === 'string');
}

interface FieldRequest {
  operation: Operation;
  /** The field's name in the request: `category_id`. */
  name: string;
}

/** Returns the requests that contain the field itself. */
function requestsWith({ resource, field }: FieldLocation): FieldRequest[] {
  return operations(resource).flatMap((operation) =>
    operation.body.filter((entry) => entry.field === field).map(({ name }) => ({ operation, name })),
  );
}

function isSetAtCreation(requests: readonly FieldRequest[], { resource }: FieldLocation): boolean {
  const effects = requests.map(({ operation }) => operation.effect);
  return effects.includes('create') && !effects.includes('update') && resource.update !== undefined;
}

function isSetByUpdates(requests: readonly FieldRequest[], { resource, path }: FieldLocation): boolean {
  const effects = requests.map(({ operation }) => operation.effect);
  return (
    path.length === 1 &&
    effects.includes('update') &&
    !effects.includes('create') &&
    resource.create !== undefined
  );
}

function formatWord(fields: Fields, { field: name, value }: { field: string; value: number }): string {
  const field = fields[name];
  return field ? joinWords(inputWords(field, [value])) : String(value);
}
