/** `boh RESOURCE create`, `update`, `link-…` and `redeem`: the verbs that send a body. */

import { Option } from 'commander';
import { usage, violations } from '../../base/errors.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { requireValidBody } from '../../contract/body-problems.ts';
import { isDocumentLines, type Operation } from '../../contract/operation.ts';
import { type DataFlags, type ParsedInput, readInput } from '../../input/read-input.ts';
import { presentInView } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { refuseLayout, type ViewFlags } from '../../output/view.ts';
import {
  acceptsSeveralTargets,
  askSecrets,
  canAsk,
  completeIds,
  missingFields,
  missingIds,
} from '../../prompts/missing-input.ts';
import { readsStdin, readTargets, type Targets } from '../../prompts/targets.ts';
import { resolveKeyFields } from '../../session/find-by-key.ts';
import { newFindingMessages } from '../bulk/guard.ts';
import { type GuardFlags, guardOptions } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import {
  fieldOptions,
  flagValues,
  type ListChanges,
  listChangeOptions,
  parseListChanges,
} from '../flags/field-flags.ts';
import { noWaitOption } from '../flags/shared-flags.ts';
import {
  addIdArguments,
  addViewFlags,
  addWhereOptions,
  inputOptions,
  type KeyFlags,
  keyOptions,
  type MatchOptions,
  parseKeyFlags,
  type WhereFlags,
} from '../flags/verb-flags.ts';
import { saveRecord, saveRecords } from './save-records.ts';
import { runForFilters } from './target-run.ts';
import { executeUpsert } from './upsert.ts';

/** Adds the flags and the action to the command of the operation. */
export function configureSave(command: Command, operation: Operation, context: Context): void {
  addIdArguments(command, operation);
  const options = [...fieldOptions(operation), ...listChangeOptions(operation)];
  for (const option of options) command.addOption(option);
  for (const option of [...inputOptions(operation), ...editOptions(operation)]) {
    command.addOption(option.helpGroup(option.helpGroupHeading ?? 'Input:'));
  }
  if (canMatchExisting(operation)) {
    const ifMissing = new Option('--if-missing', 'do nothing if the record already exists');
    command.group('Matching existing records:', ifMissing, ...keyOptions(operation));
    command.group('Advanced:', noWaitOption());
  }
  addWhereOptions(command, operation);
  if (operation.effect === 'create') command.group('Advanced:', ...guardOptions());
  addViewFlags(command);
  command.action(() => runSave(command, operation, context));
}

function editOptions({ effect, body }: Operation): Option[] {
  const isSave = effect === 'create' || effect === 'update';
  const hasSheet = isSave && body.some(({ field }) => isDocumentLines(field));
  const sheets = hasSheet ? [new Option('--sheet', 'fill in the items in a table')] : [];
  if (effect !== 'update') return sheets;
  return [
    ...sheets,
    new Option('--edit', 'edit the record in your editor ($VISUAL, $EDITOR)'),
    new Option('--full', 'send all fields of the record, not only changed ones').helpGroup('Advanced:'),
  ];
}

/** Returns whether boh can search for an existing record before it creates one. */
function canMatchExisting({ effect, resource }: Operation): boolean {
  return effect === 'create' && resource.list !== undefined && resource.get !== undefined;
}

/** Loads the forms, which only terminals need. */
const loadForms = () => import('../../prompts/forms.ts');

/** The flags as commander returns them, not yet validated. */
interface SaveFlags extends ViewFlags, DataFlags, KeyFlags, WhereFlags, GuardFlags {
  clear?: string[];
  ask?: string[];
  full?: boolean;
  edit?: boolean;
  sheet?: boolean;
  ifMissing?: boolean;
}

function runSave(command: Command, operation: Operation, context: Context): Promise<void> {
  const { edit } = command.opts<SaveFlags>();
  return presentInView(context, operation.resource, command.opts<SaveFlags>(), () =>
    edit ? editInEditor(command, operation, context) : save(command, operation, context),
  );
}

/** Parses the flags that find an existing record, before any prompt. Returns undefined without --if-missing. */
async function parseMatchOptions(
  { resource }: Operation,
  { ifMissing, key, onDeleted, wait, where }: SaveFlags,
): Promise<MatchOptions | undefined> {
  if (!ifMissing && (key !== undefined || onDeleted !== undefined)) {
    throw usage('--key and --on-deleted can only be used with --if-missing.');
  }
  if (!ifMissing && !where && wait === false)
    throw usage('--no-wait can only be used with --if-missing or --where.');
  if (!ifMissing) return undefined;
  const matchOptions = parseKeyFlags({ key, onDeleted });
  resolveKeyFields(resource, matchOptions.key);
  return matchOptions;
}

async function editInEditor(command: Command, operation: Operation, context: Context): Promise<Result> {
  const { data, encoding, clear = [], ask = [], full, sheet } = command.opts<SaveFlags>();
  const fieldFlags = flagValues(command, namesOf(operation));
  const { changes } = parseListChanges(command, operation, []);
  const hasInput = fieldFlags.length > 0 || data !== undefined || encoding !== undefined || full || sheet;
  if (hasInput || changes.length > 0 || clear.length > 0 || ask.length > 0) {
    throw usage("--edit can't be used with other input.");
  }
  if (command.opts<SaveFlags>().where || command.args.length > 1 || readsStdin(command.args)) {
    throw usage('--edit takes exactly one record.');
  }
  const { editRecord } = await loadForms();
  return editRecord(context, operation, command.args);
}

