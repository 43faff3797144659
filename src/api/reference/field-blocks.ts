/** Describes a field, a filter or an operation as blocks of text. */
import { type Block, code, paragraph, section, type Term, table, terms } from './blocks.ts';
import type { FieldDetails, WordDetails, WriteDetails } from './field-details.ts';
import type { FilterDetails } from './filter-details.ts';
import { joinWords, toSentence } from './operation-summary.ts';
import type { InputDetails, OperationDetails } from './resource-details.ts';

export function fieldBlocks(details: FieldDetails): Block[] {
  const entries: (Term | undefined)[] = [
    { term: 'Type', text: details.type === 'word' ? 'one of the values below' : details.type },
    details.unit === null ? undefined : { term: 'Unit', text: details.unit },
    list('Rules', details.rules),
    {
      term: 'Written by',
      text: details.written_by.length > 0 ? details.written_by.map(describeWrite) : 'the service',
    },
    list('Shown by', describeReads(details)),
    list(
      'Filters',
      details.filters.map(({ flag, keeps }) => `${flag}: ${keeps}`),
    ),
    details.example === null ? undefined : { term: 'Example', text: details.example },
  ];
  return [
    paragraph(toSentence(details.about)),
    terms(entries.filter((term) => term !== undefined)),
    ...section('Values', wordBlocks(details.words)),
  ];
}

export function filterBlocks({ about, flag, keeps, words }: FilterDetails): Block[] {
  const entries = [
    { term: 'Flag', text: flag },
    { term: 'Matches', text: keeps },
    ...(words.length > 0
      ? [{ term: 'Words', text: `${joinWords(words, 'or')}; separate several with commas` }]
      : []),
  ];
  return [paragraph(toSentence(about)), terms(entries)];
}

export function operationBlocks(details: OperationDetails): Block[] {
  return [
    paragraph(toSentence(details.about)),
    terms(
      details.made_of.length > 0
        ? [{ term: 'Calls', text: joinWords(details.made_of) }]
        : [
            { term: 'Request', text: `${details.method} ${details.path}` },
            { term: 'Scope', text: formatScopes(details.scopes) },
          ],
    ),
    ...section('Flags', inputBlocks(details.input)),
    ...section('Example', [code(details.example)]),
  ];
}

/** Returns a table of the flags of an operation. */
export function inputBlocks(input: readonly InputDetails[]): Block[] {
  if (input.length === 0) return [];
  const rows = input.map(({ name, flag, about, required }) => [
    flag === null ? `${name} (no flag: --ask or --data)` : `\`${flag}\``,
    required ? `${about} (required)` : about,
  ]);
  return [table(['flag', 'description'], rows)];
}

function wordBlocks(words: readonly WordDetails[]): Block[] {
  if (words.length === 0) return [];
  return [
    table(
      ['value', 'meaning'],
      words.map(({ word, value, meaning }) => [
        word,
        meaning ?? (value === word ? '' : `${value} in the API`),
      ]),
    ),
  ];
}

/** Formats the scopes of an operation, any of which is sufficient: `a or b`. */
export function formatScopes(scopes: readonly string[]): string {
  return scopes.length === 0 ? 'not documented' : scopes.join(' or ');
}

function describeWrite({ command, flag, required, scopes }: WriteDetails): string {
  const flagText = flag === undefined ? '' : ` ${flag}`;
  const note = required ? ' (required)' : '';
  return `${command}${flagText}${note}; needs ${formatScopes(scopes)}`;
}

function describeReads({ shown_by, shown_only_with, changed_only_with }: FieldDetails): string[] {
  const readsByScopes = Map.groupBy(shown_by, ({ scopes }) => formatScopes(scopes));
  const lines = [...readsByScopes].map(
    ([scope, reads]) => `${joinWords(reads.map(({ command }) => command))}; needs ${scope}`,
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
