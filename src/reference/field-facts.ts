/** Collects everything that the contract says about a field. */
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
import { inputWords } from '../contract/text.ts';
import { capitalize, inputWord } from '../contract/wording.ts';
import { exampleText } from './examples.ts';
import type { FieldPlace } from './field-place.ts';
import { type FilterFacts, filterFacts } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import { boundsOf, describeType, flagTerm } from './value-words.ts';

/** The facts about a field. The keys are those of `boh explain -o json`. */
export interface FieldFacts {
  name: string;
  about: string;
  type: string;
  unit: string | null;
  /** The related resource. */
  related: string | null;
  rules: string[];
  words: WordFacts[];
  /** The example as people type it. */
  example: string | null;
  written_by: WriteFacts[];
  shown_by: { command: string; scopes: readonly Scope[] }[];
  /** Scopes that are needed in addition to those of the command. */
  shown_only_with: Scope | null;
  changed_only_with: Scope | null;
  filters: FilterFacts[];
}

/** A word of an enumeration. */
export interface WordFacts {
  /** The word as people type it: `price-reduction`. */
  word: string;
  /** The value in JSON: a number, or the word itself. */
  value: number | string;
  meaning?: string;
}

/** A command that writes a field. */
export interface WriteFacts {
  command: string;
  /** Undefined if the field has no flag, or if the whole command is about it (`link-item`). */
  flag?: string;
  required: boolean;
  scopes: readonly Scope[];
}

/** Returns the facts about a field. */
export function fieldFacts(place: FieldPlace): FieldFacts {
  const { resource, path, field } = place;
  const { description = '', unit, readScope, writeScope, secret, writeOnly } = field.traits;
  const api = apiOf(resource);
  const reads = operations(resource).filter(({ effect }) => effect === 'list' || effect === 'get');
  return {
    name: [resource.command, ...path].join('.'),
    about: description,
    type: describeType(field, api),
    unit: unit ?? null,
    related: api.resource(field.traits.target ?? '')?.command ?? null,
    rules: fieldRules(place),
    words: wordsOf(field),
    example: secret ? null : (exampleText(field, api) ?? null),
    written_by: writesOf(place),
    shown_by: writeOnly ? [] : reads.map(({ command, scopes }) => ({ command, scopes })),
    shown_only_with: readScope ?? null,
    changed_only_with: writeScope ?? null,
    filters: resource.filters.filter(({ on }) => on === path.join('.')).map((filter) => filterFacts(filter)),
  };
}

function wordsOf({ traits: { words, allowed, meanings } }: Field): WordFacts[] {
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

/** Returns the commands that set the field: by its flag, as a link, or as the number after each linked id. */
function writesOf(place: FieldPlace): WriteFacts[] {
  return operations(place.resource).flatMap((operation) => {
    const { command, scopes } = operation;
    if (isLinkOf(operation, place)) return [{ command, required: false, scopes }];
    const entry = operation.body.find((candidate) => isSetBy(candidate, operation, place));
    if (!entry) return [];
    const flag = flagTerm(entry.name, entry.field);
    const { secret } = place.field.traits;
    return [{ command, required: entry.mustBeSent, scopes, ...(!secret && { flag }) }];
  });
}

function isSetBy(
  { field: sent, responseName }: BodyField,
  { resource, effect }: Operation,
  { path, field }: FieldPlace,
): boolean {
  // An action has its own fields; they set the field of that name in responses.
  if (effect === 'act') return path.length === 1 && responseName === path[0];
  if (path.length === 1) return effect !== 'link' && sent === field;
  // Fields of a link are set by the command of the link, or after each id: `--items ITEM=NUMBER`.
  return effect === 'link' ? sent === field : sent === resource.fields[path[0] ?? ''] && holds(sent, field);
}

/** Whether requests accept the field inside the other one, at any depth. */
function holds(outer: Field, field: Field): boolean {
  const inner = [...linkFields(outer), ...nestedFields(outer)];
  return inner.some((entry) => entry.field === field || holds(entry.field, field));
}

function isLinkOf({ link }: Operation, { path }: FieldPlace): boolean {
  return link !== undefined && path.length === 1 && link.field === path[0];
}

/** Returns the rules of a field as sentences. */
function fieldRules(place: FieldPlace): string[] {
  const { resource, path, field } = place;
  const { traits } = field;
  const [name = ''] = path;
  const isTop = path.length === 1;
  const sent = sendings(place);
  const { creatable, limitedByScope, amountField, targetFilter } = traits;
  const target = apiOf(resource).resource(traits.target ?? '');
  const other = traits.inverseOf ? target : undefined;
  const rules = [
    isTop && resource.key.includes(name) && 'Part of the natural key: @VALUE finds the record.',
    ...boundsOf(field).map((words) => asSentence(capitalize(words))),
    traits.nullable && (sent[0] ? `Can be empty: --clear ${sent[0].name}.` : 'Can be empty (null).'),
    traits.unique && 'Must be unique.',
    creatable && `New records accept only ${listed(inputWords(field, creatable))}.`,
    limitedByScope &&
      `A token with only ${limitedByScope.scope} can write only ${listed(inputWords(field, limitedByScope.values))}.`,
    traits.allowsOthers && 'Other numbers are also accepted.',
    targetFilter &&
      target &&
      `Accepts only ${target.nouns} whose ${targetFilter.field} is ${wordAt(target.fields, targetFilter)}.`,
    amountField && `Write each as ID=NUMBER, where the number is the ${amountField.replaceAll('_', ' ')}.`,
    traits.defaultsToSignedInUser && 'Defaults to the signed-in user.',
    isFixed(sent, place) && "Set at creation; updates can't change it.",
    isForUpdates(sent, place) && "Set only by updates; new records don't have it.",
    traits.secret &&
      'Has no flag, because other users of the machine can see command lines. Use --ask or --data.',
    traits.writeOnly && 'Never returned.',
    isTop && traits.includable && `Shown in full with --include ${name}.`,
    isTop &&
      traits.sortable &&
      `Lists can be sorted by it: --sort ${name}, or -${name} for descending order.`,
    other && `The inverse of ${other.command}.${traits.inverseOf}.`,
  ];
  return rules.filter((rule) => typeof rule === 'string');
}

interface Sending {
  operation: Operation;
  /** The field's name in the request: `category_id`. */
  name: string;
}

/** Returns the requests that contain the field itself. */
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
  return field ? listed(inputWords(field, [value])) : String(value);
}
