/** Finds the encoding of a file: a byte order mark, UTF-8, or the one that is chosen. Refuses binary content. */
import { isAscii, isUtf8 } from 'node:buffer';
import { bomEncoding, decoderFor } from '../../base/decode-text.ts';
import { usage } from '../../base/errors.ts';
import type { InputFile } from './input-file.ts';
import {
  type EncodingSample,
  findPossibleEncodings,
  implausible,
  SampleLines,
  unknownEncodingFailure,
} from './possible-encodings.ts';

export interface DetectedEncoding {
  /** A label of the Encoding Standard, such as utf-8 or windows-1256. */
  encoding: string;
  /** Whether the file starts with a byte order mark. */
  hasBom: boolean;
  /** Whether the file is in UTF-16 without a byte order mark, which a note should report. */
  isGuess: boolean;
}

/** The options for finding the encoding of a file. */
export interface EncodingOptions {
  encoding?: string | undefined;
  /** The encoding of a file that isn't UTF-8, according to its column map. */
  mapEncoding?: string | undefined;
  /** Asks for the encoding; undefined without a terminal. */
  chooseEncoding?: ((samples: readonly EncodingSample[]) => Promise<string>) | undefined;
  /** Whether the command has the flag `--encoding`. */
  hasFlags: boolean;
}

/** Finds or checks the encoding. Reads the whole file in bounded memory. Throws a usage failure with the byte and line of the first problem. */
export async function detectEncoding(source: InputFile, options: EncodingOptions): Promise<DetectedEncoding> {
  const scan = new EncodingScan();
  for await (const chunk of withWholeBeginning(source.read())) {
    scan.add(chunk);
    if (scan.binaryByte !== undefined) break;
  }
  scan.end();
  const { bom, invalidByte } = scan;
  const utf16 = bom === 'utf-16le' || bom === 'utf-16be' ? bom : undefined;
  const flag = options.encoding === undefined ? undefined : decoderFor(options.encoding).encoding;
  // Other encodings are checked while the file is read.
  if (flag !== undefined && (flag !== 'utf-8' || !invalidByte))
    return { encoding: flag, hasBom: bom === flag, isGuess: false };
  if (flag === undefined && utf16)
    return { encoding: utf16, hasBom: !scan.isWithoutBom, isGuess: scan.isWithoutBom };
  if (flag === undefined && scan.binaryByte !== undefined) throw binaryFailure(source, scan);
  if (!invalidByte) return { encoding: 'utf-8', hasBom: bom === 'utf-8', isGuess: false };
  const samples = await findPossibleEncodings(source, scan.samples.shown);
  // In Chinese or Korean text, single lines may be valid UTF-8 by chance.
  if (bom === 'utf-8' || scan.utf8Lines >= scan.otherLines) throw mixedFailure(source, invalidByte);
  const { mapEncoding, chooseEncoding } = options;
  if (flag === undefined && mapEncoding !== undefined)
    return { encoding: decoderFor(mapEncoding).encoding, hasBom: false, isGuess: false };
  if (flag === undefined && chooseEncoding && samples.length > 0)
    return { encoding: await chooseEncoding(samples), hasBom: false, isGuess: false };
  const { byte, line } = invalidByte;
  const problem = `${source.label} is not UTF-8: it contains ${formatByte(invalidByte)} at byte ${byte} (line ${line}).`;
  throw unknownEncodingFailure(problem, samples, options.hasFlags);
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

/** Matches encodings whose decoders return control characters for bytes of their extensions, such as CP949. */
const multiByteEncodings = /^(?:shift_jis|euc-jp|gbk|gb18030|big5|euc-kr)$/;

/** Decodes a file without its byte order mark. Throws a usage failure with the line of the first invalid character. */
export async function* decodeFile(source: InputFile, encoding: string): AsyncGenerator<string> {
  const decoder = decoderFor(encoding);
  let line = 1;
  let lastCharacter = '';
  for await (const chunk of source.read()) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
      const invalidIndex = multiByteEncodings.test(decoder.encoding) ? text.search(implausible) : -1;
      if (invalidIndex !== -1) {
        line += countLineBreaks(text.slice(0, invalidIndex));
        throw new TypeError('Control character or character of private use');
      }
    } catch (cause) {
      throw usage(`${source.label} isn't valid ${decoder.encoding} from line ${line} on.`, {
        hint: 'To see the file in each possible encoding, omit --encoding, and "encoding" in the file of --map.',
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
  binaryKind: string | undefined;
  /** The number of lines with characters beyond ASCII, in UTF-8 and otherwise. */
  utf8Lines = 0;
  otherLines = 0;
  /** The lines with characters beyond ASCII. */
  readonly samples = new SampleLines();
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
      const lineStart = zero === 0 ? 0 : bytes.lastIndexOf(10, zero) + 1;
      this.#check(bytes.subarray(0, lineStart));
      this.binaryByte = this.#positionIn(bytes.subarray(lineStart), zero - lineStart);
      return;
    }
    // Only whole lines are checked, so that no character is split. A line longer than a megabyte is checked in parts.
    const end =
      bytes.lastIndexOf(10) + 1 || (bytes.length > 1_000_000 ? characterStart(bytes, bytes.length - 4) : 0);
    this.#check(bytes.subarray(0, end));
    this.#remainder = bytes.subarray(end);
  }

  end(): void {
    this.#check(this.#remainder);
    this.#remainder = Buffer.alloc(0);
  }

  #check(bytes: Buffer): void {
    const isPlain = isAscii(bytes);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start) + 1 || bytes.length;
      const line = bytes.subarray(start, end);
      if (!isPlain && !isAscii(line)) this.#checkLine(line);
      if (line.at(-1) === 10) this.#line++;
      this.#bytes += line.length;
      start = end;
    }
  }

  #checkLine(line: Buffer): void {
    this.samples.add(Buffer.from(line));
    if (isUtf8(line)) {
      this.utf8Lines++;
      return;
    }
    this.otherLines++;
    const validText = line.toString().split('\ufffd', 1)[0] ?? '';
    this.invalidByte ??= this.#positionIn(line, Buffer.byteLength(validText));
  }

  #positionIn(line: Buffer, offset: number): BytePosition {
    return { byte: this.#bytes + offset + 1, line: this.#line, value: line[offset] ?? 0 };
  }
}

/** Returns the start of the UTF-8 character at `offset`. */
function characterStart(bytes: Buffer, offset: number): number {
  const isContinuation = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80;
  let start = offset;
  while (start > offset - 3 && isContinuation(start)) start--;
  return start;
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

function mixedFailure({ label }: InputFile, position: BytePosition) {
  const { line, byte } = position;
  return usage(
    `${label} mixes two encodings: most of it is UTF-8, but line ${line} contains ${formatByte(position)} at byte ${byte}.`,
    { hint: 'Fix these lines and import the file again.' },
  );
}

function formatByte({ value }: BytePosition): string {
  return `0x${value.toString(16).toUpperCase().padStart(2, '0')}`;
}
