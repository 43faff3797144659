/** `boh RESOURCE delete`, `restore` and `unlink-…`: one confirmation for all records, and an outcome for each. */

import { subjectOf } from '../../../account/client/client.ts';
import type { Call } from '../../../account/client/request.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Operation } from '../../../api/contract/operation.ts';
import { capitalize } from '../../../api/contract/wording.ts';
import { consequenceOf } from '../../../api/reference/operation-summary.ts';
import { Failure } from '../../../base/errors.ts';
import type { Locks } from '../../../engine/runs/ledger/ledger.ts';
import type { Context } from '../../context/context.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import { dryRunResult, endsRun, type Item, outcomeOf, type Result } from '../../output/result.ts';
import { formatTargetCount } from '../../output/wording.ts';
import { requireYes } from '../../prompts/confirm.ts';
import { type AffectedRecord, confirmRun } from '../../prompts/confirm-changes.ts';
import { readTargets, resolveTargets, type Target, type Targets } from '../../prompts/missing-input.ts';
import type { WhereRun } from '../bulk/where.ts';
import type { Command } from '../command.ts';
import { createCommand, type DeclaredVerb } from '../declare.ts';
import { idArguments, whereFlagsOf } from '../flags/contract-flags.ts';
import type { WaitFlags } from '../flags/shared-flags.ts';

export function removeCommand(verb: DeclaredVerb, operation: Operation, context: Context): Command {
  return createCommand(context, {
    ...verb,
    ...idArguments(operation),
    flags: whereFlagsOf(operation),
    run: async (_, flags, { args }) => {
      if (flags.where) return runForFilters({ operation, args, flags }, context);
      return runForTargets(
        {
          operation,
          targets: await readTargets(context, operation, args),
          callFor: async (ids) => ({ call: { operation, ids } }),
          undoCommands: (affectedRecords) => undoCommands(affectedRecords, operation, context),
          locking: operation.effect === 'restore' ? flags : undefined,
        },
        context,
      );
    },
  });
}

async function undoCommands(
  affectedRecords: readonly AffectedRecord[],
  operation: Operation,
  { globals, recordedWrites }: Context,
): Promise<string[]> {
  const restore = operation.effect === 'delete' ? operation.inverse : undefined;
  const commands = affectedRecords.flatMap(({ relinkCommand }) => relinkCommand ?? []);
  if (restore && affectedRecords.length > 0) {
    const ids = affectedRecords.map(({ target }) => target[0] ?? '');
    commands.push(formatCommandLine(globals, restore, ids));
  }
  if (commands.length > 0) recordedWrites.isUndoShown = true;
  return commands;
}

/** The request for one record. */
export interface PreparedCall {
  call: Call;
  /** The record before the write, if it was read. */
  recordBefore?: Row | undefined;
}

/** An operation, and the records that it changes. */
export interface TargetRun {
  operation: Operation;
  targets: Targets;
  /** The body, the same for each record. */
  body?: Row | undefined;
  /** Returns the request for one record, with names resolved to IDs. */
  callFor(target: Target): Promise<PreparedCall>;
  /** Returns warnings for the confirmation, which are printed after the names of the records. */
  warnings?(targets: readonly Target[]): Promise<readonly string[]>;
  undoCommands?(affectedRecords: readonly AffectedRecord[]): Promise<readonly string[]>;
  /** Set if the run may add a key to the account: other runs that could add the same key then wait. */
  locking?: WaitFlags | undefined;
}

/** Runs the operation. Looks up names, checks IDs and asks for confirmation before the first write. */
export async function runForTargets(run: TargetRun, context: Context): Promise<Result> {
  const { operation, targets } = run;
  const session = await context.session();
  const calls = targets.all.map((ids) => ({ operation, ids }));
  if (context.globals.dryRun) return planTargets(run, await resolveTargets(session, calls), context);
  refuseUnconfirmed(targets.all, operation, context);
  // This is checked before lookups and prompts. On a terminal the confirmation lists the records first.
  await (context.streams.interactive
    ? session.permissions.checkPermission({ operation })
    : session.permissions.approve({ operation }));
  const targetIds = distinctTargets(await resolveTargets(session, calls));
  // Malformed IDs are refused before anything is sent.
  for (const ids of targetIds) await session.plan({ operation, ids });
  await session.permissions.notifyPlanned([{ operation, body: run.body }]);
  const affectedRecords = await confirmTargets(targetIds, run, context);
  const [onlyTarget, ...otherTargets] = targetIds;
  await session.permissions.approve({
    operation,
    ...(onlyTarget && otherTargets.length === 0 && { ids: onlyTarget }),
  });
  const writeSession = {
    session,
    lock: async () => run.locking && lockResource(operation, { session, ...run.locking }, context),
  };
  return targets.isBulk
    ? writeEach(run, affectedRecords, writeSession)
    : writeOne(run, affectedRecords, writeSession);
}

/** The session of a run, and the function that locks its resource. */
interface WriteSession {
  session: Session;
  lock(): Promise<Locks | undefined>;
}

/** Locks the resource of an operation against other runs. */
export async function lockResource(
  { command, resource }: Pick<Operation, 'command' | 'resource'>,
  { session, wait }: { session: Session } & WaitFlags,
  context: Context,
): Promise<Locks> {
  const { lockRun } = await import('../bulk/ledger.ts');
  return lockRun({ account: session, resources: [resource.name], flags: { wait }, command }, context);
}

