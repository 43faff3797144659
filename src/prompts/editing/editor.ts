/** Opens text in the user's editor, in a file that only the user can read. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startShell } from '../../base/child-process.ts';
import { Failure, usage, violations } from '../../base/errors.ts';
import { joinHints } from '../../base/hint.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../base/temporary-folder.ts';
import type { Context } from '../../context/context.ts';
import { ignoreInterrupts } from '../../terminal/foreground.ts';
import { reportFailure } from '../../terminal/messages.ts';
import { promptsFor } from '../terminal/prompts.ts';

type UseText<Result> = (saved: string) => Promise<Result>;

/**
 * Opens text in the editor until `use` accepts it. After a failure that another edit can fix, the editor can be opened
 * again. If the last attempt fails and the text was changed, the file is kept and the failure contains its path.
 */
export async function editText<Result>(
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
