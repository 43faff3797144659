/** The verbs that take ids and nothing else: `delete`, `restore` and `unlink-…`. */
import type { Command } from 'commander';
import { nameOf } from '../../client/client.ts';
import { type Effect, type Operation, operation as operationOf } from '../../contract/operation.ts';
import { Failure, usage } from '../../errors.ts';
import { outlook } from '../../reference/operation-words.ts';
import { note, reportFailure } from '../../terminal/messages.ts';
import type { Affected, Target } from '../confirming/affected.ts';
import type { Context } from '../context.ts';
import { addIdArguments, completeIds } from '../input/given-ids.ts';
import { resolveCall } from '../input/resolve.ts';
import { printPlanned } from '../showing/planned.ts';
import { counted, sentence } from '../showing/wording.ts';
import { failureInPlace } from '../where.ts';
import { writeOptions } from './write-options.ts';

export function configureRemove(command: Command, operation: Operation, context: Context): void {
  const several = operation.params.length === 1;
  addIdArguments(command, operation, { several });
  command.action(async () => {
    const ids = await completeIds(context, operation, command.args);
    await run(several ? [...new Set(ids)].map((id) => [id]) : [ids], operation, context);
  });
}

async function run(typed: readonly Target[], operation: Operation, context: Context): Promise<void> {
  const { performWrite } = await import('../../client/write.ts');
  const options = writeOptions(context, []);
  if (options.dryRun) {
    const outcomes = await Promise.all(
      typed.map((ids) => performWrite(context.client, { operation, ids }, options)),
    );
    const planned = outcomes.flatMap((outcome) => outcome.planned ?? []);
    return printPlanned(context, planned);
  }
  refuseUnconfirmed(typed, operation, context);
  // Before any look-up or question, which could be in vain.
  for (const guard of options.guards) await guard({ operation });
  const targets = await lookUpAll(typed, operation, context);
  const affected = await confirmed(targets, operation, context);

  const done: Affected[] = [];
  const failures: Failure[] = [];
  for (const one of affected) {
    try {
      await performWrite(context.client, { operation, ids: one.target }, options);
      done.push(one);
      note(context.streams, `${sentence(one.name)} ${pastTense[operation.effect] ?? 'done'}.`);
    } catch (error) {
      if (!(error instanceof Failure) || affected.length === 1) throw error;
      if (endsRun(error)) {
        await tellWayBack(done, operation, context);
        throw stopped(error, done.length, affected.length - done.length - failures.length - 1);
      }
      failures.push(error);
      reportFailure(failureInPlace(error, context.globals), context.streams);
    }
  }
  await tellWayBack(done, operation, context);
  if (failures.length > 0) {
    const rest = done.length > 0 ? 'the others are done' : 'nothing was done';
    throw new Failure('partial', `${failures.length} of ${affected.length} failed; ${rest}.`, {
      hint: 'What failed, and why, is told above.',
    });
  }
}

const pastTense: Readonly<Partial<Record<Effect, string>>> = {
  delete: 'deleted',
  restore: 'restored',
  unlink: 'unlinked',
};

/** Nothing further can succeed: what is done and what was not tried belongs to the failure. */
function stopped(error: Failure, done: number, untried: number): Failure {
  const message = `${error.message} Before that, ${done} were done; ${untried} were not tried.`;
  return new Failure(error.category, message, error.details);
}

function endsRun({ category }: Failure): boolean {
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited', 'unavailable'].includes(category);
}

/** A delete, and a run over several records, needs `--yes` where nobody can be asked. */
function refuseUnconfirmed(targets: readonly Target[], operation: Operation, context: Context): void {
  const isAsked = operation.effect === 'delete' || targets.length > 1;
  if (!isAsked || context.globals.yes || context.streams.interactive) return;
  const [only] = targets;
  const what =
    targets.length === 1 && only ? nameOf(operation, only) : counted(operation.resource, targets.length);
  const hint = ['There is no terminal to ask on.', outlook(operation)].filter(Boolean).join(' ');
  throw usage(`To ${operation.verb} ${what}, add --yes.`, { hint });
}

/** All look-ups come before the first deed: a mistyped name ends the run while nothing has happened. */
async function lookUpAll(
  typed: readonly Target[],
  operation: Operation,
  context: Context,
): Promise<Target[]> {
  const client = await context.client();
  const targets: Target[] = [];
  for (const ids of typed) {
    const target = (await resolveCall(client, { operation, ids }, [])).ids ?? [];
    // Two names can lead to one record.
    if (!targets.some((other) => other.join() === target.join())) targets.push(target);
  }
  return targets;
}

/** Asks on a terminal. One restore needs no question: a delete undoes it. */
async function confirmed(
  targets: readonly Target[],
  operation: Operation,
  context: Context,
): Promise<readonly Affected[]> {
  const isHarmless = operation.effect === 'restore' && targets.length === 1;
  if (context.globals.yes || !context.streams.interactive || isHarmless) {
    return targets.map((target) => ({ target, name: nameOf(operation, target) }));
  }
  const { confirmRun } = await import('../confirming/confirm-run.ts');
  return confirmRun(targets, operation, context);
}

/** The command that undoes what was done. */
async function tellWayBack(done: readonly Affected[], operation: Operation, context: Context): Promise<void> {
  const restore = operation.effect === 'delete' && operationOf(operation.resource, 'restore');
  const commands = done.flatMap(({ again }) => again ?? []);
  if (restore && done.length > 0) {
    const { commandLine } = await import('../input/command-line.ts');
    const ids = done.map(({ target }) => target[0] ?? '');
    commands.push(commandLine(context.globals, restore, ids));
  }
  for (const line of commands) note(context.streams, `To undo this: ${line}`);
}
