/**
 * Writes values to one record or to several, and reports the result. Reads a record first if the write depends on its
 * values: for `--add-…` and `--remove-…`, for `--full`, and for confirmations.
 */

import { subjectOf } from '../../../account/client/client.ts';
import type { Call } from '../../../account/client/request.ts';
import type { Row } from '../../../account/client/shape.ts';
import { changedLists, type ListChange, resolveChanges } from '../../../account/session/diff/lists.ts';
import type { CurrentRecord } from '../../../account/session/record-body.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { isListOrParts } from '../../../api/contract/comma-list.ts';
import { irreversibleEffects, takesEffect } from '../../../api/contract/irreversible.ts';
import { type Operation, operation as operationOf } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { flagName } from '../../../api/contract/value-text.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { once } from '../../../base/once.ts';
import type { Context } from '../../context/context.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import { type CompletedWrite, dryRunResult, type Result } from '../../output/result.ts';
import { describeRecord } from '../../output/wording.ts';
import { requireYes } from '../../prompts/confirm.ts';
import {
  confirmEffect,
  confirmRemovals,
  describeRemovals,
  showEffect,
} from '../../prompts/confirm-changes.ts';
import type { Target, Targets } from '../../prompts/missing-input.ts';
import { confirmNewRecord } from '../../prompts/similar-records.ts';
import { guardRecords } from '../bulk/guard.ts';
import type { GuardFlags } from '../bulk/run-flags.ts';
import { picturesAfterWrite } from '../resource-verbs.ts';
import { type PreparedCall, runForTargets } from './remove.ts';

/** Writes one record. After prompts, the notes also have the command line that repeats the write without prompts. */
export async function saveRecord(
  operation: Operation,
  ids: readonly string[],
  change: RecordChange,
  context: Context,
): Promise<Result> {
  if (!change.isConfirmed) requireConfirmation(operation, ids, change.body, context);
  const preparedCall = await prepareCall(operation, ids, change, context);
  const { call, confirm } = preparedCall;
  const write = { call, recordBefore: preparedCall.recordBefore ?? change.recordBefore };
  const guard = {
    flags: change.guard,
    readRecord: createRecordReader(context),
    hasShownFindings: change.isConfirmed,
  };
  const [recordBefore] = await guardRecords([write], guard, context);
  await confirm?.();
  await confirmNewRecord(context, operation, call.body ?? {});
  const session = await context.session();
  const result = await session.write(call, { recordBefore });
  if (result.planned) return dryRunResult(context, [result.planned]);
  const { recordResponse } = result;
  const completedWrite = completedWriteOf(operation, result.call.ids ?? [], recordResponse?.record);
  const notes: Hint[] = [completedWrite.message];
  if (change.isConfirmed) {
    const commandLine = formatCommandLine(context.globals, operation, call.ids ?? [], call.body);
    notes.push('To repeat this without prompts:', `  ${commandLine}`);
  }
  const { resource } = operation;
  if (resource.pictures?.variance && takesEffect(operation, call.body ?? {})) {
    const { varianceAfterClosing } = await import('../pictures/variance.ts');
    const id = String(recordResponse?.record.id ?? result.call.ids?.[0]);
    notes.push(...(await varianceAfterClosing(resource, id, context)));
  }
  notes.push(...pictureHints(resource, context));
  if (!recordResponse) return { kind: 'nothing', notes };
  const shownFields = operation.effect === 'update' ? shownFieldsOf(operation, call.body) : undefined;
  return {
    kind: 'record',
    resource,
    ...recordResponse,
    shownFields,
    notes,
    completedWrite,
  };
}

/** Returns the message, such as `Supplier "Coastal Fish" (42) created.`, and the command that shows the record. */
function completedWriteOf(
  operation: Operation,
  ids: readonly string[],
  record: Row | undefined,
): CompletedWrite {
  const { pastTense, link, resource, params } = operation;
  const id = typeof record?.id === 'string' ? record.id : (ids[0] ?? '');
  const recordName = capitalize(describeRecord(resource.noun, id, record));
  const check = operationOf(resource, 'get') ? boh.account(`${resource.command} get`, id) : undefined;
  const linkedText = link ? ` with ${apiOf(resource).nounOf(params[1]?.target ?? '')} ${ids[1]}` : '';
  return { message: `${recordName} ${pastTense}${linkedText}.`, check };
}

/** Returns hints for the pictures that a record of the resource is drawn in; none without a terminal. */
function pictureHints(resource: Resource, { streams }: Context): Hint[] {
  if (!streams.isTerminal.err) return [];
  return picturesAfterWrite(resource).map(
    ([hint, commandLine]) => boh.hint`${hint}: ${boh.account(commandLine)}`,
  );
}

/** Returns the columns that identify the record, and the fields that were written. */
function shownFieldsOf({ resource, body: fields }: Operation, body: Row = {}): string[] {
  const writtenColumns = fields
    .filter(({ name }) => Object.hasOwn(body, name))
    .map(({ responseName }) => responseName);
  const title = resource.title === undefined ? [] : [resource.title];
  return [...new Set(['id', ...title, ...writtenColumns])];
}

/** The maximum number of records that are read to warn of losses before a confirmation. */
const maxRecordsRead = 20;

/** Writes the same values to several records. */
export async function saveRecords(
  operation: Operation,
  targets: Targets,
  change: RecordChange,
  context: Context,
): Promise<Result> {
  const resolvedChange = once(() => resolveNames(operation, change, context));
  const writes = targets.all.map((ids) => ({ call: { operation, ids, body: change.body } }));
  await guardRecords(writes, { flags: change.guard, readRecord: createRecordReader(context) }, context);
  return runForTargets(
    {
      operation,
      targets,
      body: change.body,
      callFor: async (ids) =>
        prepareCall(operation, ids, { ...(await resolvedChange()), isConfirmed: true }, context),
      warnings: async (targetIds) => describeLosses(operation, targetIds, await resolvedChange(), context),
    },
    context,
  );
}

