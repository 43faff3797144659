/**
 * The flags that the contract defines: fields and filters (`--dial-code`, `--tags-id`, `--no-is-active`, `--add-tags`), and
 * the IDs, input, keys and output of verbs.
 */
import { Option } from 'commander';
import type { ListChange } from '../../../account/session/diff/lists.ts';
import { isList, splitList } from '../../../api/contract/comma-list.ts';
import { keyFields } from '../../../api/contract/composite.ts';
import { type Field, many } from '../../../api/contract/field.ts';
import type { Filter } from '../../../api/contract/filter.ts';
import { type BodyField, type Operation, operation as operationOf } from '../../../api/contract/operation.ts';
import { flagName, type ParseResult } from '../../../api/contract/value-text.ts';
import {
  describeField,
  describeFilter,
  filterPlaceholder,
  placeholder,
} from '../../../api/reference/value-descriptions.ts';
import type { FieldMessages } from '../../../base/errors.ts';
import { deletedChoices } from '../../../engine/tables/columns/options.ts';
import { canBeCleared } from '../../context/kinds.ts';
import { parseFlagValues } from '../../input/flag-values.ts';
import { acceptsSeveralTargets, idNames, missingFields } from '../../prompts/missing-input.ts';
import { planningFlags } from '../bulk/run-flags.ts';
import { type Flag, type FlagRule, type FlagsOf, orNone, repeated, repeatedBy, under } from './flag-table.ts';
import { phoneFlag } from './shared-flags.ts';

/** Returns a flag for each field of a body. Secrets have no flag: other users of the machine can see command lines. */
export function fieldFlags(operation: Operation): Flag[] {
  const requiredNames = missingFields(operation, {}).map(({ name }) => name);
  const flags = operation.body
    .filter(({ field }) => !field.traits.secret)
    .map(({ name, field }) => {
      const notes = [
        requiredNames.includes(name) && ' (required)',
        operation.effect === 'update' && isList(field) && ' (replaces the list)',
        field.kind === 'ring' && ' (or @FILE of GeoJSON)',
      ];
      const about =
        describeField(field, { isNew: operation.effect === 'create' }) + notes.filter(Boolean).join('');
      return valueFlag(name, field, about, isList(field));
    });
  return [...under('Fields:', flags)];
}

const otherFilterFlag = [
  '--filter <key=value>',
  'any other filter, sent unchanged',
  { ...repeated, ...orNone },
] as const;

/** Returns a flag for each filter of the contract, and `--filter` for others. */
export function filterFlags(filters: readonly Filter[]) {
  const flags: readonly Flag[] = filters.map(({ name, value }) =>
    valueFlag(name, value, describeFilter(value), false, filterPlaceholder(value)),
  );
  return under('Filters:', [...flags, otherFilterFlag]);
}

/** Returns the values of the flags for fields or filters that the command line contains, in the order of `names`. */
export function flagValues(flags: object, names: readonly string[]): { name: string; values: string[] }[] {
  const flagValueByName: Readonly<Record<string, unknown>> = { ...flags };
  return names.flatMap((name) => {
    const value = flagValueByName[new Option(`--${flagName(name)}`).attributeName()];
    if (value === undefined) return [];
    return [{ name, values: Array.isArray(value) ? value.map(String) : [String(value)] }];
  });
}

