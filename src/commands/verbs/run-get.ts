/** A `get` that is run: one record, or several, of which each that can’t be read is told. */
import type { Command } from 'commander';
import type { Call } from '../../client/request.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure, violations } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { includeMessages } from '../../interaction/input/list-query.ts';
import { namedTargets, resolveTargets } from '../../interaction/input/targets.ts';
import { planned } from '../../interaction/output/planned.ts';
import { presentedInView } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { type View, withImplied } from '../../interaction/output/view.ts';
import { failureInPlace } from '../../interaction/where.ts';
import { readEach } from '../../session/each.ts';
import type { Session } from '../../session/session.ts';
import { reportFailure } from '../../terminal/messages.ts';

export function runGet(command: Command, operation: Operation, context: Context): Promise<void> {
  return presentedInView(context, operation.resource, command.opts(), (view) =>
    read(command.args, view, operation, context),
  );
}

async function read(
  given: readonly string[],
  asked: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const messages = context.globals.unchecked ? {} : await includeMessages(resource, asked.include);
  if (messages.include) throw violations(`The request to ${resource.command}`, messages);
  const { all, isSeveral } = await namedTargets(context, operation, given);
  const { include, implied: optional } = withImplied(asked, isSeveral ? 'list' : 'record');
  const session = await context.session();
  if (!context.globals.dryRun) await session.permit({ operation });
  const calls = await resolveTargets(
    session,
    all.map((ids) => ({ operation, ids, query: { include, optional } })),
  );
  const requests = [];
  // What can be no id is refused before anything is sent.
  for (const call of calls) requests.push(await session.plan(call));
  if (context.globals.dryRun) return planned(context, requests);
  const [only] = calls;
  if (isSeveral || !only) return severalRecords(resource, calls, session, context);
  const { record, body } = await session.get(only);
  return { kind: 'record', resource, record, body };
}

/** Those that are there are shown; of the others each is told, and the run fails. */
function severalRecords(
  resource: Resource,
  calls: readonly Call[],
  session: Session,
  context: Context,
): Result {
  const tell = (failure: Failure) => reportFailure(failureInPlace(failure, context), context.streams);
  const list = readEach(session.get, calls, tell);
  const failure = () => {
    const failures = list
      .failures()
      .map(({ id, failure: { category, message } }) => ({ id, category, message }));
    const [first] = failures;
    if (!first) return undefined;
    const isForOneReason =
      failures.length === calls.length && failures.every(({ category }) => category === first.category);
    const rest = failures.length < calls.length ? 'the others are shown' : 'none could be read';
    return new Failure(
      isForOneReason ? first.category : 'partial',
      `${failures.length} of ${calls.length} failed; ${rest}.`,
      {
        hint: 'What failed, and why, is told above.',
        failures,
      },
    );
  };
  return { kind: 'rows', resource, query: {}, list, failure };
}
