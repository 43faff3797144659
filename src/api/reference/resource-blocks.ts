/** Describes a resource: a page for the reference and the manual, and an overview for a terminal. */
import type { Match } from '../contract/filter.ts';
import { type Block, code, heading, paragraph, type ReferencePage, section, table, terms } from './blocks.ts';
import { formatScopes, inputBlocks } from './field-blocks.ts';
import type { FieldDetails } from './field-details.ts';
import { type FilterDetails, relatedDescription } from './filter-details.ts';
import { joinWords, toSentence } from './operation-summary.ts';
import type { OperationDetails, ResourceDetails } from './resource-details.ts';

export function resourceOverview(details: ResourceDetails): Block[] {
  return [
    paragraph(toSentence(details.summary)),
    ...keyBlocks(details),
    ...section('Commands', [
      terms(
        details.commands.map(({ command, about, scopes, made_of }) => ({
          term: command,
          text: `${about}; ${made_of.length > 0 ? `calls ${joinWords(made_of)}` : formatScopes(scopes)}`,
        })),
      ),
    ]),
    ...section('Fields', [
      terms(details.fields.filter(isTop).map(({ name, about }) => ({ term: lastPart(name), text: about }))),
    ]),
    ...section('Filters', filterBlocks(details)),
    ...listBlocks(details),
    paragraph(`More: boh explain ${details.name}.FIELD, or ${details.name}.VERB`),
  ];
}

/** Returns the page: all commands with flags and an example, and all fields with their rules. */
export function resourcePage(details: ResourceDetails): ReferencePage {
  return {
    name: details.name,
    summary: details.summary,
    blocks: [
      paragraph(`${toSentence(details.summary)} In the API: \`${details.path}\`.`),
      ...keyBlocks(details),
      heading('Commands'),
      ...details.commands.flatMap(commandBlocks),
      ...section('Fields', [fieldTable(details.fields)]),
      ...section('Values', wordTerms(details.fields)),
      ...section('Filters', filterBlocks(details)),
      ...listBlocks(details),
    ],
  };
}

function keyBlocks({ natural_key: key, noun }: ResourceDetails): Block[] {
  if (key.length === 0) return [];
  return [paragraph(`@VALUE finds the ${noun} by ${joinWords(key, 'or')}.`)];
}

function commandBlocks(details: OperationDetails): Block[] {
  const { command, about, input, example } = details;
  return [
    heading(command, 3),
    paragraph(`${toSentence(about)} ${describeRequest(details)}`),
    code(example),
    ...inputBlocks(input),
  ];
}

function describeRequest({ method, path, scopes, made_of }: OperationDetails): string {
  if (made_of.length > 0) return `Calls ${joinWords(made_of)}, and needs their scopes.`;
  const scope =
    scopes.length === 0
      ? "The API document doesn't name the scope."
      : `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  return `\`${method} ${path}\`. ${scope}`;
}

function fieldTable(fields: readonly FieldDetails[]): Block {
  const rows = fields.map((details) => [
    `\`${lastPart(details.name)}\``,
    toSentence(details.about),
    details.unit === null ? linkedType(details) : `${details.type}, in ${details.unit}`,
    [...details.rules, ...describeAccess(details)].join(' '),
  ]);
  return table(['field', 'description', 'type', 'rules'], rows);
}

function linkedType({ type, related }: FieldDetails): string {
  return related === null ? type : `[${type}](${related}.md)`;
}

function describeAccess({ written_by, shown_only_with, changed_only_with }: FieldDetails): string[] {
  const required = written_by.filter((write) => write.required).map(({ command }) => command);
  return [
    ...(required.length > 0 ? [`Required by ${joinWords(required)}.`] : []),
    ...(written_by.length === 0 ? ['Read-only.'] : []),
    ...(shown_only_with ? [`Shown only with \`${shown_only_with}\`.`] : []),
    ...(changed_only_with ? [`Changed only with \`${changed_only_with}\`.`] : []),
  ];
}

function wordTerms(fields: readonly FieldDetails[]): Block[] {
  const fieldsWithWords = fields.filter(({ words }) => words.length > 0);
  if (fieldsWithWords.length === 0) return [];
  const entries = fieldsWithWords.map(({ name, words }) => {
    const hasMeanings = words.some(({ meaning }) => meaning);
    const descriptions = words.map(
      ({ word, value, meaning }) =>
        `\`${word}\`${value === word ? '' : ` (${value})`}${meaning ? `: ${meaning}` : ''}`,
    );
    return { term: `\`${lastPart(name)}\``, text: hasMeanings ? descriptions : descriptions.join(', ') };
  });
  return [terms(entries)];
}

function filterBlocks({ filters }: ResourceDetails): Block[] {
  if (filters.length === 0) return [];
  const rows = filters.map((filter) => [`\`${filter.flag}\``, describeFilter(filter)]);
  return [table(['flag', 'which records match'], rows)];
}

/** Returns the description of a filter, with its kind of match unless the description contains it. */
function describeFilter({ about, keeps, match }: FilterDetails): string {
  const notes: Partial<Record<Match, string>> = {
    equals: keeps === relatedDescription ? 'ID or @NAME' : 'exact match',
    contains: 'part of the text',
    unknown: 'not documented',
  };
  return notes[match] === undefined ? about : `${about} (${notes[match]})`;
}

function listBlocks({ includes, sorts }: ResourceDetails): Block[] {
  return [
    ...(includes.length > 0
      ? section('Relations', [paragraph(`--include accepts: ${includes.join(', ')}.`)])
      : []),
    ...(sorts.length > 0
      ? section('Order', [
          paragraph(
            `The service sorts by ${sorts.join(', ')}; with a leading - in descending order. By other columns, list --sort sorts itself.`,
          ),
        ])
      : []),
  ];
}

function isTop({ name }: FieldDetails): boolean {
  return name.split('.').length === 2;
}

function lastPart(name: string): string {
  return name.split('.').slice(1).join('.');
}
