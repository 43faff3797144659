/** The verbs that take ids and nothing else: `delete`, `restore` and `unlink-…`. */
import type { Command } from 'commander';
import { nameOf } from '../../client/client.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { Failure, usage } from '../../errors.ts';
import { outlook } from '../../reference/operation-words.ts';
import type { Affected, Target } from '../confirming/affected.ts';
import type { Context } from '../context.ts';
import { addIdArguments, completeIds } from '../input/given-ids.ts';
import { resolveCall } from '../input/resolve.ts';
import { endsRun, type Item, outcomeOf } from '../output/items.ts';
import { planned } from '../output/planned.ts';
import { presented } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { counted, sentence } from '../output/wording.ts';
import { writeOptions } from './write-options.ts';

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
  const { performWrite } = await import('../../client/write.ts');
  const options = writeOptions(context, []);
  if (options.dryRun) {
    const outcomes = await Promise.all(
      typed.map((ids) => performWrite(context.client, { operation, ids }, options)),
    );
    return planned(
      context,
      outcomes.flatMap((outcome) => outcome.planned ?? []),
    );
  }
  refuseUnconfirmed(typed, operation, context);
  // Before any look-up or question, which could be in vain.
  for (const guard of options.guards) await guard({ operation });
  const targets = await lookUpAll(typed, operation, context);
  const affected = await confirmed(targets, operation, context);
  const remove = async ({ target }: Affected) => {
    await performWrite(context.client, { operation, ids: target }, options);
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

/** All look-ups come before the first write: a mistyped name ends the run while nothing has happened. */
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
    if (targets.some((other) => other.join() === target.join())) continue;
    // What can be no id is refused before anything is sent.
    client.requestFor({ operation, ids: target });
    targets.push(target);
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

/** The commands that undo what was done. */
async function wayBack(
  done: readonly Affected[],
  operation: Operation,
  { globals }: Context,
): Promise<string[]> {
  const restore = operation.effect === 'delete' && operationOf(operation.resource, 'restore');
  const commands = done.flatMap(({ again }) => again ?? []);
  if (restore && done.length > 0) {
    const { commandLine } = await import('../input/command-line.ts');
    const ids = done.map(({ target }) => target[0] ?? '');
    commands.push(commandLine(globals, restore, ids));
  }
  return commands.map((line) => `To undo this: ${line}`);
}
