/** Defines flags for fields and filters: `--dial-code`, `--tags-id`, `--no-is-active`, `--add-tags`. */
import { Option } from 'commander';
import type { FieldMessages } from '../../base/errors.ts';
import { isList } from '../../contract/comma-list.ts';
import { type Field, many } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { flagName, type ParseResult } from '../../contract/value-text.ts';
import { parseFlagValues } from '../../input/flag-values.ts';
import { missingFields } from '../../prompts/missing-input.ts';
import {
  describeField,
  describeFilter,
  filterPlaceholder,
  placeholder,
} from '../../reference/value-descriptions.ts';
import type { ListChange } from '../../session/diff/lists.ts';
import type { Command } from '../command.ts';
import { BooleanOption } from '../line/command-line.ts';
import { repeatable } from './shared-flags.ts';

/** Returns a flag for each field of a body. Secrets have no flag: other users of the machine can see command lines. */
export function fieldOptions(operation: Operation): Option[] {
  const requiredNames = missingFields(operation, {}).map(({ name }) => name);
  return operation.body
    .filter(({ field }) => !field.traits.secret)
    .map(({ name, field }) => {
      const notes = [
        requiredNames.includes(name) && ' (required)',
        replacesList(operation, field) && ' (replaces the list)',
        field.kind === 'ring' && ' (or @FILE of GeoJSON)',
      ];
      const about =
        describeField(field, { isNew: operation.effect === 'create' }) + notes.filter(Boolean).join('');
      return valueOption(name, field, about, isList(field)).helpGroup('Fields:');
    });
}

/** Returns whether the operation replaces the list of the record. */
function replacesList({ effect }: Operation, field: Field): boolean {
  return effect === 'update' && isList(field);
}

/** Adds a flag for each filter of the contract, and `--filter` for others. */
export function addFilterFlags(command: Command, filters: readonly Filter[]): void {
  const otherFilters = repeatable('--filter <key=value>', 'any other filter, sent unchanged').default(
    [],
    'none',
  );
  const filterOptions = filters.map(({ name, value }) =>
    valueOption(name, value, describeFilter(value), false, filterPlaceholder(value)),
  );
  command.group('Filters:', ...filterOptions, otherFilters);
}

/** Returns the values of the flags for fields or filters that the command line contains, in the order of `names`. */
export function flagValues(command: Command, names: readonly string[]): { name: string; values: string[] }[] {
  return names.flatMap((name) => {
    const option = command.options.find(({ long }) => long === `--${flagName(name)}`);
    const value: unknown = option && command.getOptionValue(option.attributeName());
    if (value === undefined) return [];
    return [{ name, values: Array.isArray(value) ? value.map(String) : [String(value)] }];
  });
}

/** Returns the flag of a value. Its text is parsed later, together with the others, so that all violations are reported at once. */
function valueOption(
  name: string,
  field: Field,
  about: string,
  isRepeatable: boolean,
  value = placeholder(field),
): Option {
  const flags = `--${flagName(name)} <${value}>`;
  if (isRepeatable) return repeatable(flags, about);
  return field.kind === 'boolean' ? new BooleanOption(flags, about) : new Option(flags, about);
}

/** The actions that change a list without replacing it. */
const listActions = ['add', 'remove'] as const;
type ListAction = (typeof listActions)[number];

const actionTexts = { add: 'add to the list', remove: 'remove from the list' };

/** Returns whether `--add-…` and `--remove-…` can change the list: on updates of lists that aren't secret. */
function isChangeable({ effect }: Operation, { field }: BodyField): boolean {
  return effect === 'update' && isList(field) && !field.traits.secret;
}

/** Returns the flags `--add-…` and `--remove-…` of each list that an update can change. */
export function listChangeOptions(operation: Operation): Option[] {
  return operation.body
    .filter((entry) => isChangeable(operation, entry))
    .flatMap(({ name, field }) =>
      listActions.map((action) =>
        repeatable(
          `--${action}-${flagName(name)} <${placeholder(actionField(field, action))}>`,
          actionTexts[action],
        ).helpGroup('Fields:'),
      ),
    );
}

/** Returns the field that the flag accepts: to remove an item, its ID is enough. */
function actionField(field: Field, action: ListAction): Field {
  return action === 'remove' && field.kind === 'many' ? many(field.traits.target ?? '') : field;
}

/** The changes of lists from the command line, and the problems of their flags by field. */
export interface ListChanges {
  changes: ListChange[];
  problems: FieldMessages;
}

/** Parses `--add-…` and `--remove-…`. They can't be combined with a new list: `replacedFields` names these fields. */
export function parseListChanges(
  command: Command,
  operation: Operation,
  replacedFields: readonly string[],
): ListChanges {
  const changes: ListChange[] = [];
  const problems: FieldMessages = Object.create(null);
  for (const entry of operation.body.filter((bodyField) => isChangeable(operation, bodyField))) {
    const { name, field } = entry;
    const [add, remove] = listActions.map((action) => {
      const [flag] = flagValues(command, [`${action}_${name}`]);
      return (
        flag && parseFlagValues(name, actionField(field, action), flag.values, `${action}-${flagName(name)}`)
      );
    });
    if (!add && !remove) continue;
    const flag = flagName(name);
    const conflict = `--${flag} and --clear replace the whole list, and can't be used with --add-${flag} or --remove-${flag}`;
    const messages = [add, remove].flatMap((parsed) => parsed?.problem ?? []);
    if (replacedFields.includes(name)) messages.push(conflict);
    if (messages.length > 0) problems[name] = messages;
    else changes.push({ entry, add: valuesOf(add), remove: valuesOf(remove) });
  }
  return { changes, problems };
}

function valuesOf(parsed: ParseResult | undefined): readonly unknown[] {
  return Array.isArray(parsed?.value) ? parsed.value : [];
}
