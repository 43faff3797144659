/** All that the contract says of a field, gathered from every place that says it. */
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
import { capitalized, inputWord } from '../contract/wording.ts';
import { exampleText } from './examples.ts';
import type { FieldPlace } from './field-place.ts';
import { type FilterFacts, filterFacts } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import { boundsOf, flagTerm, typeInWords } from './value-words.ts';

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
    word: inputWord(word),
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

/** The rules of a field as sentences. */
function fieldRules(place: FieldPlace): string[] {
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
    ...boundsOf(field).map((words) => asSentence(capitalized(words))),
    traits.nullable && (sent[0] ? `Can be empty: --clear ${sent[0].name}.` : 'Can be empty (null).'),
    traits.unique && 'No two records share a value.',
    creatable && `A new record takes ${listed(inputWords(field, creatable))} alone.`,
    limited &&
      `A token with only ${limited.scope} can write ${listed(inputWords(field, limited.values))} alone.`,
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
  return field ? listed(inputWords(field, [value])) : String(value);
}
