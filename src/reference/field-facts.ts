/** All that the contract says of a field, gathered from every place that says it. */
import { apiOf } from '../contract/api.ts';
import type { Field } from '../contract/field.ts';
import {
  type BodyField,
  linkFields,
  nestedFields,
  type Operation,
  operations,
} from '../contract/operation.ts';
import type { Scope } from '../contract/scope.ts';
import { typedWord } from '../contract/typed-word.ts';
import { exampleText } from './examples.ts';
import type { FieldPlace } from './field-place.ts';
import { fieldRules } from './field-rules.ts';
import { type FilterFacts, filterFacts } from './filter-facts.ts';
import { flagTerm, typeInWords } from './value-words.ts';

/** Keys are written as scripts read them, from `boh explain -o json`. */
export interface FieldFacts {
  name: string;
  about: string;
  type: string;
  unit: string | null;
  /** The resource on the other side of a relation. */
  related: string | null;
  rules: string[];
  words: WordFacts[];
  /** As it is typed on a command line. */
  example: string | null;
  written_by: WriteFacts[];
  shown_by: { command: string; scopes: readonly Scope[] }[];
  /** Scopes that it takes besides those of the command. */
  shown_only_with: Scope | null;
  changed_only_with: Scope | null;
  filters: FilterFacts[];
}

export interface WordFacts {
  /** As it is typed: `price-reduction`. */
  word: string;
  /** What stands in the JSON: a number, or the word itself. */
  value: number | string;
  meaning?: string;
}

export interface WriteFacts {
  command: string;
  /** Undefined where the whole command is about it (`link-item`), or where it has no flag. */
  flag?: string;
  required: boolean;
  scopes: readonly Scope[];
}

export function fieldFacts(place: FieldPlace): FieldFacts {
  const { resource, path, field } = place;
  const { about = '', unit, readScope, writeScope, secret, writeOnly } = field.traits;
  const api = apiOf(resource);
  const reads = operations(resource).filter(({ effect }) => effect === 'list' || effect === 'get');
  return {
    name: [resource.command, ...path].join('.'),
    about,
    type: typeInWords(field, api),
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
    word: typedWord(word),
    value,
  }));
  const plain = (allowed ?? []).map((word) => {
    const meaning = meanings?.[word];
    return { word, value: word, ...(meaning && { meaning }) };
  });
  return [...numbered, ...plain];
}

/** The commands that set it: by a flag of its own, as a link, or as the number beside each linked id. */
function writesOf(place: FieldPlace): WriteFacts[] {
  return operations(place.resource).flatMap((operation) => {
    const { command, scopes } = operation;
    if (isLinkOf(operation, place)) return [{ command, required: false, scopes }];
    const entry = operation.body.find((candidate) => isSetBy(candidate, operation, place));
    if (!entry) return [];
    const flag = flagTerm(entry.name, entry.field);
    const { secret } = place.field.traits;
    return [{ command, required: entry.mustBeGiven, scopes, ...(!secret && { flag }) }];
  });
}

function isSetBy(
  { field: sent, shown }: BodyField,
  { resource, effect }: Operation,
  { path, field }: FieldPlace,
): boolean {
  // An action has fields of its own: what it sets is what answers show by that name.
  if (effect === 'act') return path.length === 1 && shown === path[0];
  if (path.length === 1) return effect !== 'link' && sent === field;
  // What a link holds is set by the link's own command, or beside each id: `--items ITEM=NUMBER`.
  return effect === 'link' ? sent === field : sent === resource.fields[path[0] ?? ''] && holds(sent, field);
}

/** Whether a request can give the field within the other, however deep. */
function holds(outer: Field, field: Field): boolean {
  const inner = [...linkFields(outer), ...nestedFields(outer)];
  return inner.some((entry) => entry.field === field || holds(entry.field, field));
}

function isLinkOf({ link }: Operation, { path }: FieldPlace): boolean {
  return link !== undefined && path.length === 1 && link.field === path[0];
}
