/** The verbs that take ids and nothing else: `delete`, `restore` and `unlink-…`. */
import type { Command } from 'commander';
import { nameOf } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure, usage } from '../../errors.ts';
import { note, reportFailure } from '../../terminal/messages.ts';
import type { Context } from '../context.ts';
import { printPlanned } from '../planned.ts';
import { writeOptions } from '../write-options.ts';

export function configureRemove(command: Command, operation: Operation, context: Context): void {
  if (operation.params.length > 1) {
    for (const { name } of operation.params) {
      command.argument(
        `<${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}>`,
        'the id, or @NAME',
      );
    }
    command.action(() => run([command.args], operation, context));
  } else {
    command.argument('<id...>', 'the ids, or @NAME');
    command.action(() =>
      run(
        command.args.map((id) => [id]),
        operation,
        context,
      ),
    );
  }
}

async function run(
  targets: readonly (readonly string[])[],
  operation: Operation,
  context: Context,
): Promise<void> {
  const { performWrite } = await import('../../client/write.ts');
  const options = writeOptions(context, []);
  if (options.dryRun) {
    const outcomes = await Promise.all(
      targets.map((ids) => performWrite(context.client, { operation, ids }, options)),
    );
    return printPlanned(
      context,
      outcomes.flatMap(({ planned }) => planned ?? []),
    );
  }
  await confirmRun(targets, operation, context);
  const failures: Failure[] = [];
  for (const [index, ids] of targets.entries()) {
    try {
      await performWrite(context.client, { operation, ids }, options);
      note(context.streams, doneMessage(operation, ids));
    } catch (error) {
      if (!(error instanceof Failure) || targets.length === 1) throw error;
      if (endsRun(error)) throw stopped(error, index - failures.length, targets.length - index - 1);
      failures.push(error);
      reportFailure(error, context.streams);
    }
  }
  if (failures.length > 0) {
    throw new Failure('partial', `${failures.length} of ${targets.length} failed; the others are done.`, {
      hint: 'What failed, and why, is told above.',
    });
  }
}

/** Nothing further can succeed: what is done and what was not tried belongs to the failure. */
function stopped(error: Failure, done: number, untried: number): Failure {
  const message = `${error.message} Before that, ${done} were done; ${untried} were not tried.`;
  return new Failure(error.category, message, error.details);
}

function endsRun({ category }: Failure): boolean {
  return ['not_signed_in', 'not_allowed', 'interrupted', 'rate_limited', 'unavailable'].includes(category);
}

/** A delete, and a run over several records, is asked about on a terminal and needs `--yes` elsewhere. */
async function confirmRun(
  targets: readonly (readonly string[])[],
  operation: Operation,
  context: Context,
): Promise<void> {
  const isDelete = operation.effect === 'delete';
  if (context.globals.yes || (!isDelete && targets.length === 1)) return;
  const what =
    targets.length === 1
      ? nameOf(operation, targets[0] ?? [])
      : `${targets.length} ${operation.resource.command.replaceAll('-', ' ')}`;
  const deed = operation.verb.replace('-', ' ');
  if (!context.streams.interactive) {
    throw usage(`To ${deed} ${what}, add --yes.`, { hint: 'There is no terminal to ask on.' });
  }
  const { confirm } = await import('../../terminal/prompts.ts');
  const way = operation.resource.restore ? '' : ' It can’t be brought back.';
  const message = `${deed[0]?.toUpperCase()}${deed.slice(1)} ${what}?${isDelete ? way : ''}`;
  if (!(await confirm(context.streams, { message }))) {
    throw new Failure('interrupted', 'Nothing was done.', { exitCode: 130 });
  }
}

/** `Supplier 42 deleted. Bring it back: boh suppliers restore 42` */
function doneMessage(operation: Operation, ids: readonly string[]): string {
  const what = nameOf(operation, ids);
  const deed = { delete: 'deleted', restore: 'restored', unlink: 'unlinked' } as Record<string, string>;
  const back =
    operation.effect === 'delete' && operation.resource.restore
      ? ` Bring it back: boh ${operation.resource.command} restore ${ids[0]}`
      : '';
  return `${what[0]?.toUpperCase()}${what.slice(1)} ${deed[operation.effect] ?? 'done'}.${back}`;
}
