/** Defines flags that several groups of commands share, repeatable flags, and flags with a fixed set of values. */
import { Option } from 'commander';
import { type FieldMessages, violations } from '../../base/errors.ts';
import { orDidYouMean } from '../../base/suggest.ts';

/** Returns a flag that can be repeated. Its value is the list of all values; undefined without the flag. */
export function repeatable(
  flags: string,
  about: string,
  split: (text: string) => readonly string[] = (text) => [text],
): Option {
  const collect = (text: string, previous: readonly string[] = []) => [...previous, ...split(text)];
  return new Option(flags, about).argParser(collect);
}

/** Returns a flag that can be repeated, and whose values may also be separated by commas. */
export function repeatableList(flags: string, about: string): Option {
  return repeatable(flags, about, (text) => text.split(','));
}

/** A flag that accepts only these words. Completion suggests them; the command refuses other words with `parseChoice`. */
export class ChoiceOption extends Option {
  readonly words: readonly string[];

  constructor(flags: string, about: string, words: readonly string[]) {
    super(flags, about);
    this.words = words;
  }
}

/** Returns the word if it is allowed. Otherwise adds a message for the flag to `problems`. */
export function parseChoice<Word extends string>(
  flag: string,
  value: string | undefined,
  words: readonly Word[],
  problems: FieldMessages,
): Word | undefined {
  const word = words.find((candidate) => candidate === value);
  if (value !== undefined && word === undefined)
    problems[flag] = [`--${flag} must be ${joinAlternatives(words)}${orDidYouMean(value, words)}`];
  return word;
}

/** Joins words with commas and "or": `create, update or upsert`. */
export function joinAlternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Throws one usage failure with all problems of the flags, if there are any. */
export function refuseFlags(problems: FieldMessages): void {
  if (Object.keys(problems).length > 0) throw violations('command line', problems);
}

/** The value of `--any-account`. */
export interface AnyAccountFlag {
  anyAccount?: boolean;
}

/** Returns the flag `--any-account`, for commands that use a file of another account. `about` says what the flag allows. */
export function anyAccountOption(about: string): Option {
  return new Option('--any-account', about).helpGroup('Advanced:');
}

/** Returns the flag `--accept-damage`. */
export function damageOption(): Option {
  return new Option(
    '--accept-damage',
    'write values that a spreadsheet or a wrong encoding has probably damaged',
  );
}

/** The value of `--normalize-phones`. */
export interface PhoneFlags {
  normalizePhones?: boolean;
}

/** Returns the flag that writes phone numbers as digits. */
export function phoneOption(): Option {
  return new Option(
    '--normalize-phones',
    'write phone numbers as digits; a calling code (+966, 00966) goes to dial_code',
  );
}

/** The value of `--no-wait`. */
export interface WaitFlags {
  /** False with `--no-wait`. */
  wait?: boolean | undefined;
}

/** Returns the flag `--no-wait`, for commands that wait for other runs. */
export function noWaitOption(): Option {
  return new Option('--no-wait', 'fail if another run is writing the same records, instead of waiting');
}
