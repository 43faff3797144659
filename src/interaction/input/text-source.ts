/** Text that stands on the line itself, in a file (`@FILE`) or on standard input (`-`), read as the encoding that it is in. */
import { usage } from '../../errors.ts';
import { whyNotRead } from '../../unreadable.ts';
import { decodeText } from './decode-text.ts';

export interface TextSource {
  /** As it was typed. */
  given: string;
  /** The flag that it was typed for, as messages name it. */
  flag: string;
  /** of files and standard input; where it is not said, by the byte order mark, else UTF-8. */
  encoding?: string | undefined;
}

/** Looked at where standard input is meant: opening it takes as long as a tenth of a command. */
export interface StandardInput {
  readonly stdin: NodeJS.ReadableStream;
}

/** `from` begins a sentence: "--data", "The file supplier.json", "Standard input". Throws usage failures. */
export async function readSource(
  { given, flag, encoding }: TextSource,
  streams: StandardInput,
): Promise<{ text: string; from: string }> {
  if (given !== '-' && !given.startsWith('@')) {
    if (encoding === undefined) return { text: given, from: flag };
    throw usage(`--encoding says how a file or standard input is read: ${flag} @FILE, ${flag} -.`);
  }
  const from = given === '-' ? 'Standard input' : `The file ${given.slice(1)}`;
  const bytes = given === '-' ? await readAll(streams.stdin) : await readFile(given.slice(1));
  return { text: decodeText(bytes, { from, encoding }), from };
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<Uint8Array> {
  const { buffer } = await import('node:stream/consumers');
  return buffer(stdin);
}

async function readFile(file: string): Promise<Uint8Array> {
  try {
    const fs = await import('node:fs/promises');
    return await fs.readFile(file);
  } catch (cause) {
    throw usage(`The file ${file} can’t be read: ${whyNotRead(cause)}.`, { cause });
  }
}
