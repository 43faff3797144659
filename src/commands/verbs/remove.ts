/** The verbs that take ids and nothing else: `delete`, `restore` and `unlink-…`. */
import type { Command } from 'commander';
import { nameOf } from '../../client/client.ts';
import type { Call } from '../../client/request.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure, usage } from '../../errors.ts';
import { outlook } from '../../reference/operation-words.ts';
import type { Affected, Target } from '../confirming/affected.ts';
import type { Context } from '../context.ts';
import { addIdArguments, completeIds } from '../input/given-ids.ts';
import { endsRun, type Item, outcomeOf } from '../output/items.ts';
import { planned } from '../output/planned.ts';
import { presented } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { counted, sentence } from '../output/wording.ts';

export function configureRemove(command: Command, operation: Operation, context: Context): void {
  const several = operation.params.length === 1;
  addIdArguments(command, operation, { several });
  command.action(
    presented(context, async () => {
      const ids = await completeIds(context, operation, command.args);
      const typed = several ? [...new Set(ids)].map((id) => [id]) : [ids];
      return run(typed, several && ids.length > 1, operation, context);
    }),
  );
}

async function run(
  typed: readonly Target[],
  isSeveral: boolean,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const session = await context.session();
  const calls = typed.map((ids) => ({ operation, ids }));
  if (context.globals.dryRun) {
    const resolved = await session.resolveAll(calls);
    const written = await Promise.all(resolved.map((call) => session.write(call)));
    return planned(
      context,
      written.flatMap((each) => each.planned ?? []),
    );
  }
  refuseUnconfirmed(typed, operation, context);
  // Before any look-up or question, which could be in vain.
  await session.approve({ operation });
  const resolved = await session.resolveAll(calls);
  // What can be no id is refused before anything is sent.
  for (const call of resolved) await session.plan(call);
  const affected = await confirmed(apart(resolved), operation, context);
  const remove = async ({ target }: Affected) => {
    await session.write({ operation, ids: target });
  };
  return isSeveral
    ? removeSeveral(affected, remove, operation, context)
    : removeOne(affected, remove, operation, context);
}

/** Of one record there is nothing to show: its outcome is the exit code. */
async function removeOne(
  affected: readonly Affected[],
  remove: (one: Affected) => Promise<void>,
  operation: Operation,
  context: Context,
): Promise<Result> {
  for (const one of affected) await remove(one);
  const done = affected.map((one) => messageOf(one, operation));
  return { kind: 'nothing', remarks: [...done, ...(await wayBack(affected, operation, context))] };
}

function removeSeveral(
  affected: readonly Affected[],
  remove: (one: Affected) => Promise<void>,
  operation: Operation,
  context: Context,
): Result {
  const done: Affected[] = [];
  const action = effectOf(operation);
  async function* items(): AsyncGenerator<Item> {
    let isEnded = false;
    for (const one of affected) {
      const item = { id: one.target[0] ?? '', action, message: messageOf(one, operation) };
      if (isEnded) {
        yield { ...item, outcome: 'not_sent' };
        continue;
      }
      try {
        await remove(one);
        done.push(one);
        yield { ...item, outcome: 'done' };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        isEnded = endsRun(error);
        yield { ...item, outcome: outcomeOf(error), failure: error };
      }
    }
  }
  return { kind: 'items', items: items(), next: () => wayBack(done, operation, context) };
}

function effectOf({ effect }: Operation): Item['action'] {
  if (effect === 'list' || effect === 'get') throw new Error(`${effect} writes nothing`);
  return effect;
}

function messageOf({ name }: Affected, { done }: Operation): string {
  return `${sentence(name)} ${done}.`;
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

/** All look-ups come before the first write. Two names can lead to one record. */
function apart(calls: readonly Call[]): Target[] {
  return [...new Map(calls.map(({ ids = [] }) => [ids.join(), ids])).values()];
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

/** The commands that undo what was done. */
async function wayBack(
  done: readonly Affected[],
  operation: Operation,
  { globals }: Context,
): Promise<string[]> {
  const restore = operation.effect === 'delete' ? operation.inverse : undefined;
  const commands = done.flatMap(({ again }) => again ?? []);
  if (restore && done.length > 0) {
    const { commandLine } = await import('../input/command-line.ts');
    const ids = done.map(({ target }) => target[0] ?? '');
    commands.push(commandLine(globals, restore, ids));
  }
  return commands.map((line) => `To undo this: ${line}`);
}
