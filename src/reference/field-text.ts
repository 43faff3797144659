/** Describes a field, a filter or an operation as blocks of text. */
import { type Block, code, paragraph, section, type Term, table, terms } from './blocks.ts';
import type { FieldFacts, WordFacts, WriteFacts } from './field-facts.ts';
import type { FilterFacts } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import type { InputFacts, OperationFacts } from './resource-facts.ts';

/** Describes a field. */
export function fieldText(facts: FieldFacts): Block[] {
  const all: (Term | undefined)[] = [
    { term: 'Type', text: facts.type },
    facts.unit === null ? undefined : { term: 'Unit', text: facts.unit },
    list('Rules', facts.rules),
    {
      term: 'Written by',
      text: facts.written_by.length > 0 ? facts.written_by.map(writeLine) : 'the service',
    },
    list('Shown by', shownLines(facts)),
    list(
      'Filters',
      facts.filters.map(({ flag, keeps }) => `${flag}: ${keeps}`),
    ),
    facts.example === null ? undefined : { term: 'Example', text: facts.example },
  ];
  return [
    paragraph(asSentence(facts.about)),
    terms(all.filter((term) => term !== undefined)),
    ...section('Allowed words', wordBlocks(facts.words)),
  ];
}

/** Describes a filter. */
export function filterText({ about, flag, keeps, words }: FilterFacts): Block[] {
  const all = [
    { term: 'Flag', text: flag },
    { term: 'Matches', text: keeps },
    ...(words.length > 0
      ? [{ term: 'Words', text: `${listed(words, 'or')}; separate several with commas` }]
      : []),
  ];
  return [paragraph(asSentence(about)), terms(all)];
}

/** Describes an operation. */
export function operationText(facts: OperationFacts): Block[] {
  return [
    paragraph(asSentence(facts.about)),
    terms(
      facts.made_of.length > 0
        ? [{ term: 'Calls', text: listed(facts.made_of) }]
        : [
            { term: 'Request', text: `${facts.method} ${facts.path}` },
            { term: 'Scope', text: scopeWords(facts.scopes) },
          ],
    ),
    ...section('Flags', inputBlocks(facts.input)),
    ...section('Example', [code(facts.example)]),
  ];
}

/** Returns a table of the flags of an operation. */
export function inputBlocks(input: readonly InputFacts[]): Block[] {
  if (input.length === 0) return [];
  const rows = input.map(({ name, flag, about, required }) => [
    flag === null ? `${name} (no flag: --ask or --data)` : `\`${flag}\``,
    required ? `${about} (required)` : about,
  ]);
  return [table(['flag', 'description'], rows)];
}

function wordBlocks(words: readonly WordFacts[]): Block[] {
  if (words.length === 0) return [];
  return [
    table(
      ['word', 'meaning'],
      words.map(({ word, value, meaning }) => [word, meaning ?? (value === word ? '' : String(value))]),
    ),
  ];
}

/** Lists scopes of which any one is enough. */
export function scopeWords(scopes: readonly string[]): string {
  return scopes.length === 0 ? 'not documented' : scopes.join(' or ');
}

function writeLine({ command, flag, required, scopes }: WriteFacts): string {
  const how = flag === undefined ? '' : ` ${flag}`;
  const note = required ? ' (required)' : '';
  return `${command}${how}${note}; needs ${scopeWords(scopes)}`;
}

function shownLines({ shown_by, shown_only_with, changed_only_with }: FieldFacts): string[] {
  const ways = Map.groupBy(shown_by, ({ scopes }) => scopeWords(scopes));
  const lines = [...ways].map(
    ([scope, reads]) => `${listed(reads.map(({ command }) => command))}; needs ${scope}`,
  );
  return [
    ...lines,
    ...(shown_only_with ? [`only to tokens that also have ${shown_only_with}`] : []),
    ...(changed_only_with ? [`changed only by tokens that also have ${changed_only_with}`] : []),
  ];
}

function list(term: string, text: readonly string[]): Term | undefined {
  return text.length === 0 ? undefined : { term, text };
}
