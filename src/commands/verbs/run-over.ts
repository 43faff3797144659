/** A write to several records: confirmed as a whole, then sent one after the other, each with an outcome of its own. */

import { Failure } from '../../base/errors.ts';
import { nameOf } from '../../client/client.ts';
import type { Call } from '../../client/request.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { capitalized } from '../../contract/wording.ts';
import { endsRun, type Item, outcomeOf } from '../../output/items.ts';
import { planned } from '../../output/planned.ts';
import type { Result } from '../../output/result.ts';
import { countedTargets } from '../../output/wording.ts';
import { refuseUnasked } from '../../prompts/confirming/confirm-action.ts';
import { type Affected, confirmRun } from '../../prompts/confirming/confirm-run.ts';
import { resolveTargets, type Target, type Targets } from '../../prompts/targets.ts';
import { outlook } from '../../reference/operation-words.ts';
import { knownAccount } from '../../session/file-owner.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Locks } from '../../storage/lock-queue.ts';
import type { WhereRun } from '../bulk/where.ts';
import type { WaitFlags } from '../flags/shared-flags.ts';

export interface PreparedCall {
  call: Call;
  /** The record as it was read for it. */
  known?: Row | undefined;
}

export interface Run {
  operation: Operation;
  targets: Targets;
  /** What is given to each of them. */
  body?: Row | undefined;
  /** What is sent to one record, its names resolved to ids. */
  callFor(target: Target): Promise<PreparedCall>;
  /** What the confirmation shows in addition to the names of the records. */
  warnings?(targets: readonly Target[]): Promise<readonly string[]>;
  /** Commands that undo the changes. */
  undoneBy?(done: readonly Affected[]): Promise<readonly string[]>;
  /** Set if it may add a key to the account: no other run that could add the same key runs meanwhile. */
  locking?: WaitFlags | undefined;
}

/** Look-ups, checks of ids and questions come before the first write. */
export async function runOver(run: Run, context: Context): Promise<Result> {
  const { operation, targets } = run;
  const session = await context.session();
  const calls = targets.all.map((ids) => ({ operation, ids }));
  if (context.globals.dryRun) return plannedRun(run, await resolveTargets(session, calls), context);
  refuseUnconfirmed(targets.all, operation, context);
  // Checked before look-ups and prompts. On a terminal the confirmation shows the records first.
  await (context.streams.interactive ? session.permit({ operation }) : session.approve({ operation }));
  const found = apart(await resolveTargets(session, calls));
  // What can be no id is refused before anything is sent.
  for (const ids of found) await session.plan({ operation, ids });
  await session.notifyPlanned([{ operation, body: run.body }]);
  const affected = await confirmed(found, run, context);
  const [only, ...others] = found;
  await session.approve({ operation, ...(only && others.length === 0 && { ids: only }) });
  const sending = {
    session,
    lock: async () => run.locking && lockResource(operation, { session, ...run.locking }, context),
  };
  return targets.isSeveral ? severalWrites(run, affected, sending) : oneWrite(run, affected, sending);
}

interface Sending {
  session: Session;
  lock(): Promise<Locks | undefined>;
}

/** Locks the resource of an operation against other runs. */
export async function lockResource(
  { command, resource }: Pick<Operation, 'command' | 'resource'>,
  { session, wait }: { session: Session } & WaitFlags,
  context: Context,
): Promise<Locks> {
  const { lockRun } = await import('../bulk/lock-run.ts');
  // A request for the account of the token would cost as much as the write.
  const account = async () => knownAccount(session.settings);
  return lockRun({ account, resources: [resource.name], flags: { wait }, command }, context);
}

/** Runs an operation over all records that match the filters. */
export async function runOverFiltered(run: WhereRun, context: Context): Promise<Result> {
  const { runWhere } = await import('../bulk/where.ts');
  return runWhere(run, context);
}

function isUnknown(error: unknown): boolean {
  return error instanceof Failure && error.details.outcome === 'unknown';
}