/** Returns the flag of a value. Its text is parsed later, together with the others, so that all violations are reported at once. */
function valueFlag(
  name: string,
  field: Field,
  about: string,
  isRepeatable: boolean,
  value = placeholder(field),
): Flag {
  const rule: FlagRule = field.kind === 'boolean' ? { isBoolean: true } : {};
  return [`--${flagName(name)} <${value}>`, about, isRepeatable ? repeated : rule];
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
export function listChangeFlags(operation: Operation): readonly Flag[] {
  return under(
    'Fields:',
    operation.body
      .filter((entry) => isChangeable(operation, entry))
      .flatMap(({ name, field }) =>
        listActions.map((action): Flag => {
          const value = placeholder(actionField(field, action));
          return [`--${action}-${flagName(name)} <${value}>`, actionTexts[action], repeated];
        }),
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
  flags: object,
  operation: Operation,
  replacedFields: readonly string[],
): ListChanges {
  const changes: ListChange[] = [];
  const problems: FieldMessages = Object.create(null);
  for (const entry of operation.body.filter((bodyField) => isChangeable(operation, bodyField))) {
    const { name, field } = entry;
    const [add, remove] = listActions.map((action) => {
      const [flag] = flagValues(flags, [`${action}_${name}`]);
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

/** Returns the IDs as arguments. All are optional for commander: boh prompts for missing IDs, or reports them. */
export function idArguments(operation: Operation) {
  const acceptsSeveral = acceptsSeveralTargets(operation);
  const names = idNames(operation).map((name, index, names) =>
    acceptsSeveral && index === names.length - 1 ? `${name}...` : name,
  );
  const about = acceptsSeveral ? 'the ID, or @NAME; - reads IDs from standard input' : 'the ID, or @NAME';
  return {
    args: names.map((name) => [`[${name}]`, about] as const),
    usage: [...names.map((name) => `<${name}>`), '[flags]'].join(' '),
  };
}

const dataFlag = [
  '--data <json>',
  'the body as JSON, @FILE, or - for standard input; flags override it',
] as const;
const encodingFlag = [
  '--encoding <name>',
  'encoding of that file or of standard input (default: utf-8)',
] as const;

/** Returns the flags that set the request body, other than the field flags. */
export function inputFlags({ body }: Operation) {
  const secrets = body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  const names = { ...repeatedBy(splitList), ...orNone };
  const clearFlag = ['--clear <fields>', 'fields to clear: set to null, or to an empty list', names] as const;
  const askFlag = [
    '--ask <fields>',
    `prompt for these without showing them: ${secrets.join(', ')}`,
    names,
  ] as const;
  return under('Input:', [
    dataFlag,
    encodingFlag,
    ...(body.some(({ field }) => canBeCleared(field)) ? [clearFlag] : []),
    ...(secrets.length > 0 ? [askFlag] : []),
    ...(body.some(({ field }) => field.traits.form === 'phone') ? [phoneFlag] : []),
  ]);
}

/** How to find an existing record: by which fields, and what to do if it is deleted. */
export interface MatchOptions {
  key: readonly string[] | undefined;
  onDeleted: (typeof deletedChoices)[number];
}

/** Returns the flags that find an existing record. */
export function keyFlags(create: Operation) {
  const uniqueFields = keyFields(create).filter(({ field }) => field.traits.unique);
  const defaultText =
    uniqueFields.length > 0 ? ` (default: ${uniqueFields.map(({ name }) => name).join(', else ')})` : '';
  const onDeletedFlag = [
    '--on-deleted <action>',
    'if the record is deleted: restore or refuse (default: refuse)',
    { words: deletedChoices },
  ] as const;
  return under('Matching existing records:', [
    ['--key <fields>', `the fields that identify an existing record${defaultText}`],
    ...(create.resource.restore ? [onDeletedFlag] : []),
  ]);
}

export type KeyFlags = FlagsOf<ReturnType<typeof keyFlags>>;

/** Returns the problems of the flags that find an existing record, by flag. */
export function keyProblems({ key }: KeyFlags): FieldMessages {
  return key === '' ? { key: ['--key is empty, perhaps from an unset variable'] } : {};
}

/** Returns how to find an existing record. */
export function parseKeyFlags({ key, onDeleted = 'refuse' }: KeyFlags): MatchOptions {
  return { key: key === undefined ? undefined : parseKey(key), onDeleted };
}

/** Returns the names of the fields that `--key` names. */
export function parseKey(text: string): string[] {
  return splitList(text).map((name) => name.replaceAll('-', '_'));
}

const whereFlags = [
  ...under('Bulk run:', [
    ['--where <key=value>', 'all records that match this filter, instead of an ID (repeatable)', repeated],
  ]),
  ...planningFlags,
] as const;

/** The flags of a run over filters, not yet validated. */
export type WhereFlags = FlagsOf<typeof whereFlags>;

/** Returns the flags of a bulk run over filters, if they can find the records that the operation changes. */
export function whereFlagsOf({ effect, resource, params }: Operation) {
  const isRecordWrite = params.length > 0 && effect !== 'act' && effect !== 'get';
  return isRecordWrite && operationOf(resource, 'list') !== undefined ? whereFlags : [];
}

export const includeFlag = ['--include <relations>', 'relations to show in full, such as a,b.c'] as const;

/** The flags that choose and format the output. */
export const viewFlags = under('Output:', [
  ['--columns <names>', 'these columns, in this order; ? lists them'],
  ['--query <expression>', 'filter and reshape with JMESPath'],
  ['--raw', 'print the response body unchanged'],
  ['--wide', "don't cut columns to fit the window"],
  ['--local-time', 'show times in the time zone of this machine, also without a terminal'],
  ['--bom', 'write CSV for spreadsheets: with a byte order mark and guarded formulas'],
]);
