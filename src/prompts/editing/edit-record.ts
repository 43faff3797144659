/** `update ID --edit`: changes a record in the user's editor. */

import { usage, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { validateBody } from '../../contract/validate.ts';
import { capitalize } from '../../contract/wording.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import type { Result } from '../../output/result.ts';
import { describeRecord } from '../../output/wording.ts';
import { completeIds } from '../missing-input.ts';
import { editText } from './editor.ts';
import { findChanges, formatRecordText } from './record-text.ts';

/** Opens a record in the editor and sends the fields that were changed. */
export async function editRecord(
  context: Context,
  operation: Operation,
  initialIds: readonly string[],
): Promise<Result> {
  refuseWithoutEditor(context);
  const ids = await completeIds(context, operation, initialIds);
  const session = await context.session();
  await session.permissions.checkPermission({ operation, ids });
  const current = await session.updates.current({ operation, ids });
  const before = formatRecordText(operation, current);
  const { resource } = operation;
  const update = await editText(context, { name: `${resource.one}.yaml`, text: before }, async (saved) => {
    const changes = validateChanges(context, operation, before, saved);
    if (Object.keys(changes).length === 0) return undefined;
    const recordBefore = current.record;
    const outcome = await session.write({ operation, ids: [current.id], body: changes }, { recordBefore });
    return outcome.planned || !outcome.recordResponse ? undefined : { ...outcome.recordResponse, changes };
  });
  if (!update) return { kind: 'nothing', notes: ['No changes. Nothing was sent.'] };
  const name = describeRecord(resource.noun, current.id, update.record);
  const commandLine = formatCommandLine(context.globals, operation, [current.id], update.changes);
  const completedWrite = {
    message: `${capitalize(name)} ${operation.pastTense}.`,
    check: boh.account(`${resource.command} get`, current.id),
  };
  const notes = [completedWrite.message, 'To repeat this without the editor:', `  ${commandLine}`];
  return {
    kind: 'record',
    resource,
    record: update.record,
    body: update.body,
    notes,
    completedWrite,
  };
}

function refuseWithoutEditor({ globals, streams }: Context): void {
  if (globals.dryRun) throw usage("--edit can't be combined with --dry-run: it reads the record first.");
  if (streams.interactive) return;
  throw usage('--edit needs a terminal for the editor.', {
    hint: 'Pass the fields as flags instead. To list the flags: --help',
  });
}

function validateChanges(context: Context, operation: Operation, before: string, after: string): Row {
  const { body, problems } = findChanges(operation, before, after);
  const allProblems = { ...(context.globals.unchecked ? {} : validateBody(operation, body)), ...problems };
  if (Object.keys(allProblems).length === 0) return body;
  throw violations('text', allProblems);
}