/** Releases the locks after the work; other runs wait for a write whose outcome is unknown. */
export async function whileLocked<Done>(locks: Locks | undefined, work: () => Promise<Done>): Promise<Done> {
  let isUnsettled = false;
  try {
    return await work();
  } catch (error) {
    isUnsettled = isUnknown(error);
    throw error;
  } finally {
    locks?.release({ hasPendingRequests: isUnsettled });
  }
}

/** Sends a single write without progress: its outcome is the exit code. */
async function oneWrite(
  { operation, callFor, undoneBy }: Run,
  affected: readonly Affected[],
  { session, lock }: Sending,
): Promise<Result> {
  await whileLocked(await lock(), async () => {
    for (const { target } of affected) await send(session, await callFor(target));
  });
  const done = affected.map((one) => messageOf(one, operation));
  const undo = (await undoneBy?.(affected)) ?? [];
  return { kind: 'nothing', notes: [...done, ...undo.map(inWords)] };
}

function severalWrites(
  { operation, targets, callFor, undoneBy }: Run,
  affected: readonly Affected[],
  { session, lock }: Sending,
): Result {
  const done: Affected[] = [];
  const action = effectOf(operation);
  async function* items(): AsyncGenerator<Item> {
    const locks = await lock();
    let isUnsettled = false;
    let isEnded = false;
    for (const one of affected) {
      const item = { id: one.target[targets.varying] ?? '', action, message: messageOf(one, operation) };
      if (isEnded) {
        yield { ...item, outcome: 'not_sent' };
        continue;
      }
      try {
        await send(session, await callFor(one.target), true);
        done.push(one);
        yield { ...item, outcome: 'done' };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        isEnded = endsRun(error);
        isUnsettled ||= isUnknown(error);
        yield { ...item, outcome: outcomeOf(error), failure: error };
      }
    }
    locks?.release({ hasPendingRequests: isUnsettled });
  }
  return {
    kind: 'items',
    items: items(),
    next: async () => [
      ...(affected.length === 0 ? ['No IDs on standard input. Nothing was sent.'] : []),
      ...((await undoneBy?.(done)) ?? []).map(inWords),
    ],
  };
}

async function plannedRun({ callFor }: Run, calls: readonly Call[], context: Context): Promise<Result> {
  const session = await context.session();
  const requests = [];
  for (const ids of apart(calls)) requests.push((await send(session, await callFor(ids))).planned ?? []);
  return planned(context, requests.flat());
}

function send(session: Session, { call, known }: PreparedCall, isOfSeveral?: true) {
  return session.write(call, { known, isOfSeveral });
}

function effectOf({ effect }: Operation): Item['action'] {
  if (effect === 'list' || effect === 'get') throw new Error(`${effect} writes nothing`);
  return effect;
}

function messageOf({ name }: Affected, { done }: Operation): string {
  return `${capitalized(name)} ${done}.`;
}

function inWords(line: string): string {
  return `To undo this: ${line}`;
}

/** Throws if a delete, or a run over several records, has no `--yes` and no terminal to ask on. */
function refuseUnconfirmed(targets: readonly Target[], operation: Operation, context: Context): void {
  const isAsked = operation.effect === 'delete' || targets.length > 1;
  if (!isAsked || targets.length === 0) return;
  const [only] = targets;
  const what =
    targets.length === 1 && only ? nameOf(operation, only) : countedTargets(operation, targets.length);
  refuseUnasked({ what: `${operation.verb} ${what}`, outlook: outlook(operation) }, context);
}

/** Returns each record once, because two names can identify the same one. */
function apart(calls: readonly Call[]): Target[] {
  return [...new Map(calls.map(({ ids = [] }) => [JSON.stringify(ids), ids])).values()];
}

/** Asks on a terminal. A single restore or change needs no confirmation: it can be undone. */
async function confirmed(
  targets: readonly Target[],
  { operation, warnings }: Run,
  context: Context,
): Promise<readonly Affected[]> {
  const isHarmless = targets.length === 0 || (targets.length === 1 && operation.effect === 'restore');
  if (context.globals.yes || !context.streams.interactive || isHarmless) {
    return targets.map((target) => ({ target, name: nameOf(operation, target) }));
  }
  return confirmRun(targets, operation, context, (await warnings?.(targets)) ?? []);
}
