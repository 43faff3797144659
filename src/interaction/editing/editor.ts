/** Handing a text to the person's editor in a file that only they can read. */
import { readFile } from 'node:fs/promises';
import { startShell } from '../../child-process.ts';
import { usage, violations } from '../../errors.ts';
import { type TemporaryFile, temporaryFile } from '../../settings/temporary-file.ts';
import { holdInterrupts } from '../../terminal/foreground.ts';
import type { Context } from '../context.ts';

export interface EditedFile extends TemporaryFile {
  /** What stands in it now. Throws a usage failure where the editor has left nothing that can be read. */
  read(): Promise<Buffer>;
}

export async function editedFile(name: string, text: string): Promise<EditedFile> {
  const file = await temporaryFile('edit', name, text);
  return { ...file, read: () => readLeft(file.path) };
}

/** Throws a usage failure where it is something else. */
export function utf8In(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw violations('Your text', { _: ['is not UTF-8: save it as such in the editor'] });
  }
}

async function readLeft(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw usage('The editor has left no file behind, so there is no text to read; nothing was sent.', {
      hint: whichEditor,
      cause,
    });
  }
}

const whichEditor = 'The environment variable VISUAL or EDITOR says which editor is used.';

/** Opens the file in $VISUAL, else $EDITOR, and answers once the editor has ended. */
export async function openEditor(path: string, { env, signal }: Context): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const release = holdInterrupts();
  try {
    const exitCode = await run(editor, path, { env, signal });
    if (exitCode === 0) return;
    const reason = exitCode === 127 ? 'can’t be found' : `ended with ${exitCode ?? 'a signal'}`;
    throw usage(`The editor “${editor}” ${reason}; nothing was sent.`, {
      hint: whichEditor,
    });
  } finally {
    release();
  }
}

/** The editor draws on stderr's terminal, so that stdout stays free for the result. */
function run(
  editor: string,
  path: string,
  { env, signal }: Pick<Context, 'env' | 'signal'>,
): Promise<number | null> {
  const line = process.platform === 'win32' ? `${editor} "${path}"` : `${editor} "$1"`;
  const child = startShell(line, [editor, path], { env, stdio: ['inherit', 2, 2], signal });
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(signal.aborted ? signal.reason : usage(`The editor “${editor}” can’t be started.`)),
    );
    child.on('exit', resolve);
  });
}
