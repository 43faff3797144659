/** Sends a result to the user's pager, and copies it to the clipboard. */

import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { usage } from '../base/errors.ts';
import type { Context } from '../context/context.ts';
import { note, warn } from '../terminal/messages.ts';
import { startPagerSession } from '../terminal/pager.ts';
import { OutputClosed, type Paged, type Streams, write } from '../terminal/streams.ts';

/** Shows a result in the pager if it is longer than the window. Closing the pager early isn't a failure. */
export async function showInPager(
  { streams, env, signal }: Context,
  show: () => Promise<void>,
): Promise<void> {
  const paging = startPagerSession(streams, env, signal);
  try {
    await show();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  } finally {
    await paging.end();
  }
  signal.throwIfAborted();
}

/** The maximum number of bytes to copy: xterm and others accept up to 100,000 characters of base64. */
const maxCopiedBytes = 74_994;

/** Throws a usage failure if `--copy` can't work here. Call it before any work is done. */
export function requireClipboard({ streams }: Context): void {
  if (streams.isTerminal.out && streams.cursor) return;
  throw usage('--copy needs a terminal: the terminal copies the result to the clipboard.', {
    hint: 'In a pipe, use a program: | wl-copy, | xclip -selection clipboard, | pbcopy, | clip.',
  });
}

/** Calls `onText` with each chunk that `show` writes to stdout, up to the maximum that can be copied. */
export async function collectOutput(
  streams: Streams,
  show: () => Promise<void>,
  onText: (text: string) => void,
): Promise<void> {
  const outerPaged = streams.paged;
  const target = outerPaged?.output ?? streams.stdout;
  let length = 0;
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      if (length <= maxCopiedBytes) onText(String(chunk));
      length += String(chunk).length;
      write(target, String(chunk)).then(() => done(), done);
    },
  }).on('error', () => {});
  const paged: Paged = {
    output,
    get headerLines() {
      return outerPaged?.headerLines ?? 0;
    },
    set headerLines(lines) {
      if (outerPaged) outerPaged.headerLines = lines;
    },
  };
  streams.paged = paged;
  try {
    await show();
  } finally {
    streams.paged = outerPaged;
  }
}

/** Copies text to the clipboard with OSC 52. Terminals don't report whether they accept it. */
export async function copyToClipboard({ streams }: Context, text: string): Promise<void> {
  // The copy has no styles and isolates, like the output in a pipe.
  const plainText = stripVTControlCharacters(text)
    .replaceAll(/[\u2068\u2069]/g, '')
    .replaceAll('\u2800', ' ');
  const bytes = Buffer.from(plainText);
  if (bytes.length === 0) return note(streams, 'Nothing to copy.');
  if (bytes.length > maxCopiedBytes) {
    return warn(
      streams,
      'Not copied: the result is too long for a terminal. Choose less with --columns, --limit or -o id.',
    );
  }
  await write(streams.stdout, `\x1b]52;c;${bytes.toString('base64')}\x07`);
  note(streams, 'Copied to the clipboard, if the terminal allows that.');
}
