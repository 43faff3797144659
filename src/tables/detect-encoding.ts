/** Detects or checks the encoding of a file, and refuses binary content. */

import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { bomEncoding } from '../base/byte-order-mark.ts';
import { decoderFor } from '../base/encodings.ts';
import { usage } from '../base/errors.ts';
import type { InputFile } from './input-file.ts';

/** The encoding of a file. */
export interface DetectedEncoding {
  /** A label of the Encoding Standard, such as utf-8 or windows-1256. */
  encoding: string;
  /** Whether the file starts with a byte order mark. */
  hasBom: boolean;
  /** Whether the encoding is a guess, which a note should report. */
  isGuess: boolean;
}

/** Detects or checks the encoding. Reads the whole file in bounded memory. Throws a usage failure with the byte and line of the first problem. */
export async function detectEncoding(source: InputFile, encodingName?: string): Promise<DetectedEncoding> {
  const scan = new EncodingScan();
  for await (const chunk of withWholeBeginning(source.read())) {
    scan.add(chunk);
    if (scan.binaryByte !== undefined) break;
  }
  scan.end();
  const bom = scan.bom;
  const utf16 = bom === 'utf-16le' || bom === 'utf-16be' ? bom : undefined;
  if (encodingName !== undefined) {
    const encoding = decoderFor(encodingName).encoding;
    // Other encodings are checked while the file is read.
    if (encoding === 'utf-8' && scan.invalidByte) throw notUtf8Failure(source, scan.invalidByte, scan);
    return { encoding, hasBom: bom === encoding, isGuess: false };
  }
  if (utf16) return { encoding: utf16, hasBom: !scan.isWithoutBom, isGuess: scan.isWithoutBom };
  if (scan.binaryByte !== undefined) throw binaryFailure(source, scan);
  if (!scan.invalidByte) return { encoding: 'utf-8', hasBom: bom === 'utf-8', isGuess: false };
  if (scan.hasUtf8Letters || bom === 'utf-8') throw notUtf8Failure(source, scan.invalidByte, scan);
  const guess = guessEncoding(scan.byteCounts);
  if (guess === undefined) throw notUtf8Failure(source, scan.invalidByte, scan);
  return { encoding: guess, hasBom: false, isGuess: true };
}

/** The number of bytes at the beginning that are checked together, because a pipe may split a byte order mark. */
const beginningBytes = 128;

async function* withWholeBeginning(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (first === undefined) yield chunk;
    else {
      first = Buffer.concat([first, chunk]);
      if (first.length < beginningBytes) continue;
      yield first;
      first = undefined;
    }
  }
  if (first !== undefined && first.length > 0) yield first;
}

/** Decodes a file without its byte order mark. Throws a usage failure with the line of the first invalid character. */
export async function* decodeFile(source: InputFile, encoding: string): AsyncGenerator<string> {
  const decoder = decoderFor(encoding);
  let line = 1;
  let lastCharacter = '';
  for await (const chunk of source.read()) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw usage(`${source.label} isn't valid ${decoder.encoding} from line ${line} on.`, {
        hint: 'Set its encoding, for example --encoding windows-1256.',
        cause,
      });
    }
    // A line break of two characters may be in two chunks.
    line += countLineBreaks(text) - (lastCharacter === '\r' && text.startsWith('\n') ? 1 : 0);
    lastCharacter = text.at(-1) ?? lastCharacter;
    yield text;
  }
  try {
    const remainder = decoder.decode();
    if (remainder !== '') yield remainder;
  } catch (cause) {
    throw usage(`${source.label} ends in the middle of a character, in line ${line}.`, { cause });
  }
}

function countLineBreaks(text: string): number {
  let count = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code === 10 || (code === 13 && text.charCodeAt(offset + 1) !== 10)) count++;
  }
  return count;
}

/** A byte with its position in the file; `byte` and `line` are counted from 1. */
interface BytePosition {
  byte: number;
  line: number;
  value: number;
}

