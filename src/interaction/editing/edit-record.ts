/** `update ID --edit`: a record changed in the person's own editor. */

import type { Row } from '../../client/shape.ts';
import { capital } from '../../contract/capital.ts';
import type { Operation } from '../../contract/operation.ts';
import { validateBody } from '../../contract/validate.ts';
import { Failure, usage, violations } from '../../errors.ts';
import { quote } from '../../reference/examples.ts';
import type { Session } from '../../session/session.ts';
import { reportFailure } from '../../terminal/messages.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Context } from '../context.ts';
import { commandLine } from '../input/command-line.ts';
import { completeIds } from '../input/given-ids.ts';
import type { Result } from '../output/result.ts';
import { named } from '../output/wording.ts';
import { changesIn, editableText } from './edit-text.ts';
import { type EditedFile, editedFile, openEditor, utf8In } from './editor.ts';

/** Sends what was changed, and nothing else. A text that can't be used is opened again, or kept. */
export async function editRecord(
  context: Context,
  operation: Operation,
  given: readonly string[],
): Promise<Result> {
  refuseWithoutEditor(context);
  const ids = await completeIds(context, operation, given);
  const session = await context.session();
  await session.permit({ operation, ids });
  const current = await session.current({ operation, ids });
  const before = editableText(operation, current);
  const file = await editedFile(`${operation.resource.one}.yaml`, before);
  const sent = await editUntilSent(context, operation, current, { before, file, session }).catch(
    async (error: unknown) => {
      throw await afterFailure(error, file, before);
    },
  );
  await file.remove();
  if (!sent) return { kind: 'nothing', remarks: ['Nothing was changed; nothing was sent.'] };
  const { resource } = operation;
  const name = named(resource.noun, current.id, sent.record);
  const line = commandLine(context.globals, operation, [current.id], sent.changes);
  const done = {
    message: `${capital(name)} ${operation.done}.`,
    check: `boh ${resource.command} get ${quote(current.id)}`,
  };
  const remarks = [done.message, 'The same without the editor:', `  ${line}`];
  return { kind: 'record', resource, record: sent.record, body: sent.body, remarks, done };
}

function refuseWithoutEditor({ globals, streams }: Context): void {
  if (globals.dryRun) throw usage('--edit reads the record first, which --dry-run doesn’t.');
  if (streams.interactive) return;
  throw usage('--edit opens an editor, and there is no terminal for it.', {
    hint: 'Fields can be given as flags: see --help.',
  });
}

interface Sent {
  record: Row;
  body: string;
  changes: Row;
}

/** Undefined where nothing was changed. */
async function editUntilSent(
  context: Context,
  operation: Operation,
  { id, record: known }: { id: string; record: Row },
  { before, file, session }: { before: string; file: EditedFile; session: Session },
): Promise<Sent | undefined> {
  for (;;) {
    await openEditor(file.path, context);
    context.signal.throwIfAborted();
    const after = await file.read();
    try {
      const changes = readChanges(context, operation, before, utf8In(after));
      if (Object.keys(changes).length === 0) return undefined;
      const written = await session.write({ operation, ids: [id], body: changes }, { known });
      if (written.planned || !written.answered) return undefined;
      return { ...written.answered, changes };
    } catch (error) {
      if (!(error instanceof Failure) || !isMendable(error)) throw error;
      reportFailure(error, context.streams);
      if (await confirm(context.streams, { message: 'Open the editor again?', initial: true })) continue;
      throw new Failure(error.category, 'Nothing was sent.');
    }
  }
}

function readChanges(context: Context, operation: Operation, before: string, after: string): Row {
  const { body, problems } = changesIn(operation, before, after);
  const wrong = { ...(context.globals.unchecked ? {} : validateBody(operation, body)), ...problems };
  if (Object.keys(wrong).length === 0) return body;
  throw violations('Your text', wrong);
}

/** What another look at the text can mend: it can't be read, or the service refuses it. */
function isMendable({ category }: Failure): boolean {
  return category === 'usage' || category === 'refused' || category === 'not_found';
}

/** Nobody's work is thrown away: the failure says where it is. A text that is as it was, or gone, leaves nothing. */
async function afterFailure(error: unknown, file: EditedFile, before: string): Promise<unknown> {
  const after = await file.read().catch(() => undefined);
  if (after === undefined || after.equals(Buffer.from(before)) || !(error instanceof Failure)) {
    await file.remove();
    return error;
  }
  const kept = `Your text is kept in ${await file.keep()}`;
  const { hint } = error.details;
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: hint === undefined ? kept : `${hint}\n${kept}`,
  });
}
