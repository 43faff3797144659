/** Reads and decodes text from the command line, a file (`@FILE`) or standard input (`-`). */

import { isTooLarge, readBoundedFile, readBoundedStream } from '../base/bounded-read.ts';
import { decodeText, decodeTextFile } from '../base/decode-text.ts';
import { usage } from '../base/errors.ts';
import { describeReadError } from '../base/file-errors.ts';

/** The source of text: an argument, a file or standard input. */
export interface TextSource {
  /** The argument: text, `@FILE`, or `-` for standard input. */
  argument: string;
  /** The flag of the argument, for messages. */
  flag: string;
  /** The encoding of a file or standard input. The default is the encoding of the byte order mark, else UTF-8. */
  encoding?: string | undefined;
}

/** Standard input. It is opened at first use, because opening takes a tenth of the time of a short command. */
export interface StandardInput {
  readonly stdin: NodeJS.ReadableStream;
}

/** Reads text from its source. `sourceName` starts a message: "--data", "The file supplier.json", "Standard input". Throws usage failures. */
export async function readSource(
  { argument, flag, encoding }: TextSource,
  streams: StandardInput,
): Promise<{ text: string; sourceName: string }> {
  if (argument !== '-' && !argument.startsWith('@')) {
    if (encoding === undefined) return { text: argument, sourceName: flag };
    throw usage(`--encoding applies only to ${flag} @FILE and ${flag} -.`);
  }
  const sourceName = argument === '-' ? 'Standard input' : `The file ${argument.slice(1)}`;
  const bytes = argument === '-' ? await readAll(streams.stdin) : await readFile(argument.slice(1));
  if (encoding !== undefined) return { text: decodeText(bytes, { sourceName, encoding }), sourceName };
  // Only --data can be followed by --encoding.
  const hint = flag === '--data' ? encodingHint : undefined;
  return { text: decodeTextFile(bytes, sourceName, hint), sourceName };
}

const encodingHint = 'If it has another encoding, name it, for example --encoding windows-1256.';

async function readAll(stdin: NodeJS.ReadableStream): Promise<Uint8Array> {
  try {
    return await readBoundedStream(stdin);
  } catch (cause) {
    if (!isTooLarge(cause)) throw cause;
    throw usage(`Can't read standard input: ${describeReadError(cause)}.`, { cause });
  }
}

async function readFile(file: string): Promise<Uint8Array> {
  try {
    return await readBoundedFile(file);
  } catch (cause) {
    throw usage(`Can't read ${file}: ${describeReadError(cause)}.`, { cause });
  }
}
