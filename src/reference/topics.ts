/** Topics of `boh explain` other than resources: exit codes, scopes, filters, names and dates. */
import type { Api } from '../contract/api.ts';
import { listCommandWith } from '../contract/include.ts';
import { type Scope, scopeNames, scopes } from '../contract/scope.ts';
import { capitalize } from '../contract/wording.ts';
import { type Block, paragraph, section, table, terms } from './blocks.ts';
import { failures } from './failure-words.ts';
import { everyField } from './field-place.ts';
import { matchWords } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import { commaAdvice } from './value-words.ts';

/** A topic of `boh explain`. */
export interface Topic {
  name: string;
  summary: string;
  blocks(api: Api): Block[];
  /** The same facts for scripts. */
  facts(api: Api): unknown;
}

/** All topics. */
export const topics: readonly Topic[] = [
  { name: 'errors', summary: 'Failures and their exit codes', blocks: errorBlocks, facts: () => failures },
  { name: 'scopes', summary: 'Scopes of tokens', blocks: scopeBlocks, facts: allScopeFacts },
  { name: 'filters', summary: 'Filters of lists', blocks: filterBlocks, facts: () => matchWords },
  { name: 'names', summary: 'Finding records by name with @', blocks: nameBlocks, facts: keysOf },
  { name: 'dates', summary: 'Formats of dates and times', blocks: dateBlocks, facts: () => dateForms },
];

/** Returns the topic with this name; undefined if there is none. */
export function topicNamed(name: string): Topic | undefined {
  return topics.find((topic) => topic.name === name);
}

function errorBlocks(): Block[] {
  return [
    paragraph('Every failure has one of these categories, with its exit code. 0 means success.'),
    table(
      ['exit code', 'category', 'when', 'what to do'],
      failures.map(({ category, exit_code, when, remedy }) => [
        String(exit_code),
        `\`${category}\``,
        asSentence(capitalize(when)),
        remedy,
      ]),
    ),
    paragraph(
      'With -o json and -o ndjson, and in any format with BOH_ERRORS=json, the last line of stderr is a JSON object: `{"error": {"category", "exit_code", "status", "message", "fields", "request", "hint"}}`.',
    ),
    paragraph(
      'Optional keys: `outcome` of a failed write (`not_sent`, `unknown`, `done`), `retry_after` in seconds, and `failures`, with `{"id", "category", "message"}` for each record that failed.',
    ),
  ];
}

function scopeBlocks(api: Api): Block[] {
  return [
    paragraph('The scopes of a token decide what it can read and write. `boh whoami` shows yours.'),
    ...allScopeFacts(api).flatMap((facts) => section(facts.scope, scopeTerms(facts), 3)),
  ];
}

/** Describes a scope. */
export function scopeTerms({ about, commands, shows, changes }: ScopeFacts): Block[] {
  const all = [
    { term: 'Commands', text: commands },
    { term: 'Shows', text: shows },
    { term: 'Changes', text: changes },
  ].filter(({ text }) => text.length > 0);
  const block = terms(all.map(({ term, text }) => ({ term, text: text.join(', ') })));
  return [paragraph(asSentence(about)), ...(all.length > 0 ? [block] : [])];
}

function filterBlocks(): Block[] {
  return [
    paragraph(
      'Every filter of the API is a flag: --tags-id for tags.id. Records must match all given flags. Separate several words or numbers with commas: --status draft,closed.',
    ),
    ...section('Which records match', [
      terms(
        Object.entries(matchWords).map(([match, keeps]) => ({
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
      terms(keysOf(api).map(({ resource, key }) => ({ term: resource, text: key.join(', then ') }))),
    ]),
    ...learnedBlocks(api),
  ];
}

/** Describes names of records that the API has no list of. */
function learnedBlocks(api: Api): Block[] {
  const named = api.references.filter(({ isNamed }) => isNamed).map(({ name }) => name);
  const lists = named.flatMap((name) => listCommandWith(api, name) ?? []);
  if (lists.length === 0) return [];
  const who = api.account ? `${api.account.command} and from ` : '';
  return section('Records without a list', [
    paragraph(
      `The API has no list of ${listed(named.map(api.nounsOf))}. @NAME finds them by the names in responses of the last month: from ${who}lists that show them, such as \`boh ${lists.at(-1)}\`. For other records, use the ID.`,
    ),
  ]);
}

function keysOf({ resources }: Api): { resource: string; key: readonly string[] }[] {
  return resources
    .filter(({ key }) => key.length > 0)
    .map(({ command, key }) => ({ resource: command, key }));
}

const dateForms = {
  day: 'YYYY-MM-DD, such as 2026-11-20',
  moment: 'YYYY-MM-DD HH:MM:SS, always UTC, such as 2026-11-20 08:30:00',
  'with a zone': 'in filters, ISO 8601: 2026-11-20T11:30:00+03:00',
  ago: 'in filters, a number with m, h, d or w: 90m, 12h, 7d, 2w',
};

function dateBlocks(): Block[] {
  return [
    paragraph('The service uses UTC. --local-time shows times in the time zone of this machine.'),
    terms(Object.entries(dateForms).map(([term, text]) => ({ term, text }))),
  ];
}

/** What a scope allows: commands, and fields that it shows or changes. */
interface ScopeFacts {
  scope: Scope;
  about: string;
  commands: string[];
  /** Fields that are shown only to tokens with this scope. */
  shows: string[];
  /** Fields, or some of their values, that only tokens with this scope can write. */
  changes: string[];
}

/** Returns what a scope allows. */
export function scopeFacts(scope: Scope, api: Api): ScopeFacts {
  const fields = api.resources.flatMap(everyField);
  const named = (chosen: typeof fields) =>
    chosen.map(({ resource, path }) => [resource.command, ...path].join('.'));
  return {
    scope,
    about: scopes[scope],
    commands: api.operations.filter((it) => it.scopes.includes(scope)).map(({ command }) => command),
    shows: named(fields.filter(({ field }) => field.traits.readScope === scope)),
    changes: named(fields.filter(({ field }) => field.traits.writeScope === scope)),
  };
}

/** Returns what each scope allows. */
export function allScopeFacts(api: Api): ScopeFacts[] {
  return scopeNames.map((scope) => scopeFacts(scope, api));
}
