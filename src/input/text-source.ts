/** Reads and decodes text from the command line, a file (`@FILE`) or standard input (`-`). */

import { isTooLarge, readBoundedFile, readBoundedStream } from '../base/bounded-read.ts';
import { bomEncoding } from '../base/byte-order-mark.ts';
import { decoderFor } from '../base/encodings.ts';
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
  return { text: decodeText(bytes, { sourceName, encoding }), sourceName };
}

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

/** Options for `decodeText`. */
export interface DecodeOptions {
  /** The start of the message for bytes that can't be decoded: "The file supplier.json". */
  sourceName: string;
  /** A label of the Encoding Standard, such as windows-1256. The default is the encoding of the byte order mark, else UTF-8. */
  encoding?: string | undefined;
}

/** Decodes bytes and removes their byte order mark. Throws a usage failure with the location of the first invalid byte. */
export function decodeText(bytes: Uint8Array, { sourceName, encoding }: DecodeOptions): string {
  const encodingOfBom = bomEncoding(bytes);
  if (encoding === undefined && encodingOfBom === 'utf-32')
    throw usage(`${sourceName} is UTF-32, which boh can't read.`, { hint: 'Save it as UTF-8.' });
  const name = decoderFor(encoding ?? encodingOfBom ?? 'utf-8').encoding;
  const text = decodeBytes(bytes, name);
  if (text !== undefined) return text;
  const offset = firstInvalidByte(bytes, name);
  const lines = (decodeBytes(bytes.subarray(0, offset), name) ?? '').split('\n');
  const location = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
  const byte = bytes[offset];
  const problem = byte === undefined ? 'ends in the middle of a character' : `contains 0x${formatHex(byte)}`;
  throw usage(
    `${sourceName} is not ${name.toUpperCase()}: it ${problem} at byte ${offset + 1} (${location}).`,
    {
      hint: 'If it has another encoding, name it, for example --encoding windows-1256.',
    },
  );
}

/** Returns undefined if the bytes are invalid. Decodes in two steps, because some versions of Node would decode windows-1252 as ISO 8859-1. */
function decodeBytes(bytes: Uint8Array, encoding: string): string | undefined {
  const decoder = decoderFor(encoding);
  try {
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return undefined;
  }
}

/** Returns the offset of the first invalid character. */
function firstInvalidByte(bytes: Uint8Array, encoding: string): number {
  let [validLength, invalidLength] = [0, bytes.length];
  while (invalidLength - validLength > 1) {
    const middle = Math.floor((validLength + invalidLength) / 2);
    if (isValidStart(bytes.subarray(0, middle), encoding)) validLength = middle;
    else invalidLength = middle;
  }
  // An incomplete character at the end is invalid too.
  while (validLength > 0 && decodeBytes(bytes.subarray(0, validLength), encoding) === undefined)
    validLength--;
  return validLength;
}

function isValidStart(bytes: Uint8Array, encoding: string): boolean {
  try {
    decoderFor(encoding).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function formatHex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
