/** Help: `boh --help` with all commands in groups, and the help of one command, as text or as data. */
import type { Command } from 'commander';
import type { Context } from '../context/context.ts';
import type { Api } from '../contract/api.ts';
import type { Group } from '../contract/resource.ts';
import { showText } from '../output/show-value.ts';
import { brokenAt } from '../terminal/broken-lines.ts';
import { globalFlagLines } from './globals.ts';
import { handWritten } from './index.ts';

/** In the order in which people meet them. */
export const headings: readonly [Group | 'tools', string][] = [
  ['menu', 'Menu'],
  ['customers', 'Customers'],
  ['people', 'People'],
  ['inventory', 'Inventory'],
  ['loyalty', 'Loyalty'],
  ['account', 'Account'],
  ['tools', 'Tools'],
];

/** By the resource that each is about. */
const examples: readonly [resource: string, line: string][] = [
  ['customers', 'boh --sandbox customers list             try it: no account, no network'],
  ['inventory_items', 'boh --sandbox inventory-items get @SKU-001'],
  ['suppliers', 'boh suppliers create --name "Coastal Fish" --phone 555000222'],
  ['customers', 'boh customers list --updated-after 7d -o csv > customers.csv'],
];

function beginning(api: Api): string {
  const lines = examples.filter(([name]) => api.resource(name)).map(([, line]) => `  ${line}\n`);
  return `boh: the back office of a restaurant or shop, from the command line.

${lines.join('')}
Usage: boh [flags] <resource> <verb> [ID...] [flags]
`;
}

const ending = `Verbs: list, get, create, update, delete, restore; a resource has those that the
API has for it. Beside them upsert, import and export. @NAME stands for an id
wherever one goes.

Flags that may stand anywhere:
${globalFlagLines()}

More: boh <resource> --help, boh <resource> <verb> --help
`;

/** All commands that people type. */
export function rootCommands(api: Api): { name: string; summary: string; group: string }[] {
  return [
    ...api.resources.map(({ command, summary, group }) => ({ name: command, summary, group })),
    ...handWritten
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary, group }) => ({ name, summary, group })),
  ];
}

export function rootHelp(api: Api): string {
  const commands = rootCommands(api);
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const sections = headings.map(([group, title]) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`);
    return lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}\n`;
  });
  return [beginning(api), ...sections.filter(Boolean), ending].join('\n');
}

/** Of help, in columns, where there is no terminal. */
const defaultWidth = 80;

/** Shows the help of a command, or of boh: as text, unless the line itself names a format. */
export async function showHelp(command: Command | undefined, context: Context): Promise<void> {
  if (context.globals.output === undefined) {
    return showText(context, { text: fittedHelp(command, context) });
  }
  const value = command ? helpFacts(command) : rootCommands(context.api);
  await showText(context, { text: fittedHelp(command, context), value });
}

/** What commander leaves as it is, such as examples, may be longer than the window. */
function fittedHelp(command: Command | undefined, context: Context): string {
  const { isTerminal, columns } = context.streams;
  const text = helpText(command, context);
  return isTerminal.out ? brokenAt(text, columns) : text;
}

function helpText(command: Command | undefined, { api, streams }: Context): string {
  if (!command) return rootHelp(api);
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    // Left alone, commander opens the stream of the output to ask it.
    getOutHelpWidth: () => (streams.isTerminal.out ? streams.columns : defaultWidth),
    getOutHasColors: () => streams.colour.out,
  });
  command.outputHelp();
  return help;
}

/** What help says of a command, as data: for programs that ask for help in a format of theirs. */
interface HelpFacts {
  name: string;
  about: string;
  usage: string;
  arguments: { name: string; about: string; required: boolean }[];
  flags: { flags: string; about: string }[];
  commands: { name: string; about: string }[];
}

function helpFacts(command: Command): HelpFacts {
  const help = command.createHelp();
  return {
    name: command.name(),
    about: command.description(),
    usage: help.commandUsage(command),
    arguments: help.visibleArguments(command).map((argument) => ({
      name: argument.name(),
      about: argument.description,
      required: argument.required,
    })),
    flags: help.visibleOptions(command).map((option) => ({ flags: option.flags, about: option.description })),
    commands: help
      .visibleCommands(command)
      .map((below) => ({ name: below.name(), about: help.subcommandDescription(below) })),
  };
}
