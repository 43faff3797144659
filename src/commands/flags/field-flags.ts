/** Fields and filters as flags of the command line: `--dial-code`, `--tags-id`, `--no-is-active`. */
import { type Command, Option } from 'commander';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { isList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { flagName } from '../../contract/text.ts';
import { missingFields } from '../../interaction/input/missing-input.ts';
import { describeField, describeFilter, placeholder } from '../../reference/value-words.ts';
import { BooleanOption } from '../line/boolean-option.ts';

/** The options of a body's fields. Secrets have none: a command line is seen by everyone on the machine. */
export function fieldOptions(operation: Operation): Option[] {
  const required = missingFields(operation, {}).map(({ name }) => name);
  return operation.body
    .filter(({ field }) => !field.traits.secret)
    .map(({ name, field }) => {
      const notes = [
        required.includes(name) && ' (required)',
        isReplaced(operation, field) && ' (replaces them)',
        field.kind === 'ring' && ' (or @FILE of GeoJSON)',
      ];
      const about =
        describeField(field, { isNew: operation.effect === 'create' }) + notes.filter(Boolean).join('');
      return valueOption(name, field, about, isList(field)).helpGroup('Fields:');
    });
}

/** What an update is given as a list takes the place of the one that is there. */
function isReplaced({ effect }: Operation, field: Field): boolean {
  return effect === 'update' && isList(field);
}

/** Every filter of the contract as a flag, and one for those that it doesn't know. */
export function addFilterFlags(command: Command, filters: readonly Filter[]): void {
  const others = new Option('--filter <key=value>', 'any other filter, passed on as it is')
    .argParser((text: string, before: string[] = []) => [...before, text])
    .default([], 'none');
  const known = filters.map(({ name, value }) => valueOption(name, value, describeFilter(value), false));
  for (const option of [...known, others]) command.addOption(option.helpGroup('Filters:'));
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
  const flags = `--${flagName(name)} <${placeholder(field)}>`;
  const option = field.kind === 'boolean' ? new BooleanOption(flags, about) : new Option(flags, about);
  // Texts are read later, all together, so that every violation is reported at once.
  if (repeatable) option.argParser((text: string, before: string[] = []) => [...before, text]);
  return option;
}
