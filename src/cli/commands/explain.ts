/** `boh explain NAME`: describes a field, command, scope or error, from the contract. */

import type { Api } from '../../api/contract/api.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { type Block, paragraph, section, terms } from '../../api/reference/blocks.ts';
import { fieldBlocks, filterBlocks, operationBlocks } from '../../api/reference/field-blocks.ts';
import { fieldDetails } from '../../api/reference/field-details.ts';
import { filterDetails } from '../../api/reference/filter-details.ts';
import { toSentence } from '../../api/reference/operation-summary.ts';
import { formatPlainText } from '../../api/reference/plain-text.ts';
import { resourceOverview } from '../../api/reference/resource-blocks.ts';
import { operationDetails, resourceDetails } from '../../api/reference/resource-details.ts';
import { findSubject, listSubjects, type Subject, searchSubjects } from '../../api/reference/subjects.ts';
import { scopeDescription, scopeDetails, topics } from '../../api/reference/topics.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import { ruleBlocks, ruleListBlocks, ruleProperties, ruleSummary } from '../../engine/lint/describe-rules.ts';
import { rules } from '../../engine/lint/rules/index.ts';
import type { Context } from '../context/context.ts';
import type { DisplayOptions, Result } from '../output/result.ts';
import { createPaint } from '../terminal/color.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';
import type { HandWritten } from './hand-written.ts';

export function explainCommand(context: Context, handWritten: readonly HandWritten[]): Command {
  return createCommand(context, {
    name: 'explain',
    about: 'Describe a field, command, scope or error. Without a name, list all topics and resources.',
    args: [['[name...]', 'for example customers, customers.gender, customers create, users.read or errors']],
    flags: [['--search <words>', 'list all entries that contain these words']],
    examples: ['boh explain inventory-items.par_level', 'boh explain --search loyalty'],
    run: async ([names], { search }) =>
      search === undefined
        ? ((await explainHandWritten(names, handWritten, context)) ?? explain(names, context.api))
        : searchResult(search, context.api),
  });
}

/** Returns the summary of a command that isn't generated from the contract; undefined if there is none. Its help has the flags. */
async function explainHandWritten(
  names: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<Result | undefined> {
  const [name, ...subcommandNames] = names.join('.').split('.');
  const declaration = handWritten.find((entry) => entry.name === name && !entry.hidden);
  if (!declaration) return undefined;
  let command: Pick<Command, 'commands'> | undefined = await declaration.load(context, subcommandNames);
  let about = declaration.summary;
  for (const subcommandName of subcommandNames) {
    const subcommand: Command | undefined = command?.commands.find(
      (entry) => entry.name() === subcommandName,
    );
    about = subcommand?.summary() || subcommand?.description() || about;
    command = subcommand;
  }
  if (!command) return undefined;
  const title = `boh ${[declaration.name, ...subcommandNames].join(' ')}`;
  const details = { name: [declaration.name, ...subcommandNames].join('.'), about };
  const help = `Flags and examples: ${title} --help`;
  return detailsResult(details, section(title, [paragraph(toSentence(about)), paragraph(help)]));
}

/** Explains a name. `boh explain customers create` is the same as `customers.create`. */
async function explain(names: readonly string[], api: Api): Promise<Result> {
  if (names.length === 0) return listContents(api);
  const name = names.join('.');
  const subject = findSubject(name, api);
  if (!subject)
    return explainRule(names.join(' '), api) ?? Promise.reject(await unknownNameFailure(name, api));
  const { title, details, blocks } = explainSubject(subject, api);
  return detailsResult(details, section(title, blocks));
}

/** Returns the explanation of a rule of `boh lint`, or the list of all rules. */
function explainRule(name: string, api: Api): Result | undefined {
  if (name === 'rules') return detailsResult(rules.map(ruleSummary), ruleListBlocks(rules));
  const rule = rules.find((candidate) => candidate.name === name);
  return rule && detailsResult(ruleProperties(rule, api), section(rule.name, ruleBlocks(rule, api)));
}

/** Returns the explanation of a subject: details for scripts, and blocks of text for people. */
function explainSubject(subject: Subject, api: Api): { title: string; details: unknown; blocks: Block[] } {
  switch (subject.kind) {
    case 'topic': {
      const { name, summary, data: details, blocks } = subject.topic;
      return { title: `${name}: ${summary}`, details: details(api), blocks: blocks(api) };
    }
    case 'failure': {
      const { category, exit_code, when, remedy } = subject.failure;
      const blocks = [
        paragraph(toSentence(capitalize(when))),
        terms([
          { term: 'Exit code', text: String(exit_code) },
          { term: 'What to do', text: remedy },
        ]),
      ];
      return { title: category, details: subject.failure, blocks };
    }
    case 'scope': {
      const details = scopeDetails(subject.scope, api);
      return { title: subject.scope, details, blocks: scopeDescription(details) };
    }
    case 'resource': {
      const details = resourceDetails(subject.resource);
      return { title: details.name, details, blocks: resourceOverview(details) };
    }
    case 'operation': {
      const details = operationDetails(subject.operation);
      return { title: `boh ${details.command}`, details, blocks: operationBlocks(details) };
    }
    case 'field': {
      const details = fieldDetails(subject.location);
      return { title: details.name, details, blocks: fieldBlocks(details) };
    }
    case 'filter': {
      const details = filterDetails(subject.filter);
      const title = `${subject.resource.command}.${details.name} (a filter)`;
      return { title, details, blocks: filterBlocks(details) };
    }
  }
}

function listContents(api: Api): Result {
  const entries = [
    ...topics.map(({ name, summary }) => ({ name, about: summary })),
    { name: 'rules', about: 'Rules of boh lint' },
    ...api.resources.map(({ command, summary }) => ({ name: command, about: summary })),
  ];
  return detailsResult(entries, [
    paragraph('Usage: boh explain NAME. Topics and resources:'),
    terms(entries.map(({ name, about }) => ({ term: name, text: about }))),
    paragraph('Also: boh explain customers.gender, boh explain customers create, boh explain --search WORDS'),
  ]);
}

function searchResult(searchWords: string, api: Api): Result {
  const subjects = searchSubjects(searchWords, api);
  const entries = subjects.map(({ name, about }) => ({ term: name, text: about }));
  return {
    ...detailsResult(subjects, [
      entries.length === 0 ? paragraph(`No matches for "${searchWords}".`) : terms(entries),
    ]),
    notes: [boh.hint`Matches: ${String(subjects.length)}. For details: ${boh.plain('explain', 'NAME')}`],
  };
}

function detailsResult(details: unknown, blocks: readonly Block[]): Result {
  const text = ({ width, color }: DisplayOptions) =>
    formatPlainText(blocks, { width, strong: createPaint(color).bold });
  return { kind: 'data', data: details, idField: 'name', isForPeople: true, text };
}

async function unknownNameFailure(name: string, api: Api) {
  const names = listSubjects(api).map((entry) => entry.name);
  const lastPart = name.split('.').at(-1) ?? name;
  return usage(`Nothing found for "${name}".${didYouMean(name, names)}`, {
    hint: boh.hint`To search for it: ${boh.plain('explain', '--search', /^[\w-]+$/.test(lastPart) ? lastPart : 'WORDS')}`,
  });
}
