/** `boh RESOURCE delete`, `restore` and `unlink-…`: the verbs without a body, for IDs or filters. */

import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import { createAction } from '../../output/present.ts';
import type { AffectedRecord } from '../../prompts/confirming/confirm-run.ts';
import { readTargets } from '../../prompts/targets.ts';
import type { Command } from '../command.ts';
import { addIdArguments, addWhereOptions, type WhereFlags } from '../flags/verb-flags.ts';
import { runForFilters, runForTargets } from './target-run.ts';

/** Adds the flags and the action to the command of the operation. */
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
        undoCommands: (affectedRecords) => undoCommands(affectedRecords, operation, context),
        locking: operation.effect === 'restore' ? flags : undefined,
      },
      context,
    );
  });
  return run();
}

/** Returns the commands that undo the changes. */
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
