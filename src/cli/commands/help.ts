/** Formats `boh --help` with all commands in groups, and the help of one command, as text or as data. */
import { Help } from 'commander';
import type { Api } from '../../api/contract/api.ts';
import type { Group } from '../../api/contract/resource.ts';
import { isRunByAgent } from '../../base/agents.ts';
import type { Context } from '../context/context.ts';
import { showText } from '../output/show-value.ts';
import { wrapLines } from '../terminal/messages.ts';
import type { Command } from './command.ts';
import { formatGlobalFlags } from './globals.ts';
import { referenceCommands, type Task } from './hand-written.ts';
import { handWritten } from './index.ts';

/** The groups of resources, in the order of the API document. */
const resourceGroups: readonly [Group, string][] = [
  ['menu', 'Menu'],
  ['customers', 'Customers'],
  ['people', 'People'],
  ['inventory', 'Inventory'],
  ['loyalty', 'Loyalty'],
  ['account', 'Account'],
];

/** The groups of the other commands, by task. */
const tasks: readonly [Task, string][] = [
  ['everyday', 'General'],
  ['move data', 'Move data'],
  ['declare', 'Manage as files'],
  ['look back', 'History'],
  ['query', 'Query'],
  ['check', 'Check'],
  ['set up', 'Set up'],
  ['build', 'Develop'],
];

/** All groups of `boh --help`. */
export const headings: readonly [Group | Task, string][] = [...resourceGroups, ...tasks];

/** The examples of `boh --help`; each is listed only if the API has its resource. */
const examples: readonly [resource: string, line: string][] = [
  ['customers', 'boh --sandbox customers list             # try it: no account, no network'],
  ['inventory_items', 'boh --sandbox inventory-items get @SKU-001'],
  ['suppliers', 'boh suppliers create --name "Coastal Fish" --phone 555000222'],
  ['customers', 'boh customers list --updated-after 7d -o csv > customers.csv'],
];

const helpFooter = `Verbs: list, get, create, update, delete and restore, where the API has them;
upsert, import and export. To name a record, write its ID or @NAME.

Global flags, anywhere on the command line:
${formatGlobalFlags()}

More: boh <resource> --help, boh <resource> <verb> --help, boh <command> --help
`;

/** A command for users, with its group in `boh --help`. */
export interface RootCommand {
  name: string;
  summary: string;
  group: Group | Task;
}

/** Returns all commands for users, resources first. */
export function rootCommands(api: Api): RootCommand[] {
  return [
    ...api.resources.map(({ command, summary, group, singleton }) => ({
      name: command,
      summary,
      group: singleton ? ('everyday' as const) : group,
    })),
    ...handWritten
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary, group }) => ({ name, summary, group })),
  ];
}

/** The maximum width of a line in columns: it fits in a window of 80 columns. */
const maxLineWidth = 79;

/** Returns the names of the commands in some groups, a line for each group, wrapped. */
export function formatNamesByGroup(commands: readonly RootCommand[], groups: typeof headings): string[] {
  const labelWidth = Math.max(...groups.map(([, title]) => title.length)) + 2;
  return groups.flatMap(([group, title]) => {
    const names = commands.filter((command) => command.group === group).map(({ name }) => name);
    if (names.length === 0) return [];
    return new Help()
      .boxWrap(names.join(' '), maxLineWidth - labelWidth - 2)
      .split('\n')
      .map((line, index) => `  ${(index === 0 ? title : '').padEnd(labelWidth)}${line}`);
  });
}

/** Returns the line with the records that the API names but doesn't list, such as branches. */
function formatReferenceNames(api: Api, labelWidth: number): string[] {
  const names = referenceCommands(api);
  if (names.length === 0) return [];
  return new Help()
    .boxWrap(names.join(' '), maxLineWidth - labelWidth - 2)
    .split('\n')
    .map((line, index) => `  ${(index === 0 ? 'Lookups' : '').padEnd(labelWidth)}${line}`);
}

