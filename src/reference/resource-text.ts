/** A resource as a text: a page for the reference and the manual, and a shorter one for a terminal. */
import { type Block, code, heading, type Page, paragraph, section, table, terms } from './blocks.ts';
import type { FieldFacts } from './field-facts.ts';
import { inputBlocks, scopeWords } from './field-text.ts';
import type { FilterFacts } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import type { OperationFacts, ResourceFacts } from './resource-facts.ts';

/** For a terminal: what there is, each in a line or two. */
export function resourceOverview(facts: ResourceFacts): Block[] {
  return [
    paragraph(asSentence(facts.summary)),
    ...naming(facts),
    ...section('Commands', [
      terms(
        facts.commands.map(({ command, about, scopes, made_of }) => ({
          term: command,
          text: `${about}; ${made_of.length > 0 ? `made of ${listed(made_of)}` : scopeWords(scopes)}`,
        })),
      ),
    ]),
    ...section('Fields', [
      terms(facts.fields.filter(isTop).map(({ name, about }) => ({ term: lastPart(name), text: about }))),
    ]),
    ...section('Filters', filterBlocks(facts)),
    ...listing(facts),
    paragraph(`More: boh explain ${facts.name}.FIELD, or ${facts.name}.VERB`),
  ];
}

/** The whole of it: every command with its flags and an example, every field with its rules. */
export function resourcePage(facts: ResourceFacts): Page {
  return {
    name: facts.name,
    summary: facts.summary,
    blocks: [
      paragraph(`${asSentence(facts.summary)} In the API: \`${facts.path}\`.`),
      ...naming(facts),
      heading('Commands'),
      ...facts.commands.flatMap(commandBlocks),
      ...section('Fields', [fieldTable(facts.fields)]),
      ...section('Words', wordTerms(facts.fields)),
      ...section('Filters', filterBlocks(facts)),
      ...listing(facts),
    ],
  };
}

function naming({ natural_key: key, noun }: ResourceFacts): Block[] {
  if (key.length === 0) return [];
  return [paragraph(`@VALUE finds the ${noun} whose ${listed(key, 'or')} it is.`)];
}

function commandBlocks(facts: OperationFacts): Block[] {
  const { command, about, input, example } = facts;
  return [
    heading(command, 3),
    paragraph(`${asSentence(about)} ${requestWords(facts)}`),
    code(example),
    ...inputBlocks(input),
  ];
}

function requestWords({ method, path, scopes, made_of }: OperationFacts): string {
  if (made_of.length > 0) return `Made of ${listed(made_of)}, and needs the scopes of those.`;
  const scope =
    scopes.length === 0
      ? 'The scope it needs is not documented.'
      : `Needs the scope ${scopes.map((it) => `\`${it}\``).join(' or ')}.`;
  return `\`${method} ${path}\`. ${scope}`;
}

function fieldTable(fields: readonly FieldFacts[]): Block {
  const rows = fields.map((facts) => [
    `\`${lastPart(facts.name)}\``,
    asSentence(facts.about),
    facts.unit === null ? linkedType(facts) : `${facts.type}, in ${facts.unit}`,
    [...facts.rules, ...access(facts)].join(' '),
  ]);
  return table(['field', 'what it is', 'type', 'rules'], rows);
}

function linkedType({ type, related }: FieldFacts): string {
  return related === null ? type : `[${type}](${related}.md)`;
}

function access({ written_by, shown_only_with, changed_only_with }: FieldFacts): string[] {
  const required = written_by.filter((write) => write.required).map(({ command }) => command);
  return [
    ...(required.length > 0 ? [`Required by ${listed(required)}.`] : []),
    ...(written_by.length === 0 ? ['Read-only.'] : []),
    ...(shown_only_with ? [`Shown only with \`${shown_only_with}\`.`] : []),
    ...(changed_only_with ? [`Changed only with \`${changed_only_with}\`.`] : []),
  ];
}

function wordTerms(fields: readonly FieldFacts[]): Block[] {
  const worded = fields.filter(({ words }) => words.length > 0);
  if (worded.length === 0) return [];
  const entries = worded.map(({ name, words }) => ({
    term: `\`${lastPart(name)}\``,
    text: words
      .map(({ word, value }) => (value === word ? `\`${word}\`` : `\`${word}\` (${value})`))
      .join(', '),
  }));
  return [terms(entries)];
}

function filterBlocks({ filters }: ResourceFacts): Block[] {
  if (filters.length === 0) return [];
  const rows = filters.map((filter) => [`\`${filter.flag}\``, filterLine(filter)]);
  return [table(['flag', 'what it looks at, and which records it keeps'], rows)];
}

/** Where a filter looks at a field, what it keeps has to be said; others say it themselves. */
function filterLine({ about, keeps, match }: FilterFacts): string {
  return ['equals', 'contains', 'unknown'].includes(match) ? `${about}: ${keeps}` : about;
}

function listing({ includes, sorts }: ResourceFacts): Block[] {
  return [
    ...(includes.length > 0
      ? section('Relations', [paragraph(`--include shows in full: ${includes.join(', ')}.`)])
      : []),
    ...(sorts.length > 0
      ? section('Order', [
          paragraph(`--sort takes: ${sorts.join(', ')}; with - in front for the last first.`),
        ])
      : []),
  ];
}

function isTop({ name }: FieldFacts): boolean {
  return name.split('.').length === 2;
}

function lastPart(name: string): string {
  return name.split('.').slice(1).join('.');
}
