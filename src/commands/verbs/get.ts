/** `boh RESOURCE get ID…` and `boh whoami`: show one record, or several as a list. */
import { Failure, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Call } from '../../client/request.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { includeMessages } from '../../input/list-query.ts';
import { dryRunResult } from '../../output/dry-run.ts';
import { presentInView } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { type View, withShownRelations } from '../../output/view.ts';
import { readTargets, resolveTargets } from '../../prompts/missing-input.ts';
import { readEach } from '../../session/list.ts';
import type { Session } from '../../session/session.ts';
import { reportFailure } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand, type DeclaredVerb } from '../declare.ts';
import { idArguments, includeFlag, viewFlags } from '../flags/contract-flags.ts';
import { under } from '../flags/flag-table.ts';

export function getCommand(verb: DeclaredVerb, operation: Operation, context: Context): Command {
  return createCommand(context, {
    ...verb,
    ...idArguments(operation),
    flags: [...under('Rows:', [includeFlag]), ...viewFlags],
    run: (_, flags, { args }) =>
      presentInView(context, operation.resource, flags, (view) =>
        readTargetRecords(args, view, operation, context),
      ),
  });
}

async function readTargetRecords(
  args: readonly string[],
  recordView: View,
  operation: Operation,
  context: Context,
): Promise<Result> {
  const { resource } = operation;
  const messages = context.globals.unchecked ? {} : await includeMessages(resource, recordView.include);
  const { command } = operation;
  if (messages.include) throw violations(`input for ${command}`, messages, boh.help(command));
  const { all: targets, isBulk } = await readTargets(context, operation, args);
  const { include, optionalInclude: optional } = withShownRelations(recordView, isBulk ? 'list' : 'record');
  const session = await context.session();
  if (!context.globals.dryRun) await session.permissions.checkPermission({ operation });
  const calls = await resolveTargets(
    session,
    targets.map((ids) => ({ operation, ids, query: { include, optional } })),
  );
  const requests = [];
  // Malformed IDs are refused before anything is sent.
  for (const call of calls) requests.push(await session.plan(call));
  if (context.globals.dryRun) return dryRunResult(context, requests);
  const [onlyCall] = calls;
  if (isBulk || !onlyCall) return readMultiple(resource, calls, session, context);
  const { record, body } = await session.get(onlyCall);
  return { kind: 'record', resource, record, body };
}

/** Returns the records that can be read as rows, and reports each failure. The result fails at the end if a read failed. */
function readMultiple(
  resource: Resource,
  calls: readonly Call[],
  session: Session,
  context: Context,
): Result {
  const report = (failure: Failure) => reportFailure(failure, context.streams);
  const list = readEach(session, calls, report);
  const failure = () => {
    const failures = list
      .failures()
      .map(({ id, failure: { category, message } }) => ({ id, category, message }));
    const [firstFailure] = failures;
    if (!firstFailure) return undefined;
    const haveSameCategory =
      failures.length === calls.length &&
      failures.every(({ category }) => category === firstFailure.category);
    return new Failure(
      haveSameCategory ? firstFailure.category : 'partial',
      `Can't read ${failures.length} of ${calls.length} records.`,
      {
        hint: 'The failures are listed above.',
        failures,
      },
    );
  };
  return { kind: 'rows', resource, query: {}, list, failure };
}
