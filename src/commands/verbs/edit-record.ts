/** `update ID --edit`: changes a record in the user's editor. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startShell } from '../../base/child-process.ts';
import { Failure, usage, violations } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../base/temporary-folder.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { validateBody } from '../../contract/validate.ts';
import { capitalize } from '../../contract/wording.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import type { Result } from '../../output/result.ts';
import { describeRecord } from '../../output/wording.ts';
import { completeIds } from '../../prompts/missing-input.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { ignoreInterrupts } from '../../terminal/keys.ts';
import { reportFailure } from '../../terminal/messages.ts';
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

type UseText<Result> = (saved: string) => Promise<Result>;

/**
 * Opens text in the editor until `use` accepts it. After a failure that another edit can fix, the editor can be opened
 * again. If the last attempt fails and the text was changed, the file is kept and the failure contains its path.
 */
async function editText<Result>(
  context: Context,
  { name, text }: { name: string; text: string },
  use: UseText<Result>,
): Promise<Result> {
  const folder = createTemporaryFolder('edit');
  try {
    const file = join(folder.path, name);
    await replaceFile(file, text, { newFileMode: 0o600 });
    const result = await editUntilAccepted(context, file, use);
    folder.remove();
    return result;
  } catch (error) {
    throw await keepChangedText(error, { folder, name, text });
  }
}

async function editUntilAccepted<Result>(
  context: Context,
  path: string,
  use: UseText<Result>,
): Promise<Result> {
  for (;;) {
    await openEditor(path, context);
    context.signal.throwIfAborted();
    const saved = await readSavedFile(path);
    try {
      return await use(decodeUtf8(saved));
    } catch (error) {
      if (!(error instanceof Failure) || !isFixable(error)) throw error;
      reportFailure(error, context.streams);
      const prompts = await promptsFor(context.streams);
      if (await prompts.confirm({ message: 'Open the editor again?', initial: true })) continue;
      throw new Failure(error.category, 'Nothing was sent.');
    }
  }
}

/** Returns whether another edit can fix a failure: the text can't be read, or the service refuses it. */
function isFixable({ category }: Failure): boolean {
  return category === 'usage' || category === 'refused' || category === 'not_found';
}

/** Keeps the file of a changed text and adds its path to the failure. Removes the file of an unchanged text. */
async function keepChangedText(
  error: unknown,
  { folder, name, text }: { folder: TemporaryFolder; name: string; text: string },
): Promise<unknown> {
  const savedBytes = await readFile(join(folder.path, name)).catch(() => undefined);
  if (savedBytes === undefined || savedBytes.equals(Buffer.from(text)) || !(error instanceof Failure)) {
    folder.remove();
    return error;
  }
  const savedNote = `Your text was saved to ${join(folder.keep(), name)}`;
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: joinHints('\n', error.details.hint, savedNote),
  });
}

const editorHint = 'Set the environment variable VISUAL or EDITOR to choose the editor.';

/** Opens a file in $VISUAL or $EDITOR, and waits until the editor exits. */
async function openEditor(path: string, context: Context): Promise<void> {
  const { env } = context;
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const release = ignoreInterrupts();
  try {
    const exitCode = await runEditor(editor, path, context);
    if (exitCode === 0) return;
    const exitDescription = exitCode === null ? 'a signal' : `exit code ${exitCode}`;
    const reason = exitCode === 127 ? 'was not found' : `failed with ${exitDescription}`;
    throw usage(`The editor "${editor}" ${reason}. Nothing was sent.`, { hint: editorHint });
  } finally {
    release();
  }
}

/** Runs the editor on stderr's terminal: stdout is only for the result. */
function runEditor(editor: string, path: string, { env, signal }: Context): Promise<number | null> {
  const commandLine = process.platform === 'win32' ? `${editor} "${path}"` : `${editor} "$1"`;
  const child = startShell(commandLine, [editor, path], { env, stdio: ['inherit', 2, 2], signal });
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(signal.aborted ? signal.reason : usage(`Can't start the editor "${editor}".`)),
    );
    child.on('exit', resolve);
  });
}

async function readSavedFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw usage("Can't read the edited file. Nothing was sent.", {
      hint: editorHint,
      cause,
    });
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw violations('text', { _: ["isn't UTF-8: save it as UTF-8 in the editor"] });
  }
}
