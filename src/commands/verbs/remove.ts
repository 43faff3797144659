/** `boh RESOURCE delete`, `restore` and `unlink-…`: the verbs without a body, for IDs or filters. */

import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import type { AffectedRecord } from '../../prompts/confirm-changes.ts';
import { readTargets } from '../../prompts/missing-input.ts';
import type { Command } from '../command.ts';
import { createCommand, type DeclaredVerb } from '../declare.ts';
import { idArguments, whereFlagsOf } from '../flags/contract-flags.ts';
import { runForFilters, runForTargets } from './target-run.ts';

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
