/** One resource as a command, its verbs made from the contract. Only the verb that the line names is built whole. */
import { Command } from 'commander';
import { type Effect, type Operation, operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { exampleLine } from '../reference/examples.ts';
import { scopeLine, summaryOf } from '../reference/operation-words.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { configureGet } from './verbs/get.ts';
import { configureList } from './verbs/list.ts';
import { configureRemove } from './verbs/remove.ts';
import { configureSave } from './verbs/save.ts';

const verbAliases: Readonly<Record<string, string>> = { list: 'ls' };

/** `verb` is the second word of the line, where it has one. */
export function resourceCommand(resource: Resource, verb: string | undefined, context: Context): Command {
  const command = prepare(new Command(resource.command))
    .description(`${resource.summary}.`)
    .usage('<verb> [flags]');
  for (const operation of operations(resource)) {
    const isNamed = verb === operation.verb || verb === verbAliases[operation.verb];
    command.addCommand(verbCommand(operation, isNamed ? context : undefined));
  }
  return command;
}

/** `boh whoami`: a resource with one verb, which goes without saying. */
export function singletonCommand(resource: Resource, context: Context): Command {
  const [operation] = operations(resource);
  if (!operation) throw new Error(`${resource.name} has no operation`);
  const command = prepare(new Command(resource.command)).description(`${resource.summary}.`);
  configureGet(command, operation, context);
  return command.addHelpText('after', () => ending(operation));
}

/** Without a context only its name and what it does, for the help of the resource. */
function verbCommand(operation: Operation, context: Context | undefined): Command {
  const command = prepare(new Command(operation.verb)).summary(summaryOf(operation));
  const alias = verbAliases[operation.verb];
  if (alias) command.alias(alias);
  if (!context) return command;
  command.description(`${summaryOf(operation)}.\n${scopeLine(operation)}`);
  builders[operation.effect](command, operation, context);
  return command.addHelpText('after', () => ending(operation));
}

function ending(operation: Operation): string {
  return `\nExample:\n  ${exampleLine(operation)}\n\nFlags that may stand anywhere, such as --sandbox and --dry-run: boh --help`;
}

/** What builds a verb, by what the operation does. */
const builders: Readonly<Record<Effect, (command: Command, operation: Operation, context: Context) => void>> =
  {
    list: configureList,
    get: configureGet,
    create: configureSave,
    update: configureSave,
    link: configureSave,
    act: configureSave,
    delete: configureRemove,
    restore: configureRemove,
    unlink: configureRemove,
  };
