/** Defines the flags that several verbs share: IDs, input, keys, filters for bulk runs, output. */
import { Option } from 'commander';
import type { FieldMessages } from '../../base/errors.ts';
import { canBeCleared } from '../../context/kinds.ts';
import { splitList } from '../../contract/comma-list.ts';
import { keyFields } from '../../contract/composite.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { acceptsSeveralTargets, idNames } from '../../prompts/missing-input.ts';
import { deletedChoices } from '../../tables/columns/options.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { ChoiceOption, parseChoice, phoneOption, refuseFlags, repeatable } from './shared-flags.ts';

/** Declares the IDs as arguments. All are optional for commander: boh prompts for missing IDs, or reports them. */
export function addIdArguments(command: Command, operation: Operation): void {
  const acceptsSeveral = acceptsSeveralTargets(operation);
  const names = idNames(operation).map((name, index, names) =>
    acceptsSeveral && index === names.length - 1 ? `${name}...` : name,
  );
  const about = acceptsSeveral ? 'the ID, or @NAME; - reads IDs from standard input' : 'the ID, or @NAME';
  for (const name of names) command.argument(`[${name}]`, about);
  command.usage([...names.map((name) => `<${name}>`), '[flags]'].join(' '));
}

const dataFlags = [
  ['--data <json>', 'the body as JSON, @FILE, or - for standard input; flags override it'],
  ['--encoding <name>', 'encoding of that file or of standard input (default: utf-8)'],
] as const;

/** Returns the flags that set the request body, other than the field flags. */
export function inputOptions({ body }: Operation): Option[] {
  const secrets = body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  const options = dataFlags.map(([flags, about]) => new Option(flags, about));
  if (body.some(({ field }) => canBeCleared(field))) {
    const about = 'fields to clear: set to null, or to an empty list';
    options.push(repeatable('--clear <fields>', about, splitList).default([], 'none'));
  }
  if (secrets.length > 0) {
    const about = `prompt for these without showing them: ${secrets.join(', ')}`;
    options.push(repeatable('--ask <fields>', about, splitList).default([], 'none'));
  }
  if (body.some(({ field }) => field.traits.form === 'phone')) options.push(phoneOption());
  return options;
}

/** The key flags as commander returns them, not yet validated. */
export interface KeyFlags {
  key?: string | undefined;
  onDeleted?: string | undefined;
}

/** How to find an existing record: by which fields, and what to do if it is deleted. */
export interface MatchOptions {
  key: readonly string[] | undefined;
  onDeleted: (typeof deletedChoices)[number];
}

/** Returns the flags that find an existing record. */
export function keyOptions(create: Operation): Option[] {
  const uniqueFields = keyFields(create).filter(({ field }) => field.traits.unique);
  const defaultText =
    uniqueFields.length > 0 ? ` (default: ${uniqueFields.map(({ name }) => name).join(', else ')})` : '';
  const options = [
    new Option('--key <fields>', `the fields that identify an existing record${defaultText}`),
    new ChoiceOption(
      '--on-deleted <action>',
      'if the record is deleted: restore or refuse (default: refuse)',
      deletedChoices,
    ),
  ];
  return create.resource.restore ? options : options.slice(0, 1);
}

/** Parses the flags that find an existing record. Throws one failure with all problems. */
export function parseKeyFlags({ key, onDeleted }: KeyFlags): MatchOptions {
  const messages: FieldMessages = Object.create(null);
  const deletedAction = parseChoice('on-deleted', onDeleted, deletedChoices, messages) ?? 'refuse';
  if (key === '') messages.key = ['--key is empty, perhaps from an unset variable'];
  refuseFlags(messages);
  return {
    key: key === undefined ? undefined : splitList(key).map((name) => name.replaceAll('-', '_')),
    onDeleted: deletedAction,
  };
}

/** The flags of a bulk run as commander returns them, not yet validated. */
export interface WhereFlags extends RunFlags {
  where?: string[];
}

/** Returns whether filters can find the records that the operation changes. */
function acceptsWhere({ effect, resource, params }: Operation): boolean {
  const isRecordWrite = params.length > 0 && effect !== 'act' && effect !== 'get';
  return isRecordWrite && operationOf(resource, 'list') !== undefined;
}

/** Adds the flags of a bulk run over filters, if the operation supports it. */
export function addWhereOptions(command: Command, operation: Operation): void {
  if (!acceptsWhere(operation)) return;
  const where = '--where <key=value>';
  command.group(
    'Bulk run:',
    repeatable(where, 'all records that match this filter, instead of an ID (repeatable)'),
  );
  addPlanningFlags(command);
}

const viewFlags = [
  ['--columns <names>', 'these columns, in this order; ? lists them'],
  ['--query <expression>', 'filter and reshape with JMESPath'],
  ['--raw', 'print the response body unchanged'],
  ['--wide', "don't cut columns to fit the window"],
  ['--local-time', 'show times in the local time zone instead of UTC'],
  ['--bom', 'start CSV with a byte order mark, for spreadsheets'],
] as const;

/** Adds the flags that choose and format the output. */
export function addViewFlags(command: Command): void {
  command.group('Output:', ...viewFlags.map(([flags, about]) => new Option(flags, about)));
}
