/** Decodes the bytes of text files by their byte order mark, and locates bytes that can't be decoded. */

import { TextDecoder } from 'node:util';
import { usage } from './errors.ts';

/** Options for `decodeText`. */
export interface DecodeOptions {
  /** The start of the message for bytes that can't be decoded: "The file supplier.json". */
  sourceName: string;
  /** A label of the Encoding Standard, such as windows-1256. The default is the encoding of the byte order mark, else UTF-8. */
  encoding?: string | undefined;
  /** What to do if the bytes can't be decoded. */
  hint?: string;
}

/** The hint for a file whose encoding can't be named on the command line. */
const utf8Hint = 'Save it as UTF-8.';

/**
 * Decodes a file of settings, rules or other text that contains no NUL. Throws the usage failures of `decodeText`, and
 * one for UTF-16 without a byte order mark, which is valid UTF-8 with NULs.
 */
export function decodeTextFile(bytes: Uint8Array, sourceName: string, hint = utf8Hint): string {
  const text = decodeText(bytes, { sourceName, hint });
  if (!text.includes('\0')) return text;
  throw usage(`${sourceName} is not UTF-8 text: it contains NULs, as UTF-16 does.`, { hint });
}

/** Decodes bytes and removes their byte order mark. Throws a usage failure with the location of the first invalid byte. */
export function decodeText(
  bytes: Uint8Array,
  { sourceName, encoding, hint = utf8Hint }: DecodeOptions,
): string {
  const encodingOfBom = bomEncoding(bytes);
  if (encoding === undefined && encodingOfBom === 'utf-32')
    throw usage(`${sourceName} is UTF-32, which boh can't read.`, { hint: utf8Hint });
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
    { hint },
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

export type BomEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32';

/** Returns the encoding that the first four bytes name; undefined if they aren't a BOM. */
export function bomEncoding([first, second, third, fourth]: Uint8Array): BomEncoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32' : 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32' : undefined;
}

/** The encodings, other than Unicode, in which spreadsheet programs save text. The common ones are first. */
export const legacyEncodings = [
  ...['windows-1252', 'windows-1256', 'windows-1254', 'windows-1251', 'windows-1250', 'windows-1253'],
  ...['windows-1255', 'windows-1257', 'windows-1258', 'windows-874', 'macintosh', 'koi8-r'],
  ...['shift_jis', 'euc-jp', 'gbk', 'big5', 'euc-kr'],
];

/** The encodings in help and completion. All other labels of the Encoding Standard are accepted too. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', ...legacyEncodings];

/** Returns a decoder that throws for invalid bytes. Throws a usage failure for an unknown encoding. */
export function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (cause) {
    throw usage(`Unknown encoding "${encoding}".`, {
      hint: `Encodings: ${encodings.join(', ')}.`,
      cause,
    });
  }
}
