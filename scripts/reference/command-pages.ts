/** Builds the pages of global flags, flags of verbs, and commands that are not in the contract. */
import type { Option } from 'commander';
import { compositeVerbs } from '../../src/api/contract/composite.ts';
import { operations } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import {
  type Block,
  heading,
  paragraph,
  type ReferencePage,
  screen,
  section,
  table,
} from '../../src/api/reference/blocks.ts';
import { api } from '../../src/api/resources/index.ts';
import { Command } from '../../src/cli/commands/command.ts';
import { globalOptions } from '../../src/cli/commands/globals.ts';
import type { HandWritten } from '../../src/cli/commands/hand-written.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { resourceCommand } from '../../src/cli/commands/resource-command.ts';
import { bulkVerbsOf, pictureVerbsOf, type ResourceVerb } from '../../src/cli/commands/resource-verbs.ts';
import type { Context } from '../../src/cli/context/context.ts';

/** Building a command uses only the API; only running it would use the rest of the context. */
const noContext = { api } as Context;

/** Groups of flags that come from the contract. The pages of resources describe them. */
const contractGroups = ['Fields:', 'Filters:'];

/** Returns the page of global flags and flags of each kind of verb. */
export async function flagsPage(): Promise<ReferencePage> {
  return {
    name: 'global-flags',
    title: 'Flags',
    summary: 'Global flags, and flags of each verb',
    blocks: [
      heading('Global flags'),
      paragraph('Global flags can be anywhere on the command line:'),
      optionTable(globalOptions),
      heading('Flags of verbs'),
      paragraph(
        'All flags except fields and filters, which differ by resource. For each list, such as `--tags`, updates also ' +
          'have `--add-tags` and `--remove-tags`, which keep the other entries of the list.',
      ),
      ...(await verbFlags()),
    ],
  };
}

/** Returns the flags of each kind of verb, taken from the first resource that has it. */
async function verbFlags(): Promise<Block[]> {
  const optionsByKind = new Map<string, Option[]>();
  for (const resource of api.collections) {
    for (const { verb, kind } of kindsOfVerbs(resource)) {
      if (optionsByKind.has(kind)) continue;
      const { commands } = await resourceCommand(resource, verb, noContext);
      const command = commands.find((command) => command.name() === verb);
      optionsByKind.set(kind, command?.options.filter(isVerbSpecific) ?? []);
    }
  }
  const kinds = Map.groupBy(optionsByKind, ([, options]) => options.map(({ flags }) => flags).join());
  return [...kinds.values()].flatMap((verbsWithSameFlags) => {
    const [[, options] = ['', []]] = verbsWithSameFlags;
    const title = verbsWithSameFlags.map(([kind]) => titles[kind] ?? kind).join(', ');
    return options.length === 0 ? [] : [heading(title, 3), optionTable(options)];
  });
}

/** Returns the verbs of a resource. Verbs with the same effect have the same flags; verbs that aren't in the API document have their own. */
function kindsOfVerbs(resource: Resource): { verb: string; kind: string }[] {
  return [
    ...operations(resource).map(({ verb, effect }) => ({ verb, kind: effect })),
    ...[
      ...compositeVerbs(resource).map(({ verb }) => verb),
      ...[...bulkVerbsOf(resource), ...pictureVerbsOf(resource)].map(({ name }) => name),
    ].map((verb) => ({ verb, kind: verb })),
  ];
}

/** Headings for effects that several verbs have. */
const titles: Readonly<Record<string, string>> = { link: 'link-…', unlink: 'unlink-…', act: 'redeem' };

/** Describes the verbs of a resource that aren't operations of the API document. */
export function otherVerbBlocks(resource: Resource): Block[] {
  return [
    ...verbBlocks('Bulk commands', bulkVerbsOf(resource), resource),
    ...verbBlocks('Maps and charts', pictureVerbsOf(resource), resource),
  ];
}

function verbBlocks(title: string, verbs: readonly ResourceVerb[], resource: Resource): Block[] {
  if (verbs.length === 0) return [];
  return [
    heading(title, 2),
    ...verbs.flatMap(({ name, summary }) => [
      heading(`${resource.command} ${name}`, 3),
      paragraph(`${summary(resource)}. For its flags: boh ${resource.command} ${name} --help.`),
    ]),
  ];
}

function isVerbSpecific({ hidden, helpGroupHeading = '', flags }: Option): boolean {
  const isFreeFilter = flags.startsWith('--filter ');
  return !hidden && (isFreeFilter || !contractGroups.includes(helpGroupHeading));
}

function optionTable(options: readonly Option[]): Block {
  return table(
    ['flag', 'description'],
    options.map(({ flags, description }) => [`\`${flags}\``, description]),
  );
}

/** Returns a page for each hand-written command: its help and the help of its subcommands. */
export async function commandPages(): Promise<ReferencePage[]> {
  return Promise.all(handWritten.filter(({ hidden }) => !hidden).map(commandPage));
}

async function commandPage(entry: HandWritten): Promise<ReferencePage> {
  const command = addToProgram(await entry.load(noContext, []));
  const blocks: Block[] = [screen(helpOf(command))];
  const subcommandBlocks: Block[] = [];
  for (const name of command.commands.map((member) => member.name())) {
    // Subcommands are loaded completely only if the command line names them.
    const subcommand = addToProgram(await entry.load(noContext, [name])).commands.find(
      (command) => command.name() === name,
    );
    if (subcommand) subcommandBlocks.push(...helpBlocks(subcommand, `boh ${entry.name} ${name}`));
  }
  return {
    name: entry.name,
    title: `boh ${entry.name}`,
    summary: entry.summary,
    blocks: [...blocks, ...section('Commands', subcommandBlocks)],
  };
}

/** Returns the help of a command and of all its subcommands. */
function helpBlocks(command: Command, name: string): Block[] {
  const subcommandBlocks = command.commands.flatMap((member) =>
    helpBlocks(member, `${name} ${member.name()}`),
  );
  return [heading(name, 3), screen(helpOf(command)), ...subcommandBlocks];
}

/** Adds the command to a program, so that its usage begins with the name of the program. */
function addToProgram(command: Command): Command {
  new Command('boh').addCommand(command);
  return command;
}

function helpOf(command: Command): string[] {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 80,
  });
  command.outputHelp();
  return text.trimEnd().split('\n');
}
