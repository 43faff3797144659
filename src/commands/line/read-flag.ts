/** One word of a line that begins with a dash, taken apart: `--status=closed`, `--no-is-active`, `-qo`. */
import type { Option } from 'commander';
import { isFlag } from '../../interaction/input/flag-words.ts';
import { BooleanOption } from './boolean-option.ts';

/** A flag within a word. One that nobody knows has no option; `name` is as it was typed. */
export interface FlagPart {
  name: string;
  option: Option | undefined;
  /** What stands behind it in the same word. */
  value: string | undefined;
}

/** The flags in a word: several where short ones are grouped, of which the last may take a value. */
export function readFlags(word: string, options: readonly Option[]): FlagPart[] {
  return word.startsWith('--') ? [readLong(word, options)] : readGroup(word.slice(1), options);
}

/** Whether it can have a value at all. */
export function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** Whether the next word is its value. Of a boolean it is only where it is one, so that an id may follow the flag. */
export function wantsNext({ option, value }: FlagPart, next: string | undefined): boolean {
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
  // What follows a letter that nobody knows may be its value.
  if (!option || takesValue(option) || rest.startsWith('=')) {
    return [{ name, option, value: rest.replace(/^=/, '') }];
  }
  return [{ name, option, value: undefined }, ...readGroup(rest, options)];
}
