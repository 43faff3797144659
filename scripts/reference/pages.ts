/** The list of all pages: what docs/reference/ holds, and what man shows. */

import { globalOptions } from '../../src/commands/globals.ts';
import { handWritten } from '../../src/commands/index.ts';
import { capitalized } from '../../src/contract/wording.ts';
import { rulePage } from '../../src/lint/describe-rules.ts';
import { rules } from '../../src/lint/rules/index.ts';
import {
  type Block,
  code,
  heading,
  type Page,
  paragraph,
  section,
  table,
  terms,
} from '../../src/reference/blocks.ts';
import { resourceFacts } from '../../src/reference/resource-facts.ts';
import { resourcePage } from '../../src/reference/resource-text.ts';
import { topics } from '../../src/reference/topics.ts';
import { api } from '../../src/resources/index.ts';
import { commandPages, environment, flagsPage, ownVerbBlocks } from './command-pages.ts';

/** Markdown: an index, a page for each resource, topic and command, and the flags they share. */
export async function documentPages(): Promise<Page[]> {
  const general = [...topicPages(), rulesPage(), await flagsPage()];
  const commands = await commandPages();
  const rulePages = rules.map((rule) => rulePage(rule, api));
  return [index(general, commands), ...resourcePages(), ...general, ...commands, ...rulePages];
}

/** Man pages: `boh` itself, and `boh-suppliers` for each first word. */
export async function manualPages(): Promise<Page[]> {
  const commands = await commandPages();
  const below = [...resourcePages(), ...commands].map((page) => ({ ...page, name: `boh-${page.name}` }));
  return [mainManual(), ...below.map(withSynopsis)];
}

function resourcePages(): Page[] {
  return api.resources.map((resource) => {
    const page = resourcePage(resourceFacts(resource));
    return { ...page, blocks: [...page.blocks, ...ownVerbBlocks(resource)] };
  });
}

/** The index of the rules, each of which has a page of its own. */
function rulesPage(): Page {
  const rows = rules.map(({ name, severity, summary }) => [`[${name}](rules/${name}.md)`, severity, summary]);
  return {
    name: 'rules',
    summary: 'Rules of boh lint',
    blocks: [
      paragraph('What `boh lint` finds. `boh explain RULE` says the same in a terminal.'),
      table(['rule', 'severity', 'what it finds'], rows),
    ],
  };
}

function topicPages(): Page[] {
  return topics.map(({ name, summary, blocks }) => ({ name, summary, blocks: blocks(api) }));
}

function index(general: readonly Page[], commands: readonly Page[]): Page {
  const links = (pages: readonly { name: string; summary: string }[]) =>
    table(
      ['page', 'what it is'],
      pages.map(({ name, summary }) => [`[${name}](${name}.md)`, summary]),
    );
  const groups = Map.groupBy(resourcePages(), ({ name }) => api.findResource(name)?.group);
  const intro =
    'Every resource with its commands, fields and filters. `boh explain` says the same in a terminal, `man boh` offline.';
  return {
    name: 'README',
    summary: 'Reference',
    blocks: [
      paragraph(intro),
      ...[...groups].flatMap(([group = '', pages]) => section(capitalized(group), [links(pages)])),
      ...section('For all of them', [links(general)]),
      ...section('Other commands', [links(commands)]),
    ],
  };
}

function mainManual(): Page {
  const [errors, ...others] = topicPages();
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
      ...others
        .filter(({ name }) => name !== 'scopes')
        .flatMap(({ name, blocks }) => section(name, below(blocks))),
      ...section('Examples', [code(...examples)]),
    ],
  };
}

/** A heading inside a section of the manual is one of its parts. */
function below(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => (block.kind === 'heading' ? { ...block, level: 3 } : block));
}

const description = [
  paragraph(
    'boh speaks to a business-management API. Each resource has the verbs that the API has for it: list, get, create, update, delete, restore and a few more. @NAME stands for an id wherever one goes. With --sandbox a service inside boh answers: no account and no network are needed.',
  ),
  paragraph(
    'On a terminal results are tables and what is missing is asked for; anywhere else they are JSON and nothing is asked. Only results go to standard output.',
  ),
];

const examples = [
  'boh --sandbox customers list',
  'boh --sandbox inventory-items get @SKU-001',
  'boh auth login',
  'boh customers list --updated-after 7d -o csv',
];

function withSynopsis(page: Page): Page {
  const usage = page.name.replace('boh-', 'boh ');
  const more = 'Flags that go with every command: boh(1).';
  return {
    ...page,
    blocks: [
      ...section('Synopsis', [code(`${usage} ${usage === 'boh whoami' ? '' : '... '}[flags]`)]),
      heading('Description'),
      ...page.blocks,
      ...section('See also', [paragraph(more)]),
    ],
  };
}