/** Scans the bytes of a file whose encoding is unknown: its byte order mark, invalid UTF-8 and binary data. */
class EncodingScan {
  bom: ReturnType<typeof bomEncoding>;
  /** Whether UTF-16 is detected by the zero bytes of its first characters, without a byte order mark. */
  isWithoutBom = false;
  /** The first zero byte, or the first byte of a file whose signature is binary. */
  binaryByte: BytePosition | undefined;
  /** The first byte that isn't UTF-8. */
  invalidByte: BytePosition | undefined;
  /** Whether there are characters beyond ASCII in UTF-8. */
  hasUtf8Letters = false;
  binaryKind: string | undefined;
  /** The number of occurrences of each byte beyond ASCII in lines that aren't UTF-8. */
  readonly byteCounts = new Map<number, number>();
  #hasStarted = false;
  #bytes = 0;
  #line = 1;
  #remainder: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const bytes = this.#remainder.length === 0 ? chunk : Buffer.concat([this.#remainder, chunk]);
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      this.bom = bomEncoding(bytes) ?? detectUtf16WithoutBom(bytes);
      this.isWithoutBom = this.bom !== bomEncoding(bytes);
      this.binaryKind = this.bom === 'utf-32' ? 'text in UTF-32' : binaryKindOf(bytes);
    }
    if (this.bom === 'utf-16le' || this.bom === 'utf-16be') return;
    const zero = this.binaryKind === undefined ? bytes.indexOf(0) : 0;
    if (zero !== -1) {
      this.binaryByte = this.#positionOf(bytes, zero);
      return;
    }
    // Only whole lines are checked, so that no character is split. A line longer than a megabyte is checked in parts.
    const end = bytes.lastIndexOf(10) + 1 || (bytes.length > 1_000_000 ? bytes.length - 4 : 0);
    this.#check(bytes.subarray(0, end));
    this.#remainder = bytes.subarray(end);
  }

  end(): void {
    this.#check(this.#remainder);
    this.#remainder = Buffer.alloc(0);
  }

  #check(bytes: Buffer): void {
    if (isUtf8(bytes)) this.hasUtf8Letters ||= !isAscii(bytes) && !this.#isOnlyBom(bytes);
    else this.#countInvalidBytes(bytes);
    for (let offset = bytes.indexOf(10); offset !== -1; offset = bytes.indexOf(10, offset + 1)) this.#line++;
    this.#bytes += bytes.length;
  }

  #isOnlyBom(bytes: Buffer): boolean {
    return this.#bytes === 0 && this.bom === 'utf-8' && isAscii(bytes.subarray(3));
  }

  #countInvalidBytes(bytes: Buffer): void {
    for (let offset = 0; offset < bytes.length; ) {
      const length = utf8LengthAt(bytes, offset);
      if (length === 0) {
        this.invalidByte ??= this.#positionOf(bytes, offset);
        const value = bytes[offset] ?? 0;
        this.byteCounts.set(value, (this.byteCounts.get(value) ?? 0) + 1);
        offset++;
      } else {
        // In windows-1256, a letter before an Arabic comma, semicolon or question mark has the same bytes as a UTF-8 letter.
        if (length > 2 || (length === 2 && !arabicPunctuation.has(bytes[offset + 1] ?? 0)))
          this.hasUtf8Letters = true;
        offset += length;
      }
    }
  }

  #positionOf(bytes: Buffer, offset: number): BytePosition {
    let line = this.#line;
    for (let next = bytes.indexOf(10); next !== -1 && next < offset; next = bytes.indexOf(10, next + 1))
      line++;
    return { byte: this.#bytes + offset + 1, line, value: bytes[offset] ?? 0 };
  }
}

const arabicPunctuation = new Set([0xa1, 0xba, 0xbf]);

/** Returns the length of the UTF-8 character at `offset` in bytes, or 0 if there is none. */
function utf8LengthAt(bytes: Buffer, offset: number): number {
  const first = bytes[offset] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return first >= 0xc2 &&
    first < 0xf5 &&
    offset + length <= bytes.length &&
    isUtf8(bytes.subarray(offset, offset + length))
    ? length
    : 0;
}

