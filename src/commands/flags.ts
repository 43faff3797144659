/** Fields and filters as flags of the command line: `--dial-code`, `--tags-id`, `--no-is-active`. */
import { type Command, Option } from 'commander';
import type { Field } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import type { Operation } from '../contract/operation.ts';
import { flagName } from '../contract/text.ts';
import { booleanPlaceholder, describeField, describeFilter, placeholder } from '../reference/value-words.ts';
import { missingFields } from './missing-input.ts';

/** The options of a body's fields. Secrets have none: a command line is seen by everyone on the machine. */
export function fieldOptions(operation: Operation): Option[] {
  const required = missingFields(operation, {}).map(({ name }) => name);
  return operation.body
    .filter(({ field }) => !field.traits.secret)
    .map(({ name, field }) => {
      const about = describeField(field) + (required.includes(name) ? ' (required)' : '');
      return valueOption(name, field, about, isList(field)).helpGroup('Fields:');
    });
}

export function filterOptions(filters: readonly Filter[]): Option[] {
  return filters.map(({ name, value }) =>
    valueOption(name, value, describeFilter(value), false).helpGroup('Filters:'),
  );
}

/** Values by the name of the field or filter they belong to, in the order in which those are declared. */
export function givenValues(command: Command, names: readonly string[]): { name: string; texts: string[] }[] {
  return names.flatMap((name) => {
    const option = command.options.find(({ long }) => long === `--${flagName(name)}`);
    const value: unknown = option && command.getOptionValue(option.attributeName());
    if (value === undefined) return [];
    return [{ name, texts: Array.isArray(value) ? value.map(String) : [String(value)] }];
  });
}

function valueOption(name: string, field: Field, about: string, repeatable: boolean): Option {
  const option = new Option(`--${flagName(name)} <${placeholder(field)}>`, about);
  // Texts are read later, all together, so that every violation is reported at once.
  if (repeatable) option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option;
}

function isList({ kind }: Field): boolean {
  return kind === 'many' || kind === 'words' || kind === 'integers' || kind === 'ids';
}

/** How help shows an option: `--[no-]is-active` for a boolean. */
export function optionTerm({ flags, long }: Option): string {
  return flags.endsWith(`<${booleanPlaceholder}>`) ? `--[no-]${long?.slice(2)}` : flags;
}

/**
 * Writes boolean flags out before commander sees them: `--is-active` and `--is-active false` become
 * `--is-active=true` and `--is-active=false`, `--no-is-active` too. A separate word counts as the value only when it
 * is `true` or `false`, so that an id may follow the flag.
 */
export function spellBooleans(argv: readonly string[], options: readonly Option[]): string[] {
  const booleans = new Set(
    options.flatMap(({ long, flags }) => (long && flags.endsWith(`<${booleanPlaceholder}>`) ? [long] : [])),
  );
  const valued = new Set(options.flatMap((option) => (option.required ? [option.long, option.short] : [])));
  const spelled: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    const positive = word.startsWith('--no-') ? `--${word.slice('--no-'.length)}` : undefined;
    if (word === '--') return [...spelled, ...argv.slice(at)];
    if (booleans.has(word)) {
      const isSpelled = next === 'true' || next === 'false';
      spelled.push(`${word}=${isSpelled ? next : 'true'}`);
      if (isSpelled) at++;
    } else if (positive !== undefined && booleans.has(positive)) {
      spelled.push(`${positive}=false`);
    } else if (valued.has(word) && next !== undefined) {
      spelled.push(word, next);
      at++;
    } else {
      spelled.push(word);
    }
  }
  return spelled;
}
