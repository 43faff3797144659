/** The flags that several verbs share: ids, the source of a body, the key of a record, filters for many, the output. */
import { type Command, Option } from 'commander';
import { type FieldMessages, violations } from '../../base/errors.ts';
import { orMeant } from '../../base/suggest.ts';
import { canBeCleared } from '../../context/kinds.ts';
import { keyFields } from '../../contract/composed.ts';
import { splitList } from '../../contract/list-text.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { idNames, takesSeveral } from '../../prompts/missing-input.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';
import { phoneOption } from './phone-option.ts';

/** Declares the arguments. They may be missing as far as commander is concerned: what then happens is for us to say. */
export function addIdArguments(command: Command, operation: Operation): void {
  const several = takesSeveral(operation);
  const names = idNames(operation).map((name, at, all) =>
    several && at === all.length - 1 ? `${name}...` : name,
  );
  const about = several ? 'the id, or @NAME; - reads ids from standard input' : 'the id, or @NAME';
  for (const name of names) command.argument(`[${name}]`, about);
  command.usage([...names.map((name) => `<${name}>`), '[flags]'].join(' '));
}

const dataFlags = [
  ['--data <json>', 'the whole body as JSON, @FILE, or - for standard input; flags go before it'],
  ['--encoding <name>', 'what that file or standard input is written in (default: utf-8)'],
] as const;

const collect = (text: string, before: string[]): string[] => [...before, ...splitList(text)];

export function inputOptions({ body }: Operation): Option[] {
  const secrets = body.filter(({ field }) => field.traits.secret).map(({ name }) => name);
  const options = dataFlags.map(([flags, about]) => new Option(flags, about));
  if (body.some(({ field }) => canBeCleared(field))) {
    const about = 'fields to empty: null, or an empty list';
    options.push(new Option('--clear <fields>', about).argParser(collect).default([], 'none'));
  }
  if (secrets.length > 0) {
    const about = `fields to be asked for without showing them: ${secrets.join(', ')}`;
    options.push(new Option('--ask <fields>', about).argParser(collect).default([], 'none'));
  }
  if (body.some(({ field }) => field.traits.form === 'phone')) options.push(phoneOption());
  return options;
}

/** As typed. */
export interface KeyFlags {
  key?: string;
  onDeleted?: string;
}

export interface FindingOptions {
  key: readonly string[] | undefined;
  onDeleted: 'restore' | 'refuse';
}

const whatToDo = ['restore', 'refuse'] as const;

export function keyOptions(create: Operation): Option[] {
  const unique = keyFields(create).filter(({ field }) => field.traits.unique);
  const otherwise = unique.length > 0 ? ` (default: ${unique.map(({ name }) => name).join(', else ')})` : '';
  const options = [
    new Option('--key <fields>', `the fields by which one that is there is found${otherwise}`),
    new Option('--on-deleted <what>', 'one that is deleted: restore or refuse (default: refuse)'),
  ];
  return create.resource.restore ? options : options.slice(0, 1);
}

/** Throws one failure for all that is wrong. */
export function readKeyFlags({ key, onDeleted = 'refuse' }: KeyFlags): FindingOptions {
  const messages: FieldMessages = Object.create(null);
  const chosen = whatToDo.find((word) => word === onDeleted);
  if (!chosen)
    messages['on-deleted'] = [`--on-deleted must be ${whatToDo.join(' or ')}${orMeant(onDeleted, whatToDo)}`];
  if (key === '') messages.key = ['--key is empty, as a variable that is not set would be'];
  if (!chosen || key === '') throw violations('The command line', messages);
  return {
    key: key === undefined ? undefined : splitList(key).map((name) => name.replaceAll('-', '_')),
    onDeleted: chosen,
  };
}

/** As typed. */
export interface WhereFlags extends RunFlags {
  where?: string[];
  maxChanges?: string;
}

/** Whether the records that it is about can be found by filters. */
function takesWhere({ effect, resource, params }: Operation): boolean {
  const isAboutRecords = params.length > 0 && effect !== 'act' && effect !== 'get';
  return isAboutRecords && operationOf(resource, 'list') !== undefined;
}

export function addWhereOptions(command: Command, operation: Operation): void {
  if (!takesWhere(operation)) return;
  const options = [
    new Option(
      '--where <key=value>',
      'the records that a list with this filter has, in place of an id (repeatable)',
    ).argParser((text: string, before: string[] = []) => [...before, text]),
    new Option('--max-changes <number>', 'send nothing if more records than this would change; N or N%'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Many records:'));
  addPlanningFlags(command, 'Many records:');
}

const viewFlags = [
  ['--columns <names>', 'these columns, in this order; ? lists them'],
  ['--query <expression>', 'choose and reshape with JMESPath'],
  ['--raw', 'the answer’s body as it came'],
  ['--wide', 'cut nothing to fit the window'],
  ['--local-time', 'times of this machine instead of UTC'],
  ['--bom', 'begin CSV with a mark that spreadsheets want'],
] as const;

export function addViewFlags(command: Command): void {
  for (const [flags, about] of viewFlags) command.addOption(new Option(flags, about).helpGroup('Output:'));
}
