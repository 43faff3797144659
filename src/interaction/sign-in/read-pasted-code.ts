/** The code as someone pastes it: asked for on a terminal, else the first line of standard input. */
import { addAbortSignal, type Readable } from 'node:stream';
import { type PasteExpected, readPasted } from '../../auth/paste.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../context.ts';
import { problemIn } from './prompts.ts';

/** On a terminal, what can't be a code is asked for again. */
export async function readPastedCode(expected: PasteExpected, { streams, signal }: Context): Promise<string> {
  const read = (text: string) => readPasted(text, expected);
  if (streams.interactive) {
    const { ask } = await import('../../terminal/prompts.ts');
    return read(await ask(streams, { message: 'Paste it here:', validate: problemIn(read) }));
  }
  if (streams.isTerminal.in) {
    throw usage('The address is to be pasted, and nobody may be asked: CI is set, or --no-input was given.', {
      hint: 'Give it on standard input, or store a token with `boh auth login --with-token`.',
    });
  }
  return read(await firstLine(addAbortSignal(signal, streams.stdin)));
}

/** Longer than any address. */
const longest = 65_536;

async function firstLine(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text = (text + chunk).trimStart();
    if (/[\r\n]/.test(text) || text.length > longest) break;
  }
  return text.split(/[\r\n]/, 1)[0] ?? '';
}
