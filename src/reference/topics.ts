/** What can be explained besides the resources: exit codes, scopes, and how records are found. */
import type { Api } from '../contract/api.ts';
import { listShowing } from '../contract/include.ts';
import { type Scope, scopeNames, scopes } from '../contract/scope.ts';
import { capitalized } from '../contract/wording.ts';
import { type Block, paragraph, section, table, terms } from './blocks.ts';
import { failures } from './failure-words.ts';
import { everyField } from './field-place.ts';
import { matchWords } from './filter-facts.ts';
import { asSentence, listed } from './operation-words.ts';
import { commaAdvice } from './value-words.ts';

export interface Topic {
  name: string;
  summary: string;
  blocks(api: Api): Block[];
  /** The same for scripts. */
  facts(api: Api): unknown;
}

export const topics: readonly Topic[] = [
  { name: 'errors', summary: 'Failures and their exit codes', blocks: errorBlocks, facts: () => failures },
  { name: 'scopes', summary: 'What a token may do', blocks: scopeBlocks, facts: allScopeFacts },
  { name: 'filters', summary: 'How lists are narrowed down', blocks: filterBlocks, facts: () => matchWords },
  { name: 'names', summary: 'How @ finds a record', blocks: nameBlocks, facts: keysOf },
  { name: 'dates', summary: 'How days and moments are written', blocks: dateBlocks, facts: () => dateForms },
];

export function topicNamed(name: string): Topic | undefined {
  return topics.find((topic) => topic.name === name);
}

function errorBlocks(): Block[] {
  return [
    paragraph('Every failure has one of these categories; scripts see its exit code. 0 means done.'),
    table(
      ['exit code', 'category', 'when', 'what helps'],
      failures.map(({ category, exit_code, when, remedy }) => [
        String(exit_code),
        `\`${category}\``,
        asSentence(capitalized(when)),
        remedy,
      ]),
    ),
    paragraph(
      'With -o json and -o ndjson, and in any format with BOH_ERRORS=json, the last line of stderr is a JSON object: `{"error": {"category", "exit_code", "status", "message", "fields", "request", "hint"}}`.',
    ),
    paragraph(
      'Where they apply there are also: `outcome` of a write that failed (`not_sent`, `unknown`, `done`), `retry_after` in seconds, and `failures`, one `{"id", "category", "message"}` for each record of several.',
    ),
  ];
}

function scopeBlocks(api: Api): Block[] {
  return [
    paragraph('A token allows what its scopes open. `boh whoami` shows those of yours.'),
    ...allScopeFacts(api).flatMap((facts) => section(facts.scope, scopeTerms(facts), 3)),
  ];
}

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
      'Every filter that the API has for a list is a flag of its own: --tags-id for tags.id. Of several flags a record must meet all. Words and numbers can be several, with commas: --status draft,closed.',
    ),
    ...section('How a filter chooses', [
      terms(
        Object.entries(matchWords).map(([match, keeps]) => ({
          term: match.replaceAll('_', ' '),
          text: keeps,
        })),
      ),
    ]),
    paragraph(
      '--filter KEY=VALUE passes on a filter that boh doesn’t know. `boh explain RESOURCE` lists those it knows.',
    ),
  ];
}

function nameBlocks(api: Api): Block[] {
  return [
    paragraph(
      'Wherever an id goes, @VALUE looks the record up by what people call it, and @FIELD:VALUE by a filter of your choice: @"Fresh Farms", @phone:551234567. Where several records match, none is taken: they are shown instead.',
    ),
    paragraph(`${commaAdvice}. Within quotes, "" stands for one.`),
    ...section('What @VALUE looks at', [
      terms(keysOf(api).map(({ resource, key }) => ({ term: resource, text: key.join(', then ') }))),
    ]),
    ...learnedBlocks(api),
  ];
}

/** Of records that the API has no list of. */
function learnedBlocks(api: Api): Block[] {
  const named = api.references.filter(({ isNamed }) => isNamed).map(({ name }) => name);
  const lists = named.flatMap((name) => listShowing(api, name) ?? []);
  if (lists.length === 0) return [];
  const who = api.account ? `${api.account.command} and from ` : '';
  return section('Names that are learned', [
    paragraph(
      `The API has no list of ${listed(named.map(api.nounsOf))}. @NAME finds them by names that answers have shown within a month, learned from ${who}lists that show them, such as \`boh ${lists.at(-1)}\`. One that was never seen is given by its id.`,
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
    paragraph('The service keeps time in UTC. --local-time shows it in the time of this machine.'),
    terms(Object.entries(dateForms).map(([term, text]) => ({ term, text }))),
  ];
}

/** What each scope opens: the commands that need it, and the fields that it shows or lets change. */
interface ScopeFacts {
  scope: Scope;
  about: string;
  commands: string[];
  /** Fields that only tokens with this scope are shown. */
  shows: string[];
  /** Fields, or some of their values, that only tokens with this scope can write. */
  changes: string[];
}

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

export function allScopeFacts(api: Api): ScopeFacts[] {
  return scopeNames.map((scope) => scopeFacts(scope, api));
}
