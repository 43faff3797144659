/** One resource as a command, its verbs made from the contract. Only the verb that the line names is built whole. */
import { hintText, joinHints, quote } from '../base/hint.ts';
import type { Context } from '../context/context.ts';
import { type CompositeOperation, compositeVerbs, isComposite, verbsOf } from '../contract/composite.ts';
import { isWrite, type Operation, operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { exampleLine } from '../reference/examples.ts';
import { madeOfLine, outlook, scopeLine, summaryOf } from '../reference/operation-words.ts';
import { bulkVerbsOf } from './bulk/index.ts';
import { Command } from './command.ts';
import { pictureVerbsOf } from './pictures/index.ts';
import { prepare } from './prepare.ts';

const verbAliases: Readonly<Record<string, string>> = { list: 'ls' };

/** `verb` is the second word of the line, where it has one. */
export async function resourceCommand(
  resource: Resource,
  verb: string | undefined,
  context: Context,
): Promise<Command> {
  const command = prepare(new Command(resource.command))
    .description(`${resource.summary}.`)
    .usage('<verb> [flags]');
  for (const operation of operations(resource)) {
    const isNamed = verb !== undefined && [operation.verb, verbAliases[operation.verb]].includes(verb);
    command.addCommand(await verbCommand(operation, isNamed ? context : undefined));
  }
  for (const composed of compositeVerbs(resource)) {
    command.addCommand(await composedCommand(composed, verb === composed.verb ? context : undefined));
  }
  for (const own of [...bulkVerbsOf(resource), ...pictureVerbsOf(resource)]) {
    const below = new Command(own.name).summary(own.summary(resource));
    if (verb === own.name) await own.configure(prepare(below), resource, context);
    command.addCommand(below);
  }
  return command;
}

/** Whether a verb of a resource writes to the account. */
export function isWriteVerb(resource: Resource, verb: string): boolean {
  return (
    verbsOf(resource).some((one) => one.verb === verb && isWrite(one)) ||
    bulkVerbsOf(resource).some((own) => own.name === verb && own.isWrite === true)
  );
}

/** `boh whoami`: a resource with one verb, which goes without saying. */
export async function singletonCommand(resource: Resource, context: Context): Promise<Command> {
  const [operation] = operations(resource);
  if (!operation) throw new Error(`${resource.name} has no operation`);
  const command = prepare(new Command(resource.command)).description(`${resource.summary}.`);
  await configure(command, operation, context);
  return command.examples(...examplesOf(operation));
}

/** Without a context only its name and what it does, for the help of the resource. */
async function verbCommand(operation: Operation, context: Context | undefined): Promise<Command> {
  const command = new Command(operation.verb).summary(summaryOf(operation));
  const alias = verbAliases[operation.verb];
  if (alias) command.alias(alias);
  if (!context) return command;
  prepare(command);
  const lines = joinHints('\n', `${summaryOf(operation)}.`, outlook(operation), scopeLine(operation));
  command.description(hintText(lines ?? ''));
  await configure(command, operation, context);
  return command.examples(...examplesOf(operation));
}

/** A verb that is several operations: what it needs is what those need. */
async function composedCommand(composed: CompositeOperation, context: Context | undefined): Promise<Command> {
  const command = new Command(composed.verb).summary(summaryOf(composed));
  if (!context) return command;
  prepare(command).description(`${summaryOf(composed)}.\n${madeOfLine(composed)}`);
  (await import('./verbs/upsert.ts')).configureUpsert(command, composed, context);
  return command.examples(...examplesOf(composed));
}

/** The example of the contract, and one of a way to use the verb that people overlook. */
function examplesOf(operation: Operation): string[] {
  const { resource, verb, effect } = operation;
  const other = isComposite(operation)
    ? undefined
    : otherExamples[effect]?.(`boh ${resource.command} ${verb}`, resource);
  return [exampleLine(operation), ...(other === undefined ? [] : [other])];
}

const otherExamples: Partial<
  Record<Operation['effect'], (line: string, resource: Resource) => string | undefined>
> = {
  list: (line, { name }) => `${line} -o csv > ${name}.csv`,
  create: (line) => `${line}   # prompts for each field`,
  update: (line, { key, exampleKeyField, exampleKey }) =>
    (exampleKeyField ?? key[0]) ? `${line} ${quote(`@${exampleKey}`)} --edit` : undefined,
};

/** Loads what gives the verb its flags and its action, by what the operation does. */
async function configure(command: Command, operation: Operation, context: Context): Promise<void> {
  switch (operation.effect) {
    case 'list':
      return (await import('./verbs/list.ts')).configureList(command, operation, context);
    case 'get':
      return (await import('./verbs/get.ts')).configureGet(command, operation, context);
    case 'create':
    case 'update':
    case 'link':
    case 'act':
      return (await import('./verbs/save.ts')).configureSave(command, operation, context);
    case 'delete':
    case 'restore':
    case 'unlink':
      return (await import('./verbs/remove.ts')).configureRemove(command, operation, context);
  }
}
