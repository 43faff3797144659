/** Defines the topics of `boh explain` other than resources: exit codes, formats, scopes, filters, names and dates. */
import type { Api } from '../contract/api.ts';
import { listCommandWith } from '../contract/include.ts';
import { type Scope, scopeNames, scopes } from '../contract/scope.ts';
import { capitalize } from '../contract/wording.ts';
import { type Block, paragraph, section, table, terms } from './blocks.ts';
import { failureCategories } from './failure-categories.ts';
import { everyField } from './field-location.ts';
import { matchDescriptions } from './filter-details.ts';
import { joinWords, toSentence } from './operation-summary.ts';
import { commaAdvice } from './value-descriptions.ts';

/** A topic of `boh explain`. */
export interface Topic {
  name: string;
  summary: string;
  blocks(api: Api): Block[];
  data(api: Api): unknown;
}

export const topics: readonly Topic[] = [
  {
    name: 'errors',
    summary: 'Failures and their exit codes',
    blocks: errorBlocks,
    data: () => failureCategories,
  },
  { name: 'formats', summary: 'Output formats', blocks: formatBlocks, data: () => formatDescriptions },
  { name: 'scopes', summary: 'Scopes of tokens', blocks: scopeBlocks, data: allScopeDetails },
  { name: 'filters', summary: 'Filters of lists', blocks: filterBlocks, data: () => matchDescriptions },
  { name: 'names', summary: 'Finding records by name with @', blocks: nameBlocks, data: naturalKeys },
  { name: 'dates', summary: 'Formats of dates and times', blocks: dateBlocks, data: () => dateFormats },
];

/** Returns the topic with this name; undefined if there is none. */
export function findTopic(name: string): Topic | undefined {
  return topics.find((topic) => topic.name === name);
}

function errorBlocks(): Block[] {
  return [
    paragraph('Every failure has one of these categories, with its exit code. 0 means success.'),
    table(
      ['exit code', 'category', 'when', 'what to do'],
      failureCategories.map(({ category, exit_code, when, remedy }) => [
        String(exit_code),
        `\`${category}\``,
        toSentence(capitalize(when)),
        remedy,
      ]),
    ),
    paragraph(
      "If several records all fail for the same reason, the exit code is that of the reason. A comparison exits with 9 if it found no differences, but could not compare all data. `boh sandbox run` exits with the code of its command, with 126 if it can't be run, or with 127 if it doesn't exist.",
    ),
    paragraph(
      'With -o json and -o ndjson (the default without a terminal), and in any format with BOH_ERRORS=json (never with BOH_ERRORS=text), the last line of stderr is a JSON object: `{"error": {"category", "exit_code", "status", "message", "fields", "request", "hint"}}`. Absent values are null. These keys are added if they apply:',
    ),
    terms([
      {
        term: '`outcome`',
        text: 'for commands that write. `not_sent`: nothing was changed; `unknown`: the write may be applied, so check first; `done`: the write is applied, or some of several are',
      },
      { term: '`retry_after`', text: 'seconds until the next request is allowed' },
      {
        term: '`problems`',
        text: 'for an invalid row of a run: `{"column", "what"}` for each problem; `fields` has them by column',
      },
      {
        term: '`failures`',
        text: 'for several records: `{"id", "category", "message"}` for each record that failed',
      },
    ]),
  ];
}

/** Descriptions of the values of `-o`. */
const formatDescriptions = {
  table: 'A table or a card; the default on a terminal.',
  json: "One record for get, create and update, an array for lists; the default without a terminal. If a list is interrupted, the array isn't closed, so that parsers reject it.",
  ndjson: 'One record per line, as pages arrive.',
  csv: "RFC 4180: rows end with CR LF. Values are exact. --bom is for spreadsheets: it adds a byte order mark, and an apostrophe to text that would run as a formula, except phones and signed numbers. An empty list has only the header; a list that can't be read has none. With --query: a column for each field, with dots for nested objects; columns 1, 2, … for lists; and `value` for single values.",
  yaml: 'A mapping, or a sequence for lists.',
  markdown: 'A table, in which all text is escaped. plan and diff write a row for each changed field.',
  compact:
    'For programs with a budget of tokens: the number of rows and the columns, then a line for each record with the columns of its table. The default if a variable of a coding agent is set (AI_AGENT, CLAUDECODE, CURSOR_AGENT, GEMINI_CLI, CODEX_SANDBOX, OPENCODE) and standard output is not a terminal.',
  id: 'One ID per line; for changes of several records, the IDs of those that succeeded.',
};

function formatBlocks(): Block[] {
  return [
    paragraph(
      'The flag -o sets the format of results. Without it, BOH_OUTPUT does; on a terminal, also the setting `output`. --output-text FIELD prints one field, a line for each record. --columns a,b,tags.name selects fields, --query applies JMESPath to the whole result, and --raw prints each body unchanged, with secret fields redacted. Flags without effect are refused before anything is sent: --columns with -o id, --wide or --local-time without a table, --bom without CSV, and --raw with --limit.',
    ),
    terms(Object.entries(formatDescriptions).map(([term, text]) => ({ term, text }))),
    paragraph(
      'explain, doctor and version print text unless a format is set; help prints text unless the command line sets a format. The default of bulk runs is ndjson.',
    ),
  ];
}