/** Runs an operation over all records that match the filters. */
export async function runForFilters(run: WhereRun, context: Context): Promise<Result> {
  const { runWhere } = await import('../bulk/where.ts');
  return runWhere(run, context);
}

function hasUnknownOutcome(error: unknown): boolean {
  return error instanceof Failure && error.details.outcome === 'unknown';
}

/** Runs `work` and releases the locks. If a write has an unknown outcome, other runs wait for it. */
export async function withLocks<Value>(locks: Locks | undefined, work: () => Promise<Value>): Promise<Value> {
  let hasUnknownWrites = false;
  try {
    return await work();
  } catch (error) {
    hasUnknownWrites = hasUnknownOutcome(error);
    throw error;
  } finally {
    locks?.release({ hasPendingRequests: hasUnknownWrites });
  }
}

/** Sends a single write. If it fails, the failure is the result. */
async function writeOne(
  { operation, targets, callFor, undoCommands }: TargetRun,
  affectedRecords: readonly AffectedRecord[],
  { session, lock }: WriteSession,
): Promise<Result> {
  await withLocks(await lock(), async () => {
    for (const { target } of affectedRecords) await send(session, await callFor(target));
  });
  async function* items(): AsyncGenerator<Item> {
    for (const record of affectedRecords) yield { ...itemOf(record, operation, targets), outcome: 'done' };
  }
  return {
    kind: 'items',
    isSingle: true,
    items: items(),
    nextSteps: async () => ((await undoCommands?.(affectedRecords)) ?? []).map(undoMessage),
  };
}

function writeEach(
  { operation, targets, callFor, undoCommands }: TargetRun,
  affectedRecords: readonly AffectedRecord[],
  { session, lock }: WriteSession,
): Result {
  const completedRecords: AffectedRecord[] = [];
  async function* items(): AsyncGenerator<Item> {
    const locks = await lock();
    let hasUnknownWrites = false;
    let isStopped = false;
    for (const record of affectedRecords) {
      const item = itemOf(record, operation, targets);
      if (isStopped) {
        yield { ...item, outcome: 'not_sent' };
        continue;
      }
      try {
        await send(session, await callFor(record.target), true);
        completedRecords.push(record);
        yield { ...item, outcome: 'done' };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        isStopped = endsRun(error);
        hasUnknownWrites ||= hasUnknownOutcome(error);
        yield { ...item, outcome: outcomeOf(error), failure: error };
      }
    }
    locks?.release({ hasPendingRequests: hasUnknownWrites });
  }
  return {
    kind: 'items',
    items: items(),
    nextSteps: async () => [
      ...(affectedRecords.length === 0 ? ['No IDs on standard input. Nothing was sent.'] : []),
      ...((await undoCommands?.(completedRecords)) ?? []).map(undoMessage),
    ],
  };
}

async function planTargets(
  { targets, callFor }: TargetRun,
  calls: readonly Call[],
  context: Context,
): Promise<Result> {
  const session = await context.session();
  const requests = [];
  for (const ids of distinctTargets(calls))
    requests.push((await send(session, await callFor(ids))).planned ?? []);
  return dryRunResult(context, requests.flat(), { isList: targets.isBulk });
}

function send(session: Session, { call, recordBefore }: PreparedCall, hasMoreWrites?: true) {
  return session.write(call, { recordBefore, hasMoreWrites });
}

function itemOf(
  { name, target }: AffectedRecord,
  { effect, pastTense }: Operation,
  { varyingIndex }: Targets,
): Pick<Item, 'id' | 'action' | 'message'> {
  if (effect === 'list' || effect === 'get') throw new Error(`${effect} writes nothing`);
  return { id: target[varyingIndex] ?? '', action: effect, message: `${capitalize(name)} ${pastTense}.` };
}

function undoMessage(line: string): string {
  return `To undo this: ${line}`;
}

/** Throws if a delete, or a run over several records, has no `--yes` and no terminal to ask on. */
function refuseUnconfirmed(targets: readonly Target[], operation: Operation, context: Context): void {
  const needsConfirmation = operation.effect === 'delete' || targets.length > 1;
  if (!needsConfirmation || targets.length === 0) return;
  const [onlyTarget] = targets;
  const subject =
    targets.length === 1 && onlyTarget
      ? subjectOf(operation, onlyTarget)
      : formatTargetCount(operation, targets.length);
  requireYes({ action: `${operation.verb} ${subject}`, consequence: consequenceOf(operation) }, context);
}

/** Returns the targets without duplicates: two names can identify the same record. */
function distinctTargets(calls: readonly Call[]): Target[] {
  return [...new Map(calls.map(({ ids = [] }) => [JSON.stringify(ids), ids])).values()];
}

/** Asks for confirmation on a terminal. Restoring a single record needs no confirmation. */
async function confirmTargets(
  targets: readonly Target[],
  { operation, warnings }: TargetRun,
  context: Context,
): Promise<readonly AffectedRecord[]> {
  const needsNoConfirmation =
    targets.length === 0 || (targets.length === 1 && operation.effect === 'restore');
  if (context.globals.yes || !context.streams.interactive || needsNoConfirmation) {
    return targets.map((target) => ({ target, name: subjectOf(operation, target) }));
  }
  return confirmRun(targets, operation, context, (await warnings?.(targets)) ?? []);
}