/** Looks up the names in the input once, not for each record. */
async function resolveNames(
  operation: Operation,
  change: RecordChange,
  context: Context,
): Promise<RecordChange> {
  const session = await context.session();
  const call = await session.names.resolve({ operation, body: change.body });
  const changes = await resolveChanges(call, change.changes, session);
  return { ...change, body: call.body ?? {}, changes };
}

/** Returns a line for each value that the write would remove from a list. */
async function describeLosses(
  operation: Operation,
  targets: readonly Target[],
  { body }: RecordChange,
  context: Context,
): Promise<string[]> {
  if (operation.effect !== 'update' || !needsUpdateConfirmation(operation, body, context)) return [];
  const lines: string[] = [];
  for (const ids of targets.slice(0, maxRecordsRead)) {
    const current = await readCurrentRecord({ operation, ids }, context);
    if (current && takesEffect(operation, body, current.record))
      await showEffect(context, operation, body, current);
    if (current) lines.push(...describeRemovals(operation, body, current));
  }
  return lines;
}

/** The input of a write. It is the same for every record. */
export interface RecordChange {
  body: Row;
  /** The changes of `--add-…` and `--remove-…`. */
  changes: readonly ListChange[];
  /** Whether to send all fields of the record, for services where an update replaces the record. */
  isFull: boolean;
  /** Whether the user has already confirmed. */
  isConfirmed?: boolean;
  /** The record before the write, if a form has read it. */
  recordBefore?: Row | undefined;
  guard: GuardFlags;
}

async function prepareCall(
  operation: Operation,
  ids: readonly string[],
  change: RecordChange,
  context: Context,
): Promise<PreparedCall & { confirm?: () => Promise<void> }> {
  const { body, changes, isFull } = change;
  const needsRecord = isFull || changes.length > 0;
  const needsConfirmation = !change.isConfirmed && needsUpdateConfirmation(operation, body, context);
  if (!needsRecord && !needsConfirmation) return { call: { operation, ids, body } };
  const session = await context.session();
  if (!context.globals.dryRun) await session.permissions.approve({ operation, ids, body });
  const call = await session.names.resolve({ operation, ids, body });
  const resolvedChanges = await resolveChanges(call, changes, session);
  const isUpdate = operation.effect === 'update';
  const current = needsRecord
    ? await session.updates.current(call)
    : isUpdate
      ? await readCurrentRecord(call, context)
      : undefined;
  const confirm = async () => {
    const sentBody = call.body ?? {};
    if (current) await confirmRemovals(context, operation, sentBody, current);
    await confirmEffect(context, operation, call.ids ?? [], sentBody, current);
  };
  const confirmation = needsConfirmation ? { confirm } : {};
  if (!current) return { call, ...confirmation };
  const otherFields = isFull ? completeBody(operation, current, Object.keys(body)) : {};
  const fullBody = { ...otherFields, ...call.body, ...changedLists(resolvedChanges, current) };
  return { call: { ...call, body: fullBody }, recordBefore: current.record, ...confirmation };
}

/** Returns whether to ask on a terminal before a list is replaced, or before a record takes effect. */
function needsUpdateConfirmation(operation: Operation, body: Row, { streams, globals }: Context): boolean {
  if (!streams.interactive || globals.yes || globals.dryRun) return false;
  const { effect, body: fields } = operation;
  const isReplacing = fields.some(({ name, field }) => isListOrParts(field) && Object.hasOwn(body, name));
  return (effect === 'update' && isReplacing) || takesEffect(operation, body);
}

/** Throws if a record takes effect, and there is no `--yes` and no terminal to ask on. */
export function requireConfirmation(
  operation: Operation,
  ids: readonly string[],
  body: Row,
  context: Context,
): void {
  if (context.globals.dryRun || !takesEffect(operation, body)) return;
  const { effect, resource, verb } = operation;
  const action =
    effect === 'create' ? `create this ${resource.noun}` : `${verb} ${subjectOf(operation, ids)}`;
  requireYes({ action, consequence: irreversibleEffects(operation, body)[0] }, context);
}

/**
 * Returns the current record; undefined if it can't be read, so that it can't be compared. If the record doesn't exist,
 * the write fails.
 */
async function readCurrentRecord(call: Call, context: Context): Promise<CurrentRecord | undefined> {
  try {
    return await (await context.session()).updates.current(call);
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

function createRecordReader(context: Context): (call: Call) => Promise<Row | undefined> {
  return async (call) => (await readCurrentRecord(call, context))?.record;
}

/**
 * Returns every field that an update accepts, with the values of the record. Throws if the service doesn't return a field
 * and `requestedFields` doesn't contain it.
 */
function completeBody(
  operation: Operation,
  { body, unknown }: CurrentRecord,
  requestedFields: readonly string[],
): Row {
  const missingNames = unknown.filter((name) => !requestedFields.includes(name));
  if (missingNames.length === 0) return body;
  const isSecret = (name: string) =>
    operation.body.some((entry) => entry.name === name && entry.field.traits.secret);
  const flags = missingNames
    .map((name) => (isSecret(name) ? `--ask ${name}` : `--${flagName(name)}`))
    .join(', ');
  throw usage(`--full can't send the whole record: the service doesn't return ${missingNames.join(', ')}.`, {
    hint: `Set ${missingNames.length === 1 ? 'it' : 'them'} with flags (${flags}), or omit --full to send only changes.`,
  });
}
