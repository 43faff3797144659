/** Fields and filters as flags of the command line: `--dial-code`, `--tags-id`, `--no-is-active`, `--add-tags`. */
import { type Command, Option } from 'commander';
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
import { BooleanOption } from '../line/read-line.ts';

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

export const sides = ['add', 'remove'] as const;
type Side = (typeof sides)[number];

const about = { add: 'to add to those that are there', remove: 'to take out of those that are there' };

/** Whether a list can be changed by difference: an update takes it, and somebody has one already. */
function isChangeable({ effect }: Operation, { field }: BodyField): boolean {
  return effect === 'update' && isList(field) && !field.traits.secret;
}

export function listChangeOptions(operation: Operation): Option[] {
  return operation.body
    .filter((entry) => isChangeable(operation, entry))
    .flatMap(({ name, field }) =>
      sides.map((side) =>
        new Option(`--${side}-${flagName(name)} <${placeholder(sideOf(field, side))}>`, about[side])
          .argParser((text: string, before: string[] = []) => [...before, text])
          .helpGroup('Fields:'),
      ),
    );
}

/** What is removed is named by its id alone. */
function sideOf(field: Field, side: Side): Field {
  return side === 'remove' && field.kind === 'many' ? many(field.traits.target ?? '') : field;
}

export interface ReadChanges {
  changes: ListChange[];
  problems: FieldMessages;
}

/** `replaced` are the names of fields that are given as a whole: no list can be both. */
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
    const both = `--${flag} and --clear give the whole list: leave them out, or --add-${flag} and --remove-${flag}`;
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
