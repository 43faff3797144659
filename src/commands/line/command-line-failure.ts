/** Creates the usage failures of a command line. Each lists all problems of the command line. */

import type { CommanderError } from 'commander';
import { type Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { capitalize } from '../../contract/wording.ts';
import {
  BooleanOption,
  type CommandLine,
  type FlagPart,
  isEmptyFileName,
  optionsOf,
} from './command-line.ts';

/** Other words for a verb, each with the verb that an error message suggests. They aren't accepted as aliases. */
const verbSynonyms: Readonly<Record<string, string>> = {
  ...{ show: 'get', view: 'get', read: 'get', describe: 'get', inspect: 'get' },
  ...{ add: 'create', new: 'create', insert: 'create', make: 'create' },
  ...{ edit: 'update', change: 'update', set: 'update', modify: 'update', patch: 'update' },
  ...{ remove: 'delete', rm: 'delete', del: 'delete', destroy: 'delete', archive: 'delete' },
  ...{ find: 'list', search: 'list', query: 'list', all: 'list' },
  ...{ undelete: 'restore', recover: 'restore', use: 'redeem' },
  ...{ zones: 'map', calendar: 'week', stock: 'levels', history: 'costs' },
};

/** Returns the failure of a command line with unknown flags, a flag without its value, or an unknown command. */
export function commandLineFailure(commandLine: CommandLine, api: Api): Failure {
  const { command, invalidFlags, pending, operands, flags } = commandLine;
  const problems = invalidFlags.map((part) => describeProblem(part, commandLine));
  for (const { option } of flags.filter(isEmptyFileName))
    problems.push(`${option.long} needs a file name, but it is empty.`);
  if (pending) problems.push(`${pending.long} needs a value.`);
  if (problems.length > 0) return usage(problems.join(' '), { hint: hintFor(commandLine, api) });
  const [unknownWord = ''] = operands;
  if (!command)
    return usage('Expected a command before --.', {
      hint: boh.hint`To list all: ${boh.plain('--help')}`,
    });
  const names = command.commands.map((subcommand) => subcommand.name());
  const message = `Unknown command "${commandNameOf(commandLine)} ${unknownWord}".`;
  const verb = names.find((name) => name === verbSynonyms[unknownWord]);
  const suggestion = verb === undefined ? didYouMean(unknownWord, names) : ` Did you mean "${verb}"?`;
  return usage(message + (commandLine.isEnded ? '' : suggestion), {
    hint: boh.help(commandNameOf(commandLine)),
  });
}

/** Returns the failure for an error of commander about flags or arguments. Its message starts with "error:". */
export function commandFailure(
  { code, message }: CommanderError,
  commandLine: CommandLine,
  api: Api,
): Failure {
  const plainMessage = message.replace(/^error: /, '');
  const capitalizedMessage = capitalize(plainMessage);
  const excessArgument = code === 'commander.excessArguments' ? firstExcessArgument(plainMessage) : undefined;
  const [firstName, ...otherNames] = commandNameOf(commandLine).split(' ');
  if (excessArgument !== undefined && (otherNames.at(-1) ?? firstName) === 'export') {
    const correctedCommand =
      otherNames.length === 0
        ? boh.account('export', '--to', excessArgument)
        : boh.account(`${firstName} export`, '--to', excessArgument);
    return usage(
      `"${excessArgument}" needs --to: boh ${commandNameOf(commandLine)} has no argument for a file.`,
      {
        hint: boh.hint`To write it: ${correctedCommand}`,
      },
    );
  }
  const isExcessName =
    code === 'commander.excessArguments' && api.findResource(commandLine.names[0]?.word ?? '');
  const hint = isExcessName
    ? ['A name with spaces needs quotes: "@Fresh Farms". ', boh.help(commandNameOf(commandLine))]
    : boh.help(commandNameOf(commandLine));
  return usage(/[.?!]$/.test(capitalizedMessage) ? capitalizedMessage : `${capitalizedMessage}.`, { hint });
}

/** Returns the first excess argument, which commander's message quotes. */
function firstExcessArgument(message: string): string | undefined {
  return /but got \d+: (.+?)(?:, .*)?\.$/s.exec(message)?.[1];
}

function describeProblem({ name, option }: FlagPart, { command }: CommandLine): string {
  if (option) return `${name} takes no value.`;
  const flagNames = optionsOf(command).flatMap((flagOption) =>
    flagOption.long && !flagOption.hidden ? spellingsOf(flagOption.long, flagOption) : [],
  );
  return `Unknown flag ${name}.${name.startsWith('--') ? didYouMean(name, flagNames) : ''}`;
}

function spellingsOf(long: string, option: object): string[] {
  return option instanceof BooleanOption ? [long, `--no-${long.slice(2)}`] : [long];
}

function hintFor(commandLine: CommandLine, api: Api): Hint {
  const fields = commandLine.invalidFlags.map(({ name }) => name.slice(2).replaceAll('-', '_'));
  const resource = api.findResource(commandLine.names[0]?.word ?? '');
  const secret = fields.find((name) => resource && isSecret(resource.fields, name));
  const secretHint = `Secrets have no flags, because others could see them. To be prompted for it: --ask ${secret}. `;
  return [secret === undefined ? '' : secretHint, boh.help(commandNameOf(commandLine))];
}

function isSecret(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name]?.traits.secret === true;
}

function commandNameOf({ names }: CommandLine): string {
  return names.map(({ word }) => word).join(' ');
}
