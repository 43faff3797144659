/** Describes a resource: a page for the reference and the manual, and an overview for terminals. */
import { type Block, code, heading, type Page, paragraph, section, table, terms } from './blocks.ts';
import type { FieldFacts } from './field-facts.ts';
import { inputBlocks, scopeWords } from './field-text.ts';
import type { FilterFacts } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import type { OperationFacts, ResourceFacts } from './resource-facts.ts';

/** Returns the overview for a terminal. */
export function resourceOverview(facts: ResourceFacts): Block[] {
  return [
    paragraph(asSentence(facts.summary)),
    ...naming(facts),
    ...section('Commands', [
      terms(
        facts.commands.map(({ command, about, scopes, made_of }) => ({
          term: command,
          text: `${about}; ${made_of.length > 0 ? `calls ${listed(made_of)}` : scopeWords(scopes)}`,
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

/** Returns the page: all commands with flags and an example, and all fields with their rules. */
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
      ...section('Values', wordTerms(facts.fields)),
      ...section('Filters', filterBlocks(facts)),
      ...listing(facts),
    ],
  };
}

function naming({ natural_key: key, noun }: ResourceFacts): Block[] {
  if (key.length === 0) return [];
  return [paragraph(`@VALUE finds the ${noun} by ${listed(key, 'or')}.`)];
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
  if (made_of.length > 0) return `Calls ${listed(made_of)}, and needs their scopes.`;
  const scope =
    scopes.length === 0
      ? "The document doesn't give the scope."
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
  return table(['field', 'description', 'type', 'rules'], rows);
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
  return [table(['flag', 'which records match'], rows)];
}

/** Filters on a field also need their kind of match; the description of others includes it. */
function filterLine({ about, keeps, match }: FilterFacts): string {
  return ['equals', 'contains', 'unknown'].includes(match) ? `${about}: ${keeps}` : about;
}

function listing({ includes, sorts }: ResourceFacts): Block[] {
  return [
    ...(includes.length > 0
      ? section('Relations', [paragraph(`--include accepts: ${includes.join(', ')}.`)])
      : []),
    ...(sorts.length > 0
      ? section('Order', [
          paragraph(`--sort accepts: ${sorts.join(', ')}; with a leading - for descending order.`),
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
