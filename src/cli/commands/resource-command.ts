/** Builds the command of a resource, with verbs from the contract. Only the requested verb is built completely. */

import { isComposite, verbsOf } from '../../api/contract/composite.ts';
import { isDocumentLines, isWrite, type Operation, operations } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { formatExample } from '../../api/reference/examples.ts';
import {
  consequenceOf,
  describeScopes,
  describeSteps,
  operationSummary,
} from '../../api/reference/operation-summary.ts';
import { formatHint, joinHints, quoteForShell } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { Command } from './command.ts';
import type { DeclaredVerb } from './declare.ts';
import { bulkVerbsOf, pictureVerbsOf } from './resource-verbs.ts';

const verbAliases: Readonly<Record<string, string>> = { list: 'ls' };

/** Returns the command of a resource. `verb` is the second word of the command line, if it has one. */
export async function resourceCommand(
  resource: Resource,
  verb: string | undefined,
  context: Context,
): Promise<Command> {
  const command = new Command(resource.command).description(`${resource.summary}.`).usage('<verb> [flags]');
  for (const operation of verbsOf(resource)) {
    const isRequested = verb !== undefined && [operation.verb, verbAliases[operation.verb]].includes(verb);
    command.addCommand(await verbCommand(operation, isRequested ? context : undefined));
  }
  for (const bulkVerb of [...bulkVerbsOf(resource), ...pictureVerbsOf(resource)]) {
    const subcommand =
      verb === bulkVerb.name ? await bulkVerb.load(resource, context) : new Command(bulkVerb.name);
    command.addCommand(subcommand.summary(bulkVerb.summary(resource)));
  }
  return command;
}

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
  return loadVerb(
    { ...declareVerb(operation), name: resource.command, about: `${resource.summary}.` },
    operation,
    context,
  );
}

/** Returns the command of a verb; without a context only its name and summary, for the help of the resource. */
async function verbCommand(operation: Operation, context: Context | undefined): Promise<Command> {
  if (context) return loadVerb(declareVerb(operation), operation, context);
  const command = new Command(operation.verb).summary(operationSummary(operation));
  const alias = verbAliases[operation.verb];
  return alias ? command.alias(alias) : command;
}

function declareVerb(operation: Operation): DeclaredVerb {
  const summary = operationSummary(operation);
  const details = isComposite(operation)
    ? [describeSteps(operation)]
    : [consequenceOf(operation), describeScopes(operation)];
  return {
    name: operation.verb,
    alias: verbAliases[operation.verb],
    summary,
    about: formatHint(joinHints('\n', `${summary}.`, ...details) ?? ''),
    dryRun: true,
    examples: examplesOf(operation),
  };
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

async function loadVerb(verb: DeclaredVerb, operation: Operation, context: Context): Promise<Command> {
  if (isComposite(operation))
    return (await import('./verbs/upsert.ts')).upsertCommand(verb, operation, context);
  switch (operation.effect) {
    case 'list':
      return (await import('./verbs/read.ts')).listCommand(verb, operation, context);
    case 'get':
      return (await import('./verbs/read.ts')).getCommand(verb, operation, context);
    case 'create':
    case 'update':
    case 'link':
    case 'act':
      return (await import('./verbs/save.ts')).saveCommand(verb, operation, context);
    case 'delete':
    case 'restore':
    case 'unlink':
      return (await import('./verbs/remove.ts')).removeCommand(verb, operation, context);
  }
}