/** Detects UTF-16 without a byte order mark: it starts with ASCII characters, each next to a zero byte. */
function detectUtf16WithoutBom(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [evenBytes, oddBytes] = [0, 1].map((from) => [0, 2, 4].map((offset) => bytes[from + offset] ?? 0));
  const isText = (values: readonly number[] = []) => values.every((value) => value >= 9 && value < 0x7f);
  const isZero = (values: readonly number[] = []) => values.every((value) => value === 0);
  if (bytes.length < 6) return undefined;
  if (isText(evenBytes) && isZero(oddBytes)) return 'utf-16le';
  return isZero(evenBytes) && isText(oddBytes) ? 'utf-16be' : undefined;
}

const binarySignatures: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a workbook or another archive'],
  ['%PDF', 'a PDF document'],
  ['\u001f\u008b', 'compressed (gzip)'],
  ['\u0089PNG', 'a picture'],
  ['\u00d0\u00cf\u0011\u00e0', 'a workbook in the old XLS format'],
];

function binaryKindOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 4).toString('latin1');
  return binarySignatures.find(([signature]) => start.startsWith(signature))?.[1] ?? markupKindOf(bytes);
}

/** Detects web pages and XML, which some programs save with the extension of a workbook. */
function markupKindOf(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 100).toString('latin1');
  if (/^(?:\xef\xbb\xbf)?\s*<\?xml\s/.test(start)) return 'XML';
  const isPage = /^(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|meta|table|div|style)[\s>]/i.test(
    start,
  );
  return isPage ? 'a web page' : undefined;
}

/** Guesses the encoding: the bytes of Arabic letters are symbols in Western encodings, and vice versa. */
function guessEncoding(byteCounts: ReadonlyMap<number, number>): string | undefined {
  const shareIn = (encoding: string, pattern: RegExp) => {
    const decoder = new TextDecoder(encoding);
    let [matching, total] = [0, 0];
    for (const [byte, count] of byteCounts) {
      total += count;
      if (pattern.test(decoder.decode(Uint8Array.of(byte)))) matching += count;
    }
    return total === 0 ? 0 : matching / total;
  };
  const arabic = shareIn('windows-1256', /[\u0621-\u064a،؛؟]/);
  // Only common Western letters count, because nearly every byte is some Western letter.
  const western = shareIn('windows-1252', /[äöüÄÖÜßàâçéèêëîïôùûñáíóúÀÉÈÑãõ’“”–€°£]/);
  if (arabic >= 0.8 && western < 0.8) return 'windows-1256';
  // A file with symbols only may be in a Mac encoding: ’ in O’Brien is the same byte as í in García.
  const hasLetters = shareIn('windows-1252', /\p{L}/u) > 0;
  if (western >= 0.9 && arabic < 0.5 && hasLetters) return 'windows-1252';
  return undefined;
}

function binaryFailure({ label }: InputFile, { binaryKind: kind, binaryByte }: EncodingScan) {
  if (kind !== undefined) {
    return usage(`${label} isn't a table of rows: it is ${kind}.`, {
      hint: 'Save it as CSV (UTF-8) and import that.',
    });
  }
  return usage(
    `${label} contains binary data: a zero byte at byte ${binaryByte?.byte}, in line ${binaryByte?.line}.`,
    {
      hint: 'If it is UTF-16 without a byte order mark, add --encoding utf-16le.',
    },
  );
}

function notUtf8Failure(
  { label }: InputFile,
  { byte, line, value }: BytePosition,
  { hasUtf8Letters }: EncodingScan,
) {
  const hex = value.toString(16).toUpperCase().padStart(2, '0');
  const problem = hasUtf8Letters
    ? 'mixes two encodings: most of it is UTF-8, but'
    : 'is not UTF-8: it contains';
  const location = hasUtf8Letters
    ? `line ${line} contains 0x${hex} at byte ${byte}`
    : `0x${hex} at byte ${byte} (line ${line})`;
  return usage(`${label} ${problem} ${location}.`, {
    hint: hasUtf8Letters
      ? 'Fix these lines and import the file again.'
      : 'If it has another encoding, add --encoding windows-1256, windows-1252 or macintosh.',
  });
}
