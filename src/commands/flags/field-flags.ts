/** Fields and filters as flags of the command line: `--dial-code`, `--tags-id`, `--no-is-active`, `--add-tags`. */
import { Option } from 'commander';
import type { FieldMessages } from '../../base/errors.ts';
import { type Field, many } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { isList } from '../../contract/list-text.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { flagName, type Read } from '../../contract/text.ts';
import { readTexts } from '../../input/field-texts.ts';
import { missingFields } from '../../prompts/missing-input.ts';
import { describeField, describeFilter, placeholder } from '../../reference/value-words.ts';
import type { ListChange } from '../../session/diff/lists.ts';
import type { Command } from '../command.ts';
import { BooleanOption } from '../line/read-line.ts';
import { repeatable } from './shared-flags.ts';

/** Returns a flag for each field of a body. Secrets have none: everyone on a machine can see its command lines. */
export function fieldOptions(operation: Operation): Option[] {
  const required = missingFields(operation, {}).map(({ name }) => name);
  return operation.body
    .filter(({ field }) => !field.traits.secret)
    .map(({ name, field }) => {
      const notes = [
        required.includes(name) && ' (required)',
        isReplaced(operation, field) && ' (replaces the list)',
        field.kind === 'ring' && ' (or @FILE of GeoJSON)',
      ];
      const about =
        describeField(field, { isNew: operation.effect === 'create' }) + notes.filter(Boolean).join('');
      return valueOption(name, field, about, isList(field)).helpGroup('Fields:');
    });
}

/** Returns whether the given list replaces the list of the record. */
function isReplaced({ effect }: Operation, field: Field): boolean {
  return effect === 'update' && isList(field);
}

/** Adds a flag for each filter of the contract, and `--filter` for others. */
export function addFilterFlags(command: Command, filters: readonly Filter[]): void {
  const others = repeatable('--filter <key=value>', 'any other filter, sent unchanged').default([], 'none');
  const known = filters.map(({ name, value }) => valueOption(name, value, describeFilter(value), false));
  command.group('Filters:', ...known, others);
}

/** Returns the typed values of fields or filters by name, in the order of `names`. */
export function givenValues(command: Command, names: readonly string[]): { name: string; texts: string[] }[] {
  return names.flatMap((name) => {
    const option = command.options.find(({ long }) => long === `--${flagName(name)}`);
    const value: unknown = option && command.getOptionValue(option.attributeName());
    if (value === undefined) return [];
    return [{ name, texts: Array.isArray(value) ? value.map(String) : [String(value)] }];
  });
}

/** Returns the flag of a value. Texts are read later, all together, so that every violation is reported at once. */
function valueOption(name: string, field: Field, about: string, isRepeatable: boolean): Option {
  const flags = `--${flagName(name)} <${placeholder(field)}>`;
  if (isRepeatable) return repeatable(flags, about);
  return field.kind === 'boolean' ? new BooleanOption(flags, about) : new Option(flags, about);
}

export const sides = ['add', 'remove'] as const;
type Side = (typeof sides)[number];

const about = { add: 'add to the list', remove: 'remove from the list' };

/** Returns whether `--add-…` and `--remove-…` can change the list: on updates of lists that aren't secret. */
function isChangeable({ effect }: Operation, { field }: BodyField): boolean {
  return effect === 'update' && isList(field) && !field.traits.secret;
}

export function listChangeOptions(operation: Operation): Option[] {
  return operation.body
    .filter((entry) => isChangeable(operation, entry))
    .flatMap(({ name, field }) =>
      sides.map((side) =>
        repeatable(
          `--${side}-${flagName(name)} <${placeholder(sideOf(field, side))}>`,
          about[side],
        ).helpGroup('Fields:'),
      ),
    );
}

/** Returns the field as its flag takes it: to remove an item its ID is enough. */
function sideOf(field: Field, side: Side): Field {
  return side === 'remove' && field.kind === 'many' ? many(field.traits.target ?? '') : field;
}

export interface ReadChanges {
  changes: ListChange[];
  problems: FieldMessages;
}

/** Reads `--add-…` and `--remove-…`. `replaced` names the fields that are given as a whole: a list can't be both. */
export function readListChanges(
  command: Command,
  operation: Operation,
  replaced: readonly string[],
): ReadChanges {
  const changes: ListChange[] = [];
  const problems: FieldMessages = Object.create(null);
  for (const entry of operation.body.filter((it) => isChangeable(operation, it))) {
    const { name, field } = entry;
    const [add, remove] = sides.map((side) => {
      const [given] = givenValues(command, [`${side}_${name}`]);
      return given && readTexts(name, sideOf(field, side), given.texts, `${side}-${flagName(name)}`);
    });
    if (!add && !remove) continue;
    const flag = flagName(name);
    const both = `--${flag} and --clear replace the whole list: leave them out, or omit --add-${flag} and --remove-${flag}`;
    const wrong = [add, remove].flatMap((read) => read?.problem ?? []);
    if (replaced.includes(name)) wrong.push(both);
    if (wrong.length > 0) problems[name] = wrong;
    else changes.push({ entry, add: valuesOf(add), remove: valuesOf(remove) });
  }
  return { changes, problems };
}

function valuesOf(read: Read | undefined): readonly unknown[] {
  return Array.isArray(read?.value) ? read.value : [];
}
