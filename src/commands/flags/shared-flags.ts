/** Flags that commands of several groups share, and two kinds of flags: repeatable ones, and those that take one of a few words. */
import { Option } from 'commander';
import { type FieldMessages, violations } from '../../base/errors.ts';
import { orDidYouMean } from '../../base/suggest.ts';

/** Returns a flag that can be repeated. Its value is the list of all values, undefined without the flag. */
export function repeatable(
  flags: string,
  about: string,
  valuesIn: (text: string) => readonly string[] = (text) => [text],
): Option {
  const collect = (text: string, before: readonly string[] = []) => [...before, ...valuesIn(text)];
  return new Option(flags, about).argParser(collect);
}

/** Returns a flag that can be repeated, and whose values may also be separated by commas. */
export function repeatableList(flags: string, about: string): Option {
  return repeatable(flags, about, (text) => text.split(','));
}

/** A flag that takes one of these words. Completion suggests them; the command refuses others, with all its problems at once. */
export class ChoiceOption extends Option {
  readonly words: readonly string[];

  constructor(flags: string, about: string, words: readonly string[]) {
    super(flags, about);
    this.words = words;
  }
}

/** Returns the typed word if it is one of these. Otherwise adds what is wrong with the flag to `problems`. */
export function oneOf<Word extends string>(
  flag: string,
  typed: string | undefined,
  words: readonly Word[],
  problems: FieldMessages,
): Word | undefined {
  const word = words.find((each) => each === typed);
  if (typed !== undefined && word === undefined)
    problems[flag] = [`--${flag} must be ${listedWords(words)}${orDidYouMean(typed, words)}`];
  return word;
}

/** Returns the words as a choice in a sentence: `create, update or upsert`. */
export function listedWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Throws one usage failure with everything that is wrong with the flags, if anything is. */
export function refuseFlags(problems: FieldMessages): void {
  if (Object.keys(problems).length > 0) throw violations('command line', problems);
}

/** `--any-account` as typed. */
export interface AnyAccountFlag {
  anyAccount?: boolean;
}

/** Returns the flag of every command that reads, changes or deletes a file of an account. `about` says what the flag allows. */
export function anyAccountOption(about: string): Option {
  return new Option('--any-account', about).helpGroup('Advanced:');
}

/** `--normalize-phones` as typed. */
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

/** `--no-wait` as typed. */
export interface WaitFlags {
  /** False with `--no-wait`. */
  wait?: boolean | undefined;
}

/** Returns the flag of every command that otherwise waits for other runs. */
export function noWaitOption(): Option {
  return new Option('--no-wait', 'fail if another run is writing the same records, instead of waiting');
}
