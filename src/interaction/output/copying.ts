/** `--copy`: what a result shows is put on the clipboard as well, by the terminal itself (OSC 52). */
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { usage } from '../../errors.ts';
import { note, warn } from '../../terminal/messages.ts';
import { type Paged, type Streams, write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';

/** In bytes: what xterm and others that keep to it take at once, 100,000 characters of base64. */
const mostBytes = 74_994;

/** Before anything is done: a result that can’t be copied would be found out too late. */
export function refuseCopy({ streams }: Context): void {
  if (streams.isTerminal.out && streams.cursor) return;
  throw usage('--copy needs a terminal that shows the result: it is the terminal that has a clipboard.', {
    hint: 'In a pipe a program does it: | wl-copy, | xclip -selection clipboard, | pbcopy, | clip.',
  });
}

/** Calls `keep` with what is written to standard output while `show` runs, as far as it may be copied. */
export async function collecting(
  streams: Streams,
  show: () => Promise<void>,
  keep: (text: string) => void,
): Promise<void> {
  const before = streams.paged;
  const target = before?.output ?? streams.stdout;
  let length = 0;
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      // More than is copied isn’t kept.
      if (length <= mostBytes) keep(String(chunk));
      length += String(chunk).length;
      write(target, String(chunk)).then(() => done(), done);
    },
  }).on('error', () => {});
  const both: Paged = {
    output,
    get headerLines() {
      return before?.headerLines ?? 0;
    },
    set headerLines(lines) {
      if (before) before.headerLines = lines;
    },
  };
  streams.paged = both;
  try {
    await show();
  } finally {
    streams.paged = before;
  }
}

/** Call it once everything is shown. Whether the terminal took it nobody is told. */
export async function copyOut({ streams }: Context, text: string): Promise<void> {
  // As a pipe would get it: nothing that is for the eye alone.
  const plain = stripVTControlCharacters(text)
    .replaceAll(/[\u2068\u2069]/g, '')
    .replaceAll('\u2800', ' ');
  const bytes = Buffer.from(plain);
  if (bytes.length === 0) return note(streams, 'There was nothing to copy.');
  if (bytes.length > mostBytes) {
    return warn(
      streams,
      'Not copied: it is longer than terminals take. Choose less with --columns, --limit or -o id.',
    );
  }
  await write(streams.stdout, `\x1b]52;c;${bytes.toString('base64')}\x07`);
  note(streams, 'Copied to the clipboard, where the terminal lets programs do that.');
}
