/** The verbs without a body, for IDs or filters: `delete`, `restore` and `unlink-…`. */

import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import { createAction } from '../../output/present.ts';
import type { AffectedRecord } from '../../prompts/confirming/confirm-run.ts';
import { readTargets } from '../../prompts/targets.ts';
import type { Command } from '../command.ts';
import { addIdArguments, addWhereOptions, type WhereFlags } from '../flags/verb-flags.ts';
import { runForFilters, runForTargets } from './target-run.ts';

/** Gives the command its flags and its action. */
export function configureRemove(command: Command, operation: Operation, context: Context): void {
  addIdArguments(command, operation);
  addWhereOptions(command, operation);
  command.action(() => runRemove(command, operation, context));
}

function runRemove(command: Command, operation: Operation, context: Context): Promise<void> {
  const run = createAction(context, async () => {
    const flags = command.opts<WhereFlags>();
    if (flags.where) return runForFilters({ operation, args: command.args, flags }, context);
    return runForTargets(
      {
        operation,
        targets: await readTargets(context, operation, command.args),
        callFor: async (ids) => ({ call: { operation, ids } }),
        undoCommands: (done) => undoCommands(done, operation, context),
        locking: operation.effect === 'restore' ? flags : undefined,
      },
      context,
    );
  });
  return run();
}

/** Returns the commands that undo the changes. */
async function undoCommands(
  done: readonly AffectedRecord[],
  operation: Operation,
  { globals, recordedWrites: kept }: Context,
): Promise<string[]> {
  const restore = operation.effect === 'delete' ? operation.inverse : undefined;
  const commands = done.flatMap(({ relinkCommand }) => relinkCommand ?? []);
  if (restore && done.length > 0) {
    const ids = done.map(({ target }) => target[0] ?? '');
    commands.push(formatCommandLine(globals, restore, ids));
  }
  if (commands.length > 0) kept.isUndoShown = true;
  return commands;
}
