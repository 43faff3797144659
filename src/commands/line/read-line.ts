/**
 * Reads the words of a line: names of commands, flags with their values, operands. Running a line, completing it and
 * reporting its failure all use this reader. Every start loads it: keep it small.
 */
import { Option } from 'commander';
import { isFlag } from '../../input/flag-words.ts';
import type { Command } from '../command.ts';
import { globalOptions, helpOption, versionOption } from '../globals.ts';

/** To commander it takes a value, which the reader of the line has written out by then. */
export class BooleanOption extends Option {}

/** Returns an option as help shows it: `--[no-]is-active` for a boolean. */
export function optionTerm(option: Option): string {
  return option instanceof BooleanOption ? `--[no-]${option.long?.slice(2)}` : option.flags;
}

export interface GivenFlag {
  option: Option;
  /** As typed; `true` for a boolean flag without a value, `false` for `--no-`. Undefined where it takes none. */
  value: string | undefined;
}

export interface Line {
  /** The words that name the command, each with its place on the line. */
  names: readonly { word: string; at: number }[];
  /** The innermost command that is named, where a command was handed over. */
  command: Command | undefined;
  /** In the order in which they stand. */
  flags: readonly GivenFlag[];
  /** Unknown flags, and flags with a value that take none. */
  wrong: readonly FlagPart[];
  /** All other words: ids and other arguments, and whatever follows `--`. */
  operands: readonly string[];
  /** A flag at the end whose value would come next. */
  pending: Option | undefined;
  /** Whether `--` has stood: behind it no word is a flag or names a command. */
  isEnded: boolean;
}

/**
 * Reads a line as far as is known of it. Without a command these are the global flags, and the first
 * operand, which names one. A `raw` command takes the words behind its name as they are.
 */
export function readLine(words: readonly string[], named?: Command, { raw = false } = {}): Line {
  const names: { word: string; at: number }[] = [];
  const flags: GivenFlag[] = [];
  const wrong: FlagPart[] = [];
  const operands: string[] = [];
  let command: Command | undefined;
  let pending: Option | undefined;
  let isEnded = false;
  let at = 0;

  const takeFlag = (part: FlagPart) => {
    const { option, value } = part;
    const isWanted = wantsNext(part, words[at + 1]);
    if (!option || (value !== undefined && !takesValue(option))) wrong.push(part);
    else if (isWanted && at + 1 === words.length) pending = option;
    else if (isWanted) flags.push({ option, value: words[++at] });
    else flags.push({ option, value: option instanceof BooleanOption ? (value ?? 'true') : value });
  };

  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    const isName = !isEnded && operands.length === 0;
    if (isEnded || (raw && names.length > 0)) {
      operands.push(word);
    } else if (word === '--') {
      isEnded = true;
    } else if (isFlag(word)) {
      for (const part of readFlags(word, optionsOf(command))) takeFlag(part);
    } else {
      const below = names.length === 0 ? named : command?.commands.find((it) => isCalled(it, word));
      if (isName && (names.length === 0 || below)) {
        names.push({ word, at });
        command = below;
      } else {
        operands.push(word);
      }
    }
  }
  return { names, command, flags, wrong, operands, pending, isEnded };
}

/** Returns `boh help customers` as `boh customers --help`. */
export function withoutHelpWord(argv: readonly string[]): readonly string[] {
  const [first] = readLine(argv).names;
  return first?.word === 'help' ? argv.with(first.at, `${helpOption.long}`) : argv;
}

const anywhereOptions: readonly Option[] = [...globalOptions, helpOption, versionOption];

/** Returns the flags of a command: its own before the global flags. */
export function optionsOf(command: Command | undefined): readonly Option[] {
  return command ? [...command.options, ...anywhereOptions] : anywhereOptions;
}

/** Returns whether a flag for a file has an empty value, as from a variable that isn't set. */
export function isNameless({ option, value }: GivenFlag): boolean {
  return value === '' && option.flags.endsWith('<file>');
}

/** Returns the words in a spelling that commander can't misread, for the named command. */
export function spelledOut({ flags, operands }: Line): string[] {
  const words = flags
    .filter(({ option }) => !anywhereOptions.includes(option))
    .map(({ option: { long }, value }) => (value === undefined ? `${long}` : `${long}=${value}`));
  return operands.length === 0 ? words : [...words, '--', ...operands];
}

function isCalled(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

/** A flag within a word, with `name` as typed. An unknown one has no option. */
export interface FlagPart {
  name: string;
  option: Option | undefined;
  /** What stands behind it in the same word. */
  value: string | undefined;
}

/** Reads the flags in a word: grouped short flags are several, and the last one may take a value. */
export function readFlags(word: string, options: readonly Option[]): FlagPart[] {
  return word.startsWith('--') ? [readLong(word, options)] : readGroup(word.slice(1), options);
}

/** Whether it can have a value at all. */
export function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** Whether the next word is its value. Of a boolean it is only where it is one, so that an id may follow the flag. */
function wantsNext({ option, value }: FlagPart, next: string | undefined): boolean {
  if (!option || value !== undefined) return false;
  if (option instanceof BooleanOption) return next === 'true' || next === 'false';
  return option.required || (option.optional && next !== undefined && !isFlag(next));
}

function readLong(word: string, options: readonly Option[]): FlagPart {
  const [, name = word, value] = /^(--[^=]*)=(.*)$/s.exec(word) ?? [];
  const option = options.find(({ long }) => long === name);
  if (option || !name.startsWith('--no-') || value !== undefined) return { name, option, value };
  const positive = options.find(({ long }) => long === `--${name.slice('--no-'.length)}`);
  return positive instanceof BooleanOption
    ? { name, option: positive, value: 'false' }
    : { name, option, value };
}

function readGroup(letters: string, options: readonly Option[]): FlagPart[] {
  const letter = String.fromCodePoint(letters.codePointAt(0) ?? 0);
  const name = `-${letter}`;
  const rest = letters.slice(letter.length);
  const option = options.find(({ short }) => short === name);
  if (rest === '') return [{ name, option, value: undefined }];
  // What follows an unknown letter may be its value.
  if (!option || takesValue(option) || rest.startsWith('=')) {
    return [{ name, option, value: rest.replace(/^=/, '') }];
  }
  return [{ name, option, value: undefined }, ...readGroup(rest, options)];
}