function scopeBlocks(api: Api): Block[] {
  return [
    paragraph('The scopes of a token decide what it can read and write. `boh whoami` shows yours.'),
    ...allScopeDetails(api).flatMap((data) => section(data.scope, scopeDescription(data), 3)),
  ];
}

export function scopeDescription({ about, commands, shows, changes }: ScopeDetails): Block[] {
  const access = [
    { term: 'Commands', text: commands },
    { term: 'Shows', text: shows },
    { term: 'Changes', text: changes },
  ].filter(({ text }) => text.length > 0);
  const block = terms(access.map(({ term, text }) => ({ term, text: text.join(', ') })));
  return [paragraph(toSentence(about)), ...(access.length > 0 ? [block] : [])];
}

function filterBlocks(): Block[] {
  return [
    paragraph(
      'Every filter of the API is a flag: --tags-id for tags.id. Records must match all given flags. Separate several words or numbers with commas: --status draft,closed.',
    ),
    ...section('Which records match', [
      terms(
        Object.entries(matchDescriptions).map(([match, keeps]) => ({
          term: match.replaceAll('_', ' '),
          text: keeps,
        })),
      ),
    ]),
    paragraph('--filter KEY=VALUE sends any other filter. `boh explain RESOURCE` lists the documented ones.'),
  ];
}

function nameBlocks(api: Api): Block[] {
  return [
    paragraph(
      'Instead of an ID, @VALUE finds a record by its natural key, and @FIELD:VALUE by any filter: @"Fresh Farms", @phone:551234567. If several records match, the command fails and lists them.',
    ),
    paragraph(`${commaAdvice}. Inside quotes, write "" for a quote.`),
    ...section('Natural keys', [
      terms(naturalKeys(api).map(({ resource, key }) => ({ term: resource, text: key.join(', then ') }))),
    ]),
    ...unlistedRecordBlocks(api),
  ];
}

/** Describes how @NAME finds records of kinds that the API has no list of. */
function unlistedRecordBlocks(api: Api): Block[] {
  const fieldNames = api.references.filter(({ isNamed }) => isNamed).map(({ name }) => name);
  const lists = fieldNames.flatMap((name) => listCommandWith(api, name) ?? []);
  if (lists.length === 0) return [];
  const accountSource = api.account ? `${api.account.command} and from ` : '';
  return section('Records without a list', [
    paragraph(
      `The API has no list of ${joinWords(fieldNames.map(api.nounsOf))}. @NAME finds them by the names in responses of the last month: from ${accountSource}lists that show them, such as \`boh ${lists.at(-1)}\`. For other records, use the ID.`,
    ),
  ]);
}

function naturalKeys({ resources }: Api): { resource: string; key: readonly string[] }[] {
  return resources
    .filter(({ key }) => key.length > 0)
    .map(({ command, key }) => ({ resource: command, key }));
}

const dateFormats = {
  day: 'YYYY-MM-DD, such as 2026-11-20',
  moment: 'YYYY-MM-DD HH:MM:SS, always UTC, such as 2026-11-20 08:30:00',
  'with a zone': 'in filters, ISO 8601: 2026-11-20T11:30:00+03:00',
  ago: 'in filters, a number with m, h, d or w: 90m, 12h, 7d, 2w',
};

function dateBlocks(): Block[] {
  return [
    paragraph(
      'The service uses UTC. A terminal shows times in the time zone of the setting `time_zone`, or of this machine; output for programs has UTC. --local-time shows the time zone of this machine in any table.',
    ),
    terms(Object.entries(dateFormats).map(([term, text]) => ({ term, text }))),
  ];
}

/** The commands and fields that a scope gives access to. */
interface ScopeDetails {
  scope: Scope;
  about: string;
  commands: string[];
  /** Fields that only tokens with this scope can read. */
  shows: string[];
  /** Fields, or some of their values, that only tokens with this scope can write. */
  changes: string[];
}

/** Returns the commands and fields that a scope gives access to. */
export function scopeDetails(scope: Scope, api: Api): ScopeDetails {
  const fields = api.resources.flatMap(everyField);
  const fieldNames = (chosen: typeof fields) =>
    chosen.map(({ resource, path }) => [resource.command, ...path].join('.'));
  return {
    scope,
    about: scopes[scope],
    commands: api.operations
      .filter((operation) => operation.scopes.includes(scope))
      .map(({ command }) => command),
    shows: fieldNames(fields.filter(({ field }) => field.traits.readScope === scope)),
    changes: fieldNames(fields.filter(({ field }) => field.traits.writeScope === scope)),
  };
}

export function allScopeDetails(api: Api): ScopeDetails[] {
  return scopeNames.map((scope) => scopeDetails(scope, api));
}
