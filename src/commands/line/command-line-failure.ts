/** Creates the usage failures of a command line. Each lists all problems of the command line. */

import type { CommanderError, Option } from 'commander';
import { type Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { capitalize } from '../../contract/wording.ts';
import { BooleanOption } from '../command.ts';
import { type CommandLine, type FlagPart, isEmptyFileName, optionsOf } from './command-line.ts';

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

/** Returns the failure for an error of commander about flags or arguments. */
export function commandFailure(error: CommanderError, commandLine: CommandLine, api: Api): Failure {
  const commandName = commandNameOf(commandLine);
  const hint = boh.help(commandName);
  const [firstArgument] = commandLine.operands;
  if (error.code !== 'commander.excessArguments' || firstArgument === undefined)
    return usage(describeError(error, commandLine), { hint });
  const [firstName = '', lastName] = commandName.split(' ');
  if ((lastName ?? firstName) === 'export') {
    const correctedCommand =
      lastName === undefined
        ? boh.account('export', '--to', firstArgument)
        : boh.account(`${firstName} export`, '--to', firstArgument);
    return usage(`"${firstArgument}" needs --to: boh ${commandName} has no argument for a file.`, {
      hint: boh.hint`To write it: ${correctedCommand}`,
    });
  }
  const isRecordCommand = api.findResource(firstName) !== undefined;
  const quotesHint = isRecordCommand ? 'A name with spaces needs quotes: "@Fresh Farms". ' : '';
  return usage(describeError(error, commandLine), { hint: [quotesHint, hint] });
}

/** Returns the message for an error of commander. It names all missing arguments or flags, not only the first one. */
function describeError({ code, message }: CommanderError, commandLine: CommandLine): string {
  const { command, operands, flags } = commandLine;
  const parameters = command?.registeredArguments ?? [];
  const commandName = commandNameOf(commandLine);
  const describeMissing = (names: string[]) => `${commandName} needs ${names.join(' and ')}.`;
  switch (code) {
    case 'commander.missingArgument': {
      const missing = parameters.filter(({ required }, index) => required && operands[index] === undefined);
      return describeMissing(missing.map((parameter) => `<${parameter.name()}>`));
    }
    case 'commander.missingMandatoryOptionValue': {
      const isMissing = (option: Option) => option.mandatory && !flags.some((flag) => flag.option === option);
      return describeMissing((command?.options ?? []).filter(isMissing).map(({ flags: term }) => term));
    }
    case 'commander.excessArguments': {
      const limit = ['no arguments', '1 argument'][parameters.length] ?? `${parameters.length} arguments`;
      return `${commandName} takes ${limit}, but got ${operands.length}: ${operands.join(', ')}.`;
    }
    case 'commander.conflictingOption': {
      const [first, second] = [...message.matchAll(/'(--[\w-]+)/g)].map(([, flag]) => flag);
      return `${first} can't be combined with ${second}.`;
    }
    case 'commander.invalidArgument': {
      const pattern = /'(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s;
      const [, flag, value, expected = ''] = pattern.exec(message) ?? [];
      const reason = expected.replace('Allowed choices are', 'Expected one of:');
      return flag === undefined ? message : `Invalid value "${value}" for ${flag}. ${reason}`;
    }
    default:
      return `${capitalize(message.replace(/^error: /, ''))}.`;
  }
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
