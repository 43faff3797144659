/**
 * Parses the words of a command line: names of commands, flags with their values, and operands. Running a command line,
 * completing it and reporting its failure all use this parser. Every start loads this file: keep it small.
 */
import type { Option } from 'commander';
import { isFlag } from '../../input/command-line.ts';
import { BooleanOption, type Command } from '../command.ts';
import { globalOptions, helpOption, versionOption } from '../globals.ts';

/** A flag of a command line, with its value. */
export interface ParsedFlag {
  option: Option;
  /** The value; `true` for a boolean flag without a value, `false` for `--no-`. Undefined if the flag has no value. */
  value: string | undefined;
}

export interface CommandLine {
  /** The words that name the command, each with its index in the command line. */
  names: readonly { word: string; index: number }[];
  /** The innermost named command; undefined if `parseCommandLine` was called without a command. */
  command: Command | undefined;
  /** The flags in the order of the command line. */
  flags: readonly ParsedFlag[];
  /** Unknown flags, and flags with a value that don't take one. */
  invalidFlags: readonly FlagPart[];
  /** All other words: IDs and other arguments, and all words after `--`. */
  operands: readonly string[];
  /** The last flag, if its value is missing. */
  pending: Option | undefined;
  /** Whether the command line has `--`: later words are neither flags nor names of commands. */
  isEnded: boolean;
}

/**
 * Parses a command line. Without `namedCommand` it finds only the global flags and the name of the command. A `raw` command
 * gets the words after its name unchanged, as operands.
 */
export function parseCommandLine(
  words: readonly string[],
  namedCommand?: Command,
  { raw = false } = {},
): CommandLine {
  const names: { word: string; index: number }[] = [];
  const flags: ParsedFlag[] = [];
  const invalidFlags: FlagPart[] = [];
  const operands: string[] = [];
  let command: Command | undefined;
  let pending: Option | undefined;
  let isEnded = false;
  let index = 0;

  const takeFlag = (part: FlagPart) => {
    const { option, value } = part;
    const takesNextWord = usesNextWord(part, words[index + 1]);
    if (!option || (value !== undefined && !takesValue(option))) invalidFlags.push(part);
    else if (takesNextWord && index + 1 === words.length) pending = option;
    else if (takesNextWord) flags.push({ option, value: words[++index] });
    else flags.push({ option, value: option instanceof BooleanOption ? (value ?? 'true') : value });
  };

  for (; index < words.length; index++) {
    const word = words[index] ?? '';
    const isName = !isEnded && operands.length === 0;
    if (isEnded || (raw && names.length > 0)) {
      operands.push(word);
    } else if (word === '--') {
      isEnded = true;
    } else if (isFlag(word)) {
      for (const part of parseFlags(word, optionsOf(command))) takeFlag(part);
    } else {
      const subcommand =
        names.length === 0 ? namedCommand : command?.commands.find((candidate) => hasName(candidate, word));
      if (isName && (names.length === 0 || subcommand)) {
        names.push({ word, index });
        command = subcommand;
      } else {
        operands.push(word);
      }
    }
  }
  return { names, command, flags, invalidFlags, operands, pending, isEnded };
}

/** Rewrites `boh help customers` as `boh customers --help`. */
export function withoutHelpWord(argv: readonly string[]): readonly string[] {
  const [firstName] = parseCommandLine(argv).names;
  return firstName?.word === 'help' ? argv.with(firstName.index, `${helpOption.long}`) : argv;
}

const commonOptions: readonly Option[] = [...globalOptions, helpOption, versionOption];

/** Returns the flags of a command: its own before the global flags. */
export function optionsOf(command: Command | undefined): readonly Option[] {
  return command ? [...command.options, ...commonOptions] : commonOptions;
}

/** Returns whether a flag for a file has an empty value, for example from a shell variable that isn't set. */
export function isEmptyFileName({ option, value }: ParsedFlag): boolean {
  return value === '' && option.flags.endsWith('<file>');
}

/** Returns the arguments of the named command in an unambiguous spelling for commander. */
export function commanderArguments({ flags, operands }: CommandLine): string[] {
  const words = flags
    .filter(({ option }) => !commonOptions.includes(option))
    .map(({ option: { long }, value }) => (value === undefined ? `${long}` : `${long}=${value}`));
  return operands.length === 0 ? words : [...words, '--', ...operands];
}

function hasName(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}

/** A flag in a word of a command line. */
export interface FlagPart {
  name: string;
  /** Undefined for an unknown flag. */
  option: Option | undefined;
  /** The text after the flag in the same word. */
  value: string | undefined;
}

/** Parses the flags in a word. Short flags can be grouped in one word, and the last of them can have a value. */
export function parseFlags(word: string, options: readonly Option[]): FlagPart[] {
  return word.startsWith('--') ? [parseLongFlag(word, options)] : parseShortFlags(word.slice(1), options);
}

export function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** Returns whether the next word is the value of a flag. For a boolean flag only `true` and `false` are, so that an ID can follow. */
function usesNextWord({ option, value }: FlagPart, nextWord: string | undefined): boolean {
  if (!option || value !== undefined) return false;
  if (option instanceof BooleanOption) return nextWord === 'true' || nextWord === 'false';
  return option.required || (option.optional && nextWord !== undefined && !isFlag(nextWord));
}

function parseLongFlag(word: string, options: readonly Option[]): FlagPart {
  const [, name = word, value] = /^(--[^=]*)=(.*)$/s.exec(word) ?? [];
  const option = options.find(({ long }) => long === name);
  if (option || !name.startsWith('--no-') || value !== undefined) return { name, option, value };
  const positiveOption = options.find(({ long }) => long === `--${name.slice('--no-'.length)}`);
  return positiveOption instanceof BooleanOption
    ? { name, option: positiveOption, value: 'false' }
    : { name, option, value };
}

function parseShortFlags(letters: string, options: readonly Option[]): FlagPart[] {
  const letter = String.fromCodePoint(letters.codePointAt(0) ?? 0);
  const name = `-${letter}`;
  const remainingLetters = letters.slice(letter.length);
  const option = options.find(({ short }) => short === name);
  if (remainingLetters === '') return [{ name, option, value: undefined }];
  // The text after an unknown letter may be its value.
  if (!option || takesValue(option) || remainingLetters.startsWith('=')) {
    return [{ name, option, value: remainingLetters.replace(/^=/, '') }];
  }
  return [{ name, option, value: undefined }, ...parseShortFlags(remainingLetters, options)];
}
