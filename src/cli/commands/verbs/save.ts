/** `boh RESOURCE create`, `update`, `link-…` and `redeem`: the verbs that send a body. */

import type { Row } from '../../../account/client/shape.ts';
import { resolveKeyFields } from '../../../account/session/find-by-key.ts';
import { requireValidBody } from '../../../api/contract/body-problems.ts';
import { isDocumentLines, type Operation } from '../../../api/contract/operation.ts';
import { usage, violations } from '../../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { type ParsedInput, readInput } from '../../input/read-input.ts';
import { presentInView } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { refuseLayout } from '../../output/view.ts';
import {
  acceptsSeveralTargets,
  askSecrets,
  canAsk,
  completeIds,
  missingFields,
  missingIds,
  readsStdin,
  readTargets,
  type Targets,
} from '../../prompts/missing-input.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { newFindingMessages } from '../bulk/guard.ts';
import { guardFlags } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand, type DeclaredVerb } from '../declare.ts';
import {
  fieldFlags,
  flagValues,
  idArguments,
  inputFlags,
  keyFlags,
  keyProblems,
  type ListChanges,
  listChangeFlags,
  type MatchOptions,
  parseKeyFlags,
  parseListChanges,
  viewFlags,
  whereFlagsOf,
} from '../flags/contract-flags.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { noWaitFlag } from '../flags/shared-flags.ts';
import { runForFilters } from './remove.ts';
import { saveRecord, saveRecords } from './save-records.ts';
import { executeUpsert } from './upsert.ts';

/** Returns the flags of a save. The fields come first: for a tax, `--rate` is its rate and not that of a run. */
function saveFlags(operation: Operation) {
  const { effect, body } = operation;
  const isNew = effect === 'create';
  const hasSheet = (isNew || effect === 'update') && body.some(({ field }) => isDocumentLines(field));
  const sheetFlag = ['--sheet', 'fill in the items in a table'] as const;
  const editFlag = ['--edit', 'edit the record in your editor ($VISUAL, $EDITOR)'] as const;
  const fullFlag = ['--full', 'send all fields of the record, not only changed ones'] as const;
  const ifMissingFlag = ['--if-missing', 'do nothing if the record already exists'] as const;
  const matchFlags = [
    ...under('Matching existing records:', [ifMissingFlag, ...keyFlags(operation)]),
    ...under('Advanced:', [noWaitFlag]),
  ] as const;
  return [
    ...fieldFlags(operation),
    ...listChangeFlags(operation),
    ...inputFlags(operation),
    ...under('Input:', [...(hasSheet ? [sheetFlag] : []), ...(effect === 'update' ? [editFlag] : [])]),
    ...under('Advanced:', effect === 'update' ? [fullFlag] : []),
    ...(canMatchExisting(operation) ? matchFlags : []),
    ...whereFlagsOf(operation),
    ...under('Advanced:', isNew ? guardFlags : []),
    ...viewFlags,
  ] as const;
}

type SaveFlags = FlagsOf<ReturnType<typeof saveFlags>>;

export function saveCommand(verb: DeclaredVerb, operation: Operation, context: Context): Command {
  return createCommand(context, {
    ...verb,
    ...idArguments(operation),
    flags: saveFlags(operation),
    check: keyProblems,
    run: (_, flags, { args }) =>
      presentInView(context, operation.resource, flags, () =>
        (flags.edit ? editInEditor : save)(args, flags, operation, context),
      ),
  });
}

/** Returns whether boh can search for an existing record before it creates one. */
function canMatchExisting({ effect, resource }: Operation): boolean {
  return effect === 'create' && resource.list !== undefined && resource.get !== undefined;
}

/** Parses the flags that find an existing record, before any prompt. Returns undefined without --if-missing. */
async function parseMatchOptions(
  { resource }: Operation,
  flags: SaveFlags,
): Promise<MatchOptions | undefined> {
  const { ifMissing, key, onDeleted, wait, where } = flags;
  if (!ifMissing && (key !== undefined || onDeleted !== undefined)) {
    throw usage('--key and --on-deleted can only be used with --if-missing.');
  }
  if (!ifMissing && !where && wait === false)
    throw usage('--no-wait can only be used with --if-missing or --where.');
  if (!ifMissing) return undefined;
  const matchOptions = parseKeyFlags(flags);
  resolveKeyFields(resource, matchOptions.key);
  return matchOptions;
}

async function editInEditor(
  args: readonly string[],
  flags: SaveFlags,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { data, encoding, clear = [], ask = [], full, sheet } = flags;
  const fields = flagValues(flags, namesOf(operation));
  const { changes } = parseListChanges(flags, operation, []);
  const hasInput = fields.length > 0 || data !== undefined || encoding !== undefined || full || sheet;
  if (hasInput || changes.length > 0 || clear.length > 0 || ask.length > 0) {
    throw usage("--edit can't be used with other input.");
  }
  if (flags.where || args.length > 1 || readsStdin(args)) {
    throw usage('--edit takes exactly one record.');
  }
  const { editRecord } = await import('./edit-record.ts');
  return editRecord(context, operation, args);
}

async function save(
  args: readonly string[],
  flags: SaveFlags,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const matchOptions = await parseMatchOptions(operation, flags);
  const bulkTargets = flags.where ? undefined : await readBulkTargets(args, flags, operation, context);
  if (flags.sheet && (flags.where || bulkTargets)) throw usage('--sheet takes exactly one record.');
  const fields = flagValues(flags, namesOf(operation));
  const parsedInput = await readInput(
    operation,
    { ...flags, clear: flags.clear ?? [], fields },
    context.streams,
    context.now(),
  );
  for (const line of parsedInput.understood) note(context.streams, cleanLine(line));
  const { changes, problems } = parseListChanges(flags, operation, Object.keys(parsedInput.body));
  const input = { ...parsedInput, changes, problems: { ...parsedInput.problems, ...problems } };
  if (flags.where) return saveWhere(args, flags, operation, input, context);
  const ids = bulkTargets?.all[0] ?? args;
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
    const { fillForm } = await import('../../prompts/fill-form.ts');
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
  args: readonly string[],
  flags: SaveFlags,
  operation: Operation,
  { body, problems, changes }: ParsedInput & ListChanges,
  context: Context,
): Promise<Result> {
  if (flags.full || flags.ask?.length) throw usage("--full and --ask can't be used with --where.");
  refuseLayout(flags, 'For several records the output is the result of each');
  if (Object.keys(problems).length > 0) throw violations(`input for ${operation.command}`, problems);
  return runForFilters({ operation, args, flags, body, changes }, context);
}

/** Returns the targets if the command line has several. Returns undefined for one record, or for none: a prompt asks for it. */
async function readBulkTargets(
  args: readonly string[],
  flags: SaveFlags,
  operation: Operation,
  context: Context,
): Promise<Targets | undefined> {
  const count = operation.params.length;
  if (
    !acceptsSeveralTargets(operation) ||
    args.length < count ||
    (args.length === count && !readsStdin(args))
  ) {
    return undefined;
  }
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
