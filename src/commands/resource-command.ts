/** Builds the command of a resource, with verbs from the contract. Only the requested verb is built completely. */
import { formatHint, joinHints, quoteForShell } from '../base/hint.ts';
import type { Context } from '../context/context.ts';
import { type CompositeOperation, compositeVerbs, isComposite, verbsOf } from '../contract/composite.ts';
import { isDocumentLines, isWrite, type Operation, operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { formatExample } from '../reference/examples.ts';
import {
  consequenceOf,
  describeScopes,
  describeSteps,
  operationSummary,
} from '../reference/operation-summary.ts';
import { bulkVerbsOf } from './bulk/index.ts';
import { Command } from './command.ts';
import { pictureVerbsOf } from './pictures/index.ts';
import { prepare } from './prepare.ts';

const verbAliases: Readonly<Record<string, string>> = { list: 'ls' };

/** Returns the command of a resource. `verb` is the second word of the command line, if it has one. */
export async function resourceCommand(
  resource: Resource,
  verb: string | undefined,
  context: Context,
): Promise<Command> {
  const command = prepare(new Command(resource.command))
    .description(`${resource.summary}.`)
    .usage('<verb> [flags]');
  for (const operation of operations(resource)) {
    const isRequested = verb !== undefined && [operation.verb, verbAliases[operation.verb]].includes(verb);
    command.addCommand(await verbCommand(operation, isRequested ? context : undefined));
  }
  for (const composite of compositeVerbs(resource)) {
    command.addCommand(await compositeCommand(composite, verb === composite.verb ? context : undefined));
  }
  for (const bulkVerb of [...bulkVerbsOf(resource), ...pictureVerbsOf(resource)]) {
    const subcommand = new Command(bulkVerb.name).summary(bulkVerb.summary(resource));
    if (verb === bulkVerb.name) await bulkVerb.configure(prepare(subcommand), resource, context);
    command.addCommand(subcommand);
  }
  return command;
}

/** Returns whether a verb of a resource writes to the account. */
export function isWriteVerb(resource: Resource, verb: string): boolean {
  return (
    verbsOf(resource).some((operation) => operation.verb === verb && isWrite(operation)) ||
    bulkVerbsOf(resource).some((bulkVerb) => bulkVerb.name === verb && bulkVerb.isWrite === true)
  );
}

/** Returns the command of a resource with a single verb, which the command line omits: `boh whoami`. */
export async function singletonCommand(resource: Resource, context: Context): Promise<Command> {
  const [operation] = operations(resource);
  if (!operation) throw new Error(`${resource.name} has no operation`);
  const command = prepare(new Command(resource.command).withDryRun()).description(`${resource.summary}.`);
  await configure(command, operation, context);
  return command.examples(...examplesOf(operation));
}

/** Returns the command of a verb; without a context only its name and summary, for the help of the resource. */
async function verbCommand(operation: Operation, context: Context | undefined): Promise<Command> {
  const command = new Command(operation.verb).withDryRun().summary(operationSummary(operation));
  const alias = verbAliases[operation.verb];
  if (alias) command.alias(alias);
  if (!context) return command;
  prepare(command);
  const description = joinHints(
    '\n',
    `${operationSummary(operation)}.`,
    consequenceOf(operation),
    describeScopes(operation),
  );
  command.description(formatHint(description ?? ''));
  await configure(command, operation, context);
  return command.examples(...examplesOf(operation));
}

/** Returns the command of a verb that combines several operations, such as `upsert`. */
async function compositeCommand(
  composite: CompositeOperation,
  context: Context | undefined,
): Promise<Command> {
  const command = new Command(composite.verb).withDryRun().summary(operationSummary(composite));
  if (!context) return command;
  prepare(command).description(`${operationSummary(composite)}.\n${describeSteps(composite)}`);
  (await import('./verbs/upsert.ts')).configureUpsert(command, composite, context);
  return command.examples(...examplesOf(composite));
}

/** Returns the example of the contract, and examples of other ways to use the verb. */
function examplesOf(operation: Operation): string[] {
  const { resource, verb, effect } = operation;
  const otherLines = isComposite(operation)
    ? undefined
    : otherExamples[effect]?.(`boh ${resource.command} ${verb}`, operation);
  return [formatExample(operation), ...(otherLines ?? [])];
}

const otherExamples: Partial<
  Record<Operation['effect'], (line: string, operation: Operation) => readonly string[]>
> = {
  list: (line, { resource: { name } }) => [
    `${line} -o csv > ${name}.csv`,
    `${line} --watch   # refreshes, and highlights changes`,
  ],
  create: (line, { body }) => [
    body.some(({ field }) => isDocumentLines(field))
      ? `${line} --sheet   # prompts for each field, and for the items in a table`
      : `${line}   # prompts for each field`,
  ],
  update: (line, { resource: { key, exampleKeyField, exampleKey } }) =>
    (exampleKeyField ?? key[0]) ? [`${line} ${quoteForShell(`@${exampleKey}`)} --edit`] : [],
};

/** Adds the flags and the action to the command of a verb, by the effect of the operation. */
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
