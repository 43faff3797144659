/** Opens a text in the person's editor, in a file that only they can read. */
import { readFile, writeFile } from 'node:fs/promises';
import { startShell } from '../../base/child-process.ts';
import { Failure, usage, violations } from '../../base/errors.ts';
import { joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { type TemporaryFile, temporaryFile } from '../../settings/temporary-file.ts';
import { holdInterrupts } from '../../terminal/foreground.ts';
import { reportFailure } from '../../terminal/messages.ts';
import { confirm } from '../terminal/prompts.ts';

/** Uses what was saved. `rewrite` replaces the text for the case that the editor is opened again. */
export type UseText<Result> = (saved: string, rewrite: (text: string) => Promise<void>) => Promise<Result>;

/**
 * Lets the person edit a text until `use` accepts it: after a failure that another edit can fix, the editor can be opened
 * again. If that fails in the end and the text was changed, the file is kept and the failure says where it is.
 */
export async function editText<Result>(
  context: Context,
  { name, text }: { name: string; text: string },
  use: UseText<Result>,
): Promise<Result> {
  const file = await temporaryFile('edit', name, text);
  try {
    const result = await editUntilAccepted(context, file.path, use);
    await file.remove();
    return result;
  } catch (error) {
    throw await afterFailure(error, file, text);
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
    const saved = await readSaved(path);
    try {
      return await use(utf8In(saved), (text) => writeFile(path, text));
    } catch (error) {
      if (!(error instanceof Failure) || !isFixable(error)) throw error;
      reportFailure(error, context.streams);
      if (await confirm(context.streams, { message: 'Open the editor again?', initial: true })) continue;
      throw new Failure(error.category, 'Nothing was sent.');
    }
  }
}

/** Whether another edit can fix it: the text can't be read, or the service refuses it. */
function isFixable({ category }: Failure): boolean {
  return category === 'usage' || category === 'refused' || category === 'not_found';
}

/** Keeps a text that was changed and adds its place to the failure; removes any other. */
async function afterFailure(error: unknown, file: TemporaryFile, before: string): Promise<unknown> {
  const after = await readFile(file.path).catch(() => undefined);
  if (after === undefined || after.equals(Buffer.from(before)) || !(error instanceof Failure)) {
    await file.remove();
    return error;
  }
  const kept = `Your text is kept in ${await file.keep()}`;
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: joinHints('\n', error.details.hint, kept),
  });
}

const whichEditor = 'The environment variable VISUAL or EDITOR says which editor is used.';

/** Opens a file in $VISUAL, else $EDITOR, and waits for its end. */
async function openEditor(path: string, context: Context): Promise<void> {
  const { env } = context;
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const release = holdInterrupts();
  try {
    const exitCode = await run(editor, path, context);
    if (exitCode === 0) return;
    const reason = exitCode === 127 ? 'can’t be found' : `ended with ${exitCode ?? 'a signal'}`;
    throw usage(`The editor “${editor}” ${reason}; nothing was sent.`, { hint: whichEditor });
  } finally {
    release();
  }
}

/** The editor draws on stderr's terminal, so that stdout stays free for the result. */
function run(editor: string, path: string, { env, signal }: Context): Promise<number | null> {
  const line = process.platform === 'win32' ? `${editor} "${path}"` : `${editor} "$1"`;
  const child = startShell(line, [editor, path], { env, stdio: ['inherit', 2, 2], signal });
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(signal.aborted ? signal.reason : usage(`The editor “${editor}” can’t be started.`)),
    );
    child.on('exit', resolve);
  });
}

async function readSaved(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw usage('The editor has left no file behind, so there is no text to read; nothing was sent.', {
      hint: whichEditor,
      cause,
    });
  }
}

function utf8In(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw violations('Your text', { _: ['is not UTF-8: save it as such in the editor'] });
  }
}
