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
export function commandLineFailure(line: CommandLine, api: Api): Failure {
  const { command, invalidFlags, pending, operands, flags } = line;
  const problems = invalidFlags.map((part) => problemWith(part, line));
  for (const { option } of flags.filter(isEmptyFileName))
    problems.push(`${option.long} needs a file name, but it is empty.`);
  if (pending) problems.push(`${pending.long} needs a value.`);
  if (problems.length > 0) return usage(problems.join(' '), { hint: hintFor(line, api) });
  const [word = ''] = operands;
  if (!command)
    return usage('Expected a command before --.', {
      hint: boh.hint`To list all: ${boh.plain('--help')}`,
    });
  const names = command.commands.map((subcommand) => subcommand.name());
  const message = `Unknown command "${commandNameOf(line)} ${word}".`;
  const verb = names.find((name) => name === verbSynonyms[word]);
  const suggestion = verb === undefined ? didYouMean(word, names) : ` Did you mean "${verb}"?`;
  return usage(message + (line.isEnded ? '' : suggestion), { hint: boh.help(commandNameOf(line)) });
}

/** Returns the failure for an error of commander about flags or arguments. Its message starts with "error:". */
export function commandFailure({ code, message }: CommanderError, line: CommandLine, api: Api): Failure {
  const text = message.replace(/^error: /, '');
  const sentence = capitalize(text);
  const excess = code === 'commander.excessArguments' ? firstExcessArgument(text) : undefined;
  const [first, ...more] = commandNameOf(line).split(' ');
  if (excess !== undefined && (more.at(-1) ?? first) === 'export') {
    const corrected =
      more.length === 0
        ? boh.account('export', '--to', excess)
        : boh.account(`${first} export`, '--to', excess);
    return usage(`"${excess}" needs --to: boh ${commandNameOf(line)} has no argument for a file.`, {
      hint: boh.hint`To write it: ${corrected}`,
    });
  }
  const isExcessName = code === 'commander.excessArguments' && api.findResource(line.names[0]?.word ?? '');
  const hint = isExcessName
    ? ['A name with spaces needs quotes: "@Fresh Farms". ', boh.help(commandNameOf(line))]
    : boh.help(commandNameOf(line));
  return usage(/[.?!]$/.test(sentence) ? sentence : `${sentence}.`, { hint });
}

/** Returns the first excess argument, which commander's message quotes. */
function firstExcessArgument(message: string): string | undefined {
  return /but got \d+: (.+?)(?:, .*)?\.$/s.exec(message)?.[1];
}

function problemWith({ name, option }: FlagPart, { command }: CommandLine): string {
  if (option) return `${name} takes no value.`;
  const flagNames = optionsOf(command).flatMap((flagOption) =>
    flagOption.long && !flagOption.hidden ? spellingsOf(flagOption.long, flagOption) : [],
  );
  return `Unknown flag ${name}.${name.startsWith('--') ? didYouMean(name, flagNames) : ''}`;
}

function spellingsOf(long: string, option: object): string[] {
  return option instanceof BooleanOption ? [long, `--no-${long.slice(2)}`] : [long];
}

function hintFor(line: CommandLine, api: Api): Hint {
  const fields = line.invalidFlags.map(({ name }) => name.slice(2).replaceAll('-', '_'));
  const resource = api.findResource(line.names[0]?.word ?? '');
  const secret = fields.find((name) => resource && isSecret(resource.fields, name));
  const secretHint = `Secrets have no flags, because others could see them. To be prompted for it: --ask ${secret}. `;
  return [secret === undefined ? '' : secretHint, boh.help(commandNameOf(line))];
}

function isSecret(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name]?.traits.secret === true;
}

function commandNameOf({ names }: CommandLine): string {
  return names.map(({ word }) => word).join(' ');
}
