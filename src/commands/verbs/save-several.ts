/** One change, written to several records. */
import { isList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import type { Target, Targets } from '../../interaction/input/targets.ts';
import type { Result } from '../../interaction/output/result.ts';
import { resolveChanges } from '../../session/list-change.ts';
import { runOver } from './run-over.ts';
import { callFor, currentOf, type GivenChange } from './save-call.ts';

/** As many are read as a person reads of before answering. */
const mostRead = 20;

export async function saveSeveral(
  operation: Operation,
  targets: Targets,
  given: GivenChange,
  context: Context,
): Promise<Result> {
  const named = once(() => withoutNames(operation, given, context));
  return runOver(
    {
      operation,
      targets,
      body: given.body,
      callFor: async (ids) => callFor(operation, ids, { ...(await named()), isConfirmed: true }, context),
      warnings: async (all) => lossesOf(operation, all, await named(), context),
    },
    context,
  );
}

/** Names in what is given are looked up once, and not for each record. */
async function withoutNames(
  operation: Operation,
  given: GivenChange,
  context: Context,
): Promise<GivenChange> {
  const session = await context.session();
  const call = await session.resolve({ operation, body: given.body });
  const changes = await resolveChanges(call, given.changes, session.resolveAll);
  return { ...given, body: call.body ?? {}, changes };
}

async function lossesOf(
  operation: Operation,
  targets: readonly Target[],
  { body }: GivenChange,
  context: Context,
): Promise<string[]> {
  const isReplacing = operation.body.some(({ name, field }) => isList(field) && Object.hasOwn(body, name));
  if (operation.effect !== 'update' || !isReplacing) return [];
  const { lossLines } = await import('../../interaction/confirming/confirm-loss.ts');
  const lines: string[] = [];
  for (const ids of targets.slice(0, mostRead)) {
    const current = await currentOf({ operation, ids }, context);
    if (current) lines.push(...lossLines(operation, body, current));
  }
  return lines;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
