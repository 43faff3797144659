/** A verb that is run on ids and nothing else, or on the records that filters find. */
import type { Command } from 'commander';
import type { Operation } from '../../contract/operation.ts';
import type { Affected } from '../../interaction/confirming/affected.ts';
import type { Context } from '../../interaction/context.ts';
import { namedTargets } from '../../interaction/input/targets.ts';
import { presented } from '../../interaction/output/present.ts';
import type { WhereFlags } from '../flags/where-options.ts';
import { runOver } from './run-over.ts';

export function runRemove(command: Command, operation: Operation, context: Context): Promise<void> {
  const run = presented(context, async () => {
    const flags = command.opts<WhereFlags>();
    if (flags.where)
      return (await import('../bulk/where.ts')).runWhere({ operation, args: command.args, flags }, context);
    return runOver(
      {
        operation,
        targets: await namedTargets(context, operation, command.args),
        callFor: async (ids) => ({ call: { operation, ids } }),
        undoneBy: (done) => wayBack(done, operation, context),
      },
      context,
    );
  });
  return run();
}

/** The commands that undo what was done. */
async function wayBack(
  done: readonly Affected[],
  operation: Operation,
  { globals, kept }: Context,
): Promise<string[]> {
  const restore = operation.effect === 'delete' ? operation.inverse : undefined;
  const commands = done.flatMap(({ again }) => again ?? []);
  if (restore && done.length > 0) {
    const { commandLine } = await import('../../interaction/input/command-line.ts');
    const ids = done.map(({ target }) => target[0] ?? '');
    commands.push(commandLine(globals, restore, ids));
  }
  if (commands.length > 0) kept.isUndoTold = true;
  return commands;
}