/** Returns the help of boh itself: names of resources, other commands with their summaries, and global flags. */
export function formatRootHelp(api: Api): string {
  const commands = rootCommands(api);
  const exampleLines = examples.filter(([name]) => api.resource(name)).map(([, line]) => `  ${line}\n`);
  const labelWidth = Math.max(...resourceGroups.map(([, title]) => title.length)) + 2;
  const resourceLines = [
    ...formatNamesByGroup(commands, resourceGroups),
    ...formatReferenceNames(api, labelWidth),
  ];
  const nameWidth = Math.max(...handWritten.map(({ name }) => name.length)) + 2;
  const sections = tasks.map(([group, title]) => {
    const groupCommands = commands.filter((command) => command.group === group);
    return `${title}:\n${groupCommands.map(({ name, summary }) => `  ${name.padEnd(nameWidth)}${summary}\n`).join('')}`;
  });
  return [
    `${about}\n\n${exampleLines.join('')}\nUsage: boh [flags] <resource> <verb> [ID...] [flags]\n`,
    `Resources (boh resources describes them):\n${resourceLines.join('\n')}\n`,
    ...sections,
    helpFooter,
  ].join('\n');
}

export const about = 'boh: the back office of a restaurant or shop, on the command line.';

/** The width of help in columns, without a terminal. */
const defaultWidth = 80;

/** Shows the help of a command, or of boh: as text, unless the command line has `-o`. */
export async function showHelp(command: Command | undefined, context: Context): Promise<void> {
  if (context.globals.output === undefined) {
    return showText(context, { text: fitHelp(command, context) });
  }
  const value = command ? helpData(command) : rootCommands(context.api);
  await showText(context, { text: fitHelp(command, context), value });
}

/** Returns help whose lines fit the terminal: commander doesn't wrap examples. */
function fitHelp(command: Command | undefined, context: Context): string {
  const { isTerminal, columns } = context.streams;
  const text = formatCommandHelp(command, context);
  return isTerminal.out ? wrapLines(text, columns('out')) : text;
}

function formatCommandHelp(command: Command | undefined, context: Context): string {
  const { api, env, streams } = context;
  if (!streams.isTerminal.out && isRunByAgent(env)) return formatShortHelp(command, api);
  if (!command) return formatRootHelp(api);
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    // By default commander opens the output stream to ask for its width.
    getOutHelpWidth: () => (streams.isTerminal.out ? streams.columns('out') : defaultWidth),
    getOutHasColors: () => streams.color.out,
  });
  command.outputHelp();
  return help;
}

/** The maximum length of help for agents: 400 tokens of about four characters. */
const maxShortHelpLength = 1600;

/** Returns help for agents: names without descriptions. */
function formatShortHelp(command: Command | undefined, api: Api): string {
  const commands = command
    ? command.commands.map((subcommand) => subcommand.name())
    : rootCommands(api).map(({ name }) => name);
  const help = command?.createHelp();
  const options = command && help ? help.visibleOptions(command) : [];
  const lines = [
    command ? command.description().split('\n', 1)[0] : about,
    `Usage: ${command && help ? help.commandUsage(command).replace('[options]', '[flags]') : 'boh [flags] RESOURCE VERB [ID...] [flags]'}`,
    ...(command?.examples ?? []).slice(0, 1),
    ...(commands.length > 0 ? [`Commands: ${commands.join(' ')}`] : []),
    ...(options.length > 0 ? [`Flags: ${options.map(({ long }) => long).join(' ')}`] : []),
  ].join('\n');
  const hint = '\nRules for agents: boh skill. A flag or field: boh explain NAME\n';
  const maxLength = maxShortHelpLength - hint.length;
  return (lines.length > maxLength ? `${lines.slice(0, maxLength - 2)} …` : lines) + hint;
}

/** The help of a command as data, for `--help -o json`. */
interface HelpData {
  name: string;
  about: string;
  usage: string;
  arguments: { name: string; about: string; required: boolean }[];
  flags: { flags: string; about: string }[];
  commands: { name: string; about: string }[];
}

function helpData(command: Command): HelpData {
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
      .map((subcommand) => ({ name: subcommand.name(), about: help.subcommandDescription(subcommand) })),
  };
}
