/** Failures of a command line that can't be run, with all its problems at once. */

import type { CommanderError } from 'commander';
import { type Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { capitalized } from '../../contract/wording.ts';
import { BooleanOption, type FlagPart, isNameless, type Line, optionsOf } from './read-line.ts';

/** Words that people use for a verb, with the verb that they mean. They aren't accepted, only suggested. */
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
export function lineFailure(line: Line, api: Api): Failure {
  const { command, wrong, pending, operands, flags } = line;
  const sentences = wrong.map((part) => sentenceFor(part, line));
  for (const { option } of flags.filter(isNameless))
    sentences.push(`${option.long} needs a file name, but it is empty.`);
  if (pending) sentences.push(`${pending.long} needs a value.`);
  if (sentences.length > 0) return usage(sentences.join(' '), { hint: hintFor(line, api) });
  const [word = ''] = operands;
  if (!command)
    return usage('Expected a command before --.', {
      hint: boh.hint`To list all: ${boh.plain('--help')}`,
    });
  const names = command.commands.map((below) => below.name());
  const what = `Unknown command "${nameOf(line)} ${word}".`;
  const suggested = names.find((name) => name === verbSynonyms[word]);
  const guess = suggested === undefined ? didYouMean(word, names) : ` Did you mean "${suggested}"?`;
  return usage(what + (line.isEnded ? '' : guess), { hint: boh.help(nameOf(line)) });
}

/** Returns the failure for an error of commander about flags and arguments, whose messages begin with "error:". */
export function commandFailure({ code, message }: CommanderError, line: Line, api: Api): Failure {
  const text = message.replace(/^error: /, '');
  const sentence = capitalized(text);
  const excess = code === 'commander.excessArguments' ? excessIn(text) : undefined;
  const [first, ...more] = nameOf(line).split(' ');
  if (excess !== undefined && (more.at(-1) ?? first) === 'export') {
    const fixed =
      more.length === 0
        ? boh.account('export', '--to', excess)
        : boh.account(`${first} export`, '--to', excess);
    return usage(`"${excess}" needs --to: boh ${nameOf(line)} has no argument for a file.`, {
      hint: boh.hint`To write it: ${fixed}`,
    });
  }
  const isName = code === 'commander.excessArguments' && api.findResource(line.names[0]?.word ?? '');
  const hint = isName
    ? ['A name with spaces needs quotes: "@Fresh Farms". ', boh.help(nameOf(line))]
    : boh.help(nameOf(line));
  return usage(/[.?!]$/.test(sentence) ? sentence : `${sentence}.`, { hint });
}

/** Returns the first argument that is too many, as commander's message quotes it. */
function excessIn(message: string): string | undefined {
  return /but got \d+: (.+?)(?:, .*)?\.$/s.exec(message)?.[1];
}

function sentenceFor({ name, option }: FlagPart, { command }: Line): string {
  if (option) return `${name} takes no value.`;
  const known = optionsOf(command).flatMap((it) => (it.long && !it.hidden ? spellings(it.long, it) : []));
  return `Unknown flag ${name}.${name.startsWith('--') ? didYouMean(name, known) : ''}`;
}

function spellings(long: string, option: object): string[] {
  return option instanceof BooleanOption ? [long, `--no-${long.slice(2)}`] : [long];
}

function hintFor(line: Line, api: Api): Hint {
  const fields = line.wrong.map(({ name }) => name.slice(2).replaceAll('-', '_'));
  const resource = api.findResource(line.names[0]?.word ?? '');
  const secret = fields.find((name) => resource && isSecret(resource.fields, name));
  const how = `Secrets have no flags, because others could see them. To be prompted for it: --ask ${secret}. `;
  return [secret === undefined ? '' : how, boh.help(nameOf(line))];
}

function isSecret(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name]?.traits.secret === true;
}

function nameOf({ names }: Line): string {
  return names.map(({ word }) => word).join(' ');
}
