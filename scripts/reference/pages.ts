/** Lists all generated pages: docs/reference/ and man/. */

import { capitalize } from '../../src/api/contract/wording.ts';
import {
  type Block,
  code,
  heading,
  paragraph,
  type ReferencePage,
  section,
  table,
  terms,
} from '../../src/api/reference/blocks.ts';
import { resourcePage } from '../../src/api/reference/resource-blocks.ts';
import { resourceDetails } from '../../src/api/reference/resource-details.ts';
import { topics } from '../../src/api/reference/topics.ts';
import { api } from '../../src/api/resources/index.ts';
import { globalOptions } from '../../src/cli/commands/globals.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { rulePage } from '../../src/engine/lint/describe-rules.ts';
import { rules } from '../../src/engine/lint/rules/index.ts';
import { commandPages, flagsPage, otherVerbBlocks } from './command-pages.ts';
import { presetsPage } from './presets-page.ts';
import { environment, settingsPage } from './settings-page.ts';

/** Returns the Markdown pages: an index, a page for each resource, topic, command and rule, flags, and settings. */
export async function documentPages(): Promise<ReferencePage[]> {
  const general = [...topicPages(), rulesPage(), await flagsPage(), settingsPage(), await presetsPage()];
  const commands = await commandPages();
  const rulePages = rules.map((rule) => rulePage(rule, api));
  return [index(general, commands), ...resourcePages(), ...general, ...commands, ...rulePages];
}

/** Returns the man pages: `boh`, and a page for each resource and command, such as `boh-suppliers`. */
export async function manualPages(): Promise<ReferencePage[]> {
  const commands = await commandPages();
  const pages = [...resourcePages(), ...commands].map((page) => ({
    ...page,
    name: `boh-${page.name}`,
  }));
  return [mainManual(), ...pages.map(withSynopsis)];
}

function resourcePages(): ReferencePage[] {
  return api.resources.map((resource) => {
    const page = resourcePage(resourceDetails(resource));
    return { ...page, title: `boh ${page.name}`, blocks: [...page.blocks, ...otherVerbBlocks(resource)] };
  });
}

/** Returns the index of the lint rules; each rule has its own page. */
function rulesPage(): ReferencePage {
  const rows = rules.map(({ name, severity, summary }) => [`[${name}](rules/${name}.md)`, severity, summary]);
  return {
    name: 'rules',
    title: 'Rules of boh lint',
    summary: 'Rules of boh lint',
    blocks: [
      paragraph('The rules of `boh lint`. In a terminal: `boh explain rules` and `boh explain RULE`.'),
      table(['rule', 'severity', 'findings'], rows),
    ],
  };
}

function topicPages(): ReferencePage[] {
  return topics.map(({ name, summary, blocks }) => ({ name, title: summary, summary, blocks: blocks(api) }));
}

/** The pages of docs/reference/ that are written by hand. */
const writtenPages = [
  { name: 'scripting', summary: 'Output, failures, prompts, runs at the same time, and what is stable' },
  { name: 'manifests', summary: 'Files for plan, apply, diff, pull and rehearse' },
  { name: 'sandbox-rules', summary: 'Content and behavior of the sandbox' },
  { name: 'deployments', summary: 'Requests and responses, and settings for services that differ' },
];

function index(general: readonly ReferencePage[], commands: readonly ReferencePage[]): ReferencePage {
  const links = (pages: readonly { name: string; summary: string }[]) =>
    table(
      ['page', 'description'],
      pages.map(({ name, summary }) => [`[${name}](${name}.md)`, summary]),
    );
  const groups = Map.groupBy(resourcePages(), ({ name }) => api.findResource(name)?.group);
  const intro =
    'All resources with their commands, fields and filters, all other commands, and the formats that they share. In a terminal: `boh explain` and `man boh`.';
  return {
    name: 'README',
    title: 'Reference',
    summary: 'Reference',
    blocks: [
      paragraph(intro),
      ...section('General', [links([...writtenPages, ...general])]),
      ...[...groups].flatMap(([group = '', pages]) => section(capitalize(group), [links(pages)])),
      ...section('Other commands', [links(commands)]),
    ],
  };
}

function mainManual(): ReferencePage {
  const [errors, ...otherTopics] = topicPages();
  const resourceTerms = api.resources.map(({ command, summary }) => ({ term: command, text: summary }));
  const commandTerms = handWritten
    .filter(({ hidden }) => !hidden)
    .map(({ name, summary }) => ({ term: name, text: summary }));
  return {
    name: 'boh',
    summary: 'the back office of a restaurant or shop, from the command line',
    blocks: [
      ...section('Synopsis', [code('boh [flags] <resource> <verb> [ID...] [flags]')]),
      ...section('Description', description),
      ...section('Resources', [terms(resourceTerms)]),
      ...section('Commands', [terms(commandTerms)]),
      ...section('Flags', [
        terms(globalOptions.map(({ flags, description: about }) => ({ term: flags, text: about }))),
      ]),
      ...section('Environment', environment()),
      ...section('Exit status', errors?.blocks ?? []),
      ...otherTopics
        .filter(({ name }) => name !== 'scopes')
        .flatMap(({ name, blocks }) => section(name, lowerHeadings(blocks))),
      ...section('Examples', [code(...examples)]),
    ],
  };
}

/** Lowers the level of headings, for blocks inside a section of the manual. */
function lowerHeadings(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => (block.kind === 'heading' ? { ...block, level: 3 } : block));
}

const description = [
  paragraph(
    'boh is a command line for a business-management API. Each resource has the verbs that the API has for it, such as list, get, create, update, delete and restore. @NAME finds a record by name instead of ID. With --sandbox, boh uses an embedded service, which needs no account and no network.',
  ),
  paragraph(
    'On a terminal, results are tables, and boh prompts for missing values. Elsewhere results are JSON, and boh never prompts. Only results go to standard output.',
  ),
];

const examples = [
  'boh --sandbox customers list',
  'boh --sandbox inventory-items get @SKU-001',
  'boh auth login',
  'boh customers list --updated-after 7d -o csv',
];

function withSynopsis(page: ReferencePage): ReferencePage {
  const usage = page.name.replace('boh-', 'boh ');
  const seeAlso = 'Global flags: boh(1).';
  return {
    ...page,
    blocks: [
      ...section('Synopsis', [code(`${usage} ${usage === 'boh whoami' ? '' : '... '}[flags]`)]),
      heading('Description'),
      ...page.blocks,
      ...section('See also', [paragraph(seeAlso)]),
    ],
  };
}