async function save(command: Command, operation: Operation, context: Context): Promise<Result> {
  const flags = command.opts<SaveFlags>();
  const matchOptions = await parseMatchOptions(operation, flags);
  const bulkTargets = flags.where ? undefined : await readBulkTargets(command, operation, context);
  if (flags.sheet && (flags.where || bulkTargets)) throw usage('--sheet takes exactly one record.');
  const fieldFlags = flagValues(command, namesOf(operation));
  const parsedInput = await readInput(
    operation,
    { ...flags, clear: flags.clear ?? [], fields: fieldFlags },
    context.streams,
  );
  const { changes, problems } = parseListChanges(command, operation, Object.keys(parsedInput.body));
  const input = { ...parsedInput, changes, problems: { ...parsedInput.problems, ...problems } };
  if (flags.where) return saveWhere(command, operation, input, context);
  const ids = bulkTargets ? (bulkTargets.all[0] ?? command.args) : command.args;
  const usesForm = await needsForm(operation, ids, input, flags, context);
  const secrets = await askSecrets(operation, flags.ask ?? [], context);
  const body = { ...parsedInput.body, ...secrets };
  const change = { body, changes, isFull: flags.full ?? false };
  const send = async (formInput: FormInput) => {
    if (matchOptions) {
      const { wait } = flags;
      return executeUpsert(context, {
        ...matchOptions,
        operation,
        body: formInput.body,
        ifExists: 'leave',
        wait,
        guard: flags,
      });
    }
    const recordChange = {
      ...change,
      body: formInput.body,
      recordBefore: formInput.recordBefore,
      guard: flags,
    };
    if (bulkTargets) return saveRecords(operation, bulkTargets, recordChange, context);
    return saveRecord(operation, formInput.ids, { ...recordChange, isConfirmed: usesForm }, context);
  };
  if (usesForm) {
    const { fillForm } = await loadForms();
    return fillForm(
      context,
      operation,
      {
        ids,
        body,
        count: bulkTargets?.all.length,
        sheet: flags.sheet,
        warningsFor: ({ ids, body, recordBefore }) =>
          newFindingMessages({ call: { operation, ids, body }, recordBefore }, flags, context),
      },
      send,
    );
  }
  return send({ ids: bulkTargets ? ids : await completeIds(context, operation, ids), body });
}

/** The input of a write, after prompts. */
interface FormInput {
  ids: readonly string[];
  body: Row;
  recordBefore?: Row | undefined;
}

/** Sends the same changes to all records that match the filters. */
async function saveWhere(
  command: Command,
  operation: Operation,
  { body, problems, changes }: ParsedInput & ListChanges,
  context: Context,
): Promise<Result> {
  const flags = command.opts<SaveFlags>();
  if (flags.full || flags.ask?.length) throw usage("--full and --ask can't be used with --where.");
  refuseLayout(flags, 'For several records the output is the result of each');
  if (Object.keys(problems).length > 0) throw violations(`input for ${operation.command}`, problems);
  return runForFilters({ operation, args: command.args, flags, body, changes }, context);
}

/** Returns the targets if the command line has several. Returns undefined for one record, or for none: a prompt asks for it. */
async function readBulkTargets(
  command: Command,
  operation: Operation,
  context: Context,
): Promise<Targets | undefined> {
  const { args } = command;
  const count = operation.params.length;
  if (
    !acceptsSeveralTargets(operation) ||
    args.length < count ||
    (args.length === count && !readsStdin(args))
  ) {
    return undefined;
  }
  const flags = command.opts<SaveFlags>();
  refuseLayout(flags, 'For several records the output is the result of each');
  if (flags.data === '-' && readsStdin(args)) {
    throw usage("IDs and --data can't both be read from standard input.");
  }
  return readTargets(context, operation, args);
}

/** Returns whether a form asks for missing input. Without a terminal, throws one failure with all problems. */
async function needsForm(
  operation: Operation,
  ids: readonly string[],
  { body, problems, changes }: ParsedInput & ListChanges,
  { full, ask = [], sheet }: SaveFlags,
  context: Context,
): Promise<boolean> {
  const missingIdMessages = missingIds(operation, ids);
  const isEmpty = Object.keys(body).length === 0 && ask.length === 0 && changes.length === 0 && !full;
  const isIncomplete =
    Object.keys(missingIdMessages).length > 0 || isEmpty || missingFields(operation, body).length > 0;
  if (sheet && !canAsk(context)) throw usage('--sheet needs a terminal.');
  if ((isIncomplete || sheet) && Object.keys(problems).length === 0 && canAsk(context)) {
    // A form would ask for more than these changes of lists.
    return changes.length === 0;
  }
  const addedItems = Object.fromEntries(changes.map(({ entry: { name }, add }) => [name, add]));
  const bodyWithLists = { ...body, ...addedItems };
  await requireValidBody(operation, bodyWithLists, {
    unchecked: context.globals.unchecked,
    problems: { ...missingIdMessages, ...problems },
  });
  return false;
}

function namesOf({ body }: Operation): string[] {
  return body.map(({ name }) => name);
}
