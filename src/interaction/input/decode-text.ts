/** Bytes as text. What isn’t text in the encoding that is asked for is refused with its place: no letter is replaced. */
import { TextDecoder } from 'node:util';
import { markOf } from '../../byte-order-mark.ts';
import { usage } from '../../errors.ts';

/** Those that are named in help and completion; any other label of the Encoding Standard is taken as well. */
export const encodings = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1256', 'iso-8859-1', 'iso-8859-6'],
  ...['windows-1251', 'windows-1254', 'shift_jis', 'gb18030', 'euc-kr'],
];

export interface Decoding {
  /** Begins the sentence where it can’t be read: "The file supplier.json". */
  from: string;
  /** A label of the Encoding Standard, such as windows-1256; where it is not said, what the byte order mark names, else UTF-8. */
  encoding?: string | undefined;
}

/** A byte order mark at the beginning is left out. Throws a usage failure. */
export function decodeText(bytes: Uint8Array, { from, encoding }: Decoding): string {
  const marked = markOf(bytes);
  if (encoding === undefined && marked === 'utf-32')
    throw usage(`${from} is text in UTF-32, which is not read.`, { hint: 'Save it in UTF-8.' });
  const name = decoderFor(encoding ?? marked ?? 'utf-8').encoding;
  const text = decoded(bytes, name);
  if (text !== undefined) return text;
  const at = firstWrong(bytes, name);
  const lines = (decoded(bytes.subarray(0, at), name) ?? '').split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
  const byte = bytes[at];
  const what = byte === undefined ? 'ends in the middle of a character' : `holds 0x${hex(byte)}`;
  throw usage(`${from} is not ${name.toUpperCase()}: it ${what} at byte ${at + 1} (${place}).`, {
    hint: `Where it was written in another encoding, name that: --encoding windows-1256`,
  });
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (cause) {
    throw usage(`There is no encoding "${encoding}".`, {
      hint: `Such as ${encodings.join(', ')}.`,
      cause,
    });
  }
}

/** Undefined where it is none. In two steps: in one, some versions of Node take windows-1252 for ISO 8859-1. */
function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  const decoder = decoderFor(encoding);
  try {
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch {
    return undefined;
  }
}

/** Where the first character begins that is none: the length of the longest beginning that can be decoded. */
function firstWrong(bytes: Uint8Array, encoding: string): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(bytes.subarray(0, middle), encoding)) good = middle;
    else bad = middle;
  }
  // What may still become a character there never did.
  while (good > 0 && decoded(bytes.subarray(0, good), encoding) === undefined) good--;
  return good;
}

function isBeginning(bytes: Uint8Array, encoding: string): boolean {
  try {
    decoderFor(encoding).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}
