/** `boh RESOURCE upsert` and `create --if-missing`: create a record if it doesn't exist yet. */

import type { Row } from '../../../account/client/shape.ts';
import type { CurrentRecord } from '../../../account/session/record-body.ts';
import { requireValidBody } from '../../../api/contract/body-problems.ts';
import { isListOrParts } from '../../../api/contract/comma-list.ts';
import type { CompositeOperation } from '../../../api/contract/composite.ts';
import { takesEffect } from '../../../api/contract/irreversible.ts';
import { type Operation, operation as operationOf } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { boh } from '../../../base/hint.ts';
import { type PlannedUpsert, type UpsertResult, upsertRecord } from '../../../engine/runs/upsert.ts';
import type { Context } from '../../context/context.ts';
import { readInput } from '../../input/read-input.ts';
import { presentInView } from '../../output/present.ts';
import { dryRunResult, type Result } from '../../output/result.ts';
import { describeRecord } from '../../output/wording.ts';
import { confirmEffect, confirmRemovals } from '../../prompts/confirm-changes.ts';
import { askSecrets } from '../../prompts/missing-input.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note, warn } from '../../terminal/messages.ts';
import { guardRecords } from '../bulk/guard.ts';
import { type GuardFlags, guardFlags } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand, type DeclaredVerb } from '../declare.ts';
import {
  fieldFlags,
  flagValues,
  inputFlags,
  keyFlags,
  keyProblems,
  type MatchOptions,
  parseKeyFlags,
  viewFlags,
} from '../flags/contract-flags.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { noWaitFlag } from '../flags/shared-flags.ts';
import { lockResource, withLocks } from './remove.ts';
import { requireConfirmation } from './save-records.ts';

const upsertFlags = (upsert: CompositeOperation) => {
  const create = operationOf(upsert.resource, 'create');
  return [
    ...(create ? keyFlags(create) : []),
    ...fieldFlags(upsert),
    ...inputFlags(upsert),
    ...under('Advanced:', [noWaitFlag, ...guardFlags]),
    ...viewFlags,
  ] as const;
};

export function upsertCommand(verb: DeclaredVerb, upsert: CompositeOperation, context: Context): Command {
  return createCommand(context, {
    ...verb,
    usage: '[flags]',
    flags: upsertFlags(upsert),
    check: keyProblems,
    run: (_, flags) =>
      presentInView(context, upsert.resource, flags, () => runUpsert(flags, upsert, context)),
  });
}

async function runUpsert(
  flags: FlagsOf<ReturnType<typeof upsertFlags>>,
  upsert: CompositeOperation,
  context: Context,
): Promise<Result> {
  const matchOptions = parseKeyFlags(flags);
  const names = upsert.body.map(({ name }) => name);
  const input = { ...flags, clear: flags.clear ?? [], fields: flagValues(flags, names) };
  const { body, problems, understood } = await readInput(upsert, input, context.streams, context.now());
  for (const line of understood) note(context.streams, cleanLine(line));
  await requireValidBody(upsert, body, { unchecked: context.globals.unchecked, problems });
  const secrets = await askSecrets(upsert, flags.ask ?? [], context);
  return executeUpsert(context, {
    ...matchOptions,
    operation: upsert,
    body: { ...body, ...secrets },
    ifExists: 'update',
    wait: flags.wait,
    guard: flags,
  });
}

export interface UpsertRequest extends MatchOptions {
  operation: Operation;
  body: Row;
  ifExists: 'update' | 'leave';
  /** False with `--no-wait`: fail if another run is writing the resource. */
  wait: boolean | undefined;
  guard: GuardFlags;
}

/** Creates or updates the record, and returns the result for the output. */
export async function executeUpsert(context: Context, request: UpsertRequest): Promise<Result> {
  const { resource } = request.operation;
  const result = await writeLocked(context, request);
  if (result.planned) return dryRunResult(context, result.planned);
  const { outcome, id, recordResponse } = result;
  if (outcome === 'created') reportDuplicates(context, resource, result);
  const subject = capitalize(describeRecord(resource.noun, id, recordResponse.record));
  const message = `${subject} ${outcomeTexts[outcome]}.`;
  if (context.globals.dryRun) return { ...(await dryRunResult(context, [])), notes: [message] };
  const check = boh.account(`${resource.command} get`, id);
  return {
    kind: 'record',
    resource,
    ...recordResponse,
    notes: [message, ...unchangedFieldsNote(result)],
    outcome: { outcome, id },
    ...(outcome !== 'unchanged' && { completedWrite: { message, check } }),
  };
}

/** Finds and writes the record. A lock stops other runs from adding records of the resource in the meantime. */
async function writeLocked(context: Context, request: UpsertRequest): Promise<UpsertResult | PlannedUpsert> {
  const { operation, wait } = request;
  const session = await context.session();
  const locks = await lockResource(operation, { session, wait }, context);
  const beforeWrite = async (body: Row, current: CurrentRecord | undefined) => {
    const write = operationOf(operation.resource, current ? 'update' : 'create') ?? operation;
    const call = { operation: write, ids: current ? [current.id] : [], body };
    if (takesEffect(write, body, current?.record)) requireConfirmation(write, call.ids, body, context);
    await guardRecords([{ call, recordBefore: current?.record }], { flags: request.guard }, context);
    if (!canConfirm(context)) return;
    if (current) await confirmListRemovals(context, request, body, current);
    await confirmEffect(context, write, call.ids, body, current);
  };
  return withLocks(locks, () => upsertRecord(session, { ...request, beforeWrite }));
}

/** Warns of duplicates: a lock doesn't stop other machines. */
function reportDuplicates(
  { streams }: Context,
  { nouns, noun }: Resource,
  { id, duplicateIds }: UpsertResult,
): void {
  if (duplicateIds?.length === 0) return;
  const subject = duplicateIds
    ? `${duplicateIds.length + 1} ${nouns} now have this key: ${id}, ${duplicateIds.join(', ')}. Someone else added the same ${noun} at the same time.`
    : `boh couldn't check whether someone else added the same ${noun} at the same time.`;
  warn(streams, subject);
}

const outcomeTexts: Readonly<Record<UpsertResult['outcome'], string>> = {
  created: 'created',
  updated: 'updated',
  restored: 'restored',
  unchanged: 'unchanged; nothing was sent',
};

function unchangedFieldsNote({ unchangeable }: UpsertResult): string[] {
  return unchangeable.length === 0
    ? []
    : [`Not changed, because it can only be set at creation: ${unchangeable.join(', ')}.`];
}

function canConfirm({ streams, globals }: Context): boolean {
  return streams.interactive && !globals.yes && !globals.dryRun;
}

async function confirmListRemovals(
  context: Context,
  { operation }: UpsertRequest,
  body: Row,
  current: CurrentRecord,
): Promise<void> {
  if (!operation.body.some(({ name, field }) => isListOrParts(field) && Object.hasOwn(body, name))) return;
  await confirmRemovals(context, operation, body, current);
}
