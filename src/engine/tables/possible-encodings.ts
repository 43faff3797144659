/** Finds the possible encodings of a file that isn't UTF-8, with lines of the file in each, so that people can choose. */
import { createHash } from 'node:crypto';
import { decoderFor, legacyEncodings } from '../../base/decode-text.ts';
import { type FieldMessages, usage } from '../../base/errors.ts';
import { shortenValue } from '../../base/short-value.ts';
import type { InputFile } from './input-file.ts';

/** A possible encoding, and the text of some lines in it. */
export interface EncodingSample {
  encoding: string;
  lines: string;
}

/** The lines of a file that contain bytes beyond ASCII. */
export class SampleLines {
  readonly #seenBytes = new Set<number>();
  readonly #lines: Buffer[] = [];

  /** Adds a line. Lines without new bytes are dropped, except the first ones. */
  add(line: Buffer): void {
    const hasNewBytes = line.some((byte) => byte >= 0x80 && !this.#seenBytes.has(byte));
    if (!hasNewBytes && this.#lines.length >= maxShownLines) return;
    for (const byte of line) this.#seenBytes.add(byte);
    this.#lines.push(line);
  }

  /** Returns the lines with the most different bytes, which distinguish encodings best, in the order of the file. */
  get shown(): Buffer[] {
    const best = this.#lines.toSorted((a, b) => countLetters(b) - countLetters(a)).slice(0, maxShownLines);
    return this.#lines.filter((line) => best.includes(line));
  }
}

const maxShownLines = 3;

function countLetters(line: Buffer): number {
  return new Set(line.filter((byte) => byte >= 0x80)).size;
}

/** Characters that no text contains: control characters, and those of private use. */
export const implausible = /[\u0080-\u009f\ue000-\uf8ff\ufffd]/;

/** Returns the encodings in which the whole file is plausible text. Of encodings with the same text, returns the first. */
export async function findPossibleEncodings(
  source: InputFile,
  lines: readonly Buffer[],
): Promise<EncodingSample[]> {
  let candidates = legacyEncodings.map((encoding) => ({
    encoding,
    decoder: decoderFor(encoding),
    hash: createHash('sha256'),
  }));
  const decode = (chunk?: Buffer) => {
    candidates = candidates.filter(({ decoder, hash }) => {
      try {
        const text = decoder.decode(chunk, { stream: chunk !== undefined });
        hash.update(text);
        return !implausible.test(text);
      } catch {
        return false;
      }
    });
  };
  for await (const chunk of source.read()) decode(chunk);
  decode();
  const byText = Map.groupBy(candidates, ({ hash }) => hash.digest('hex'));
  return [...byText.values()].flatMap(([first]) => {
    if (!first) return [];
    const { encoding } = first;
    return [{ encoding, lines: lines.map((line) => decodeSample(line, encoding)).join(' | ') }];
  });
}

/** Returns the cells of a line with characters beyond ASCII. Others may contain secrets. */
function decodeSample(line: Buffer, encoding: string): string {
  const cells = new TextDecoder(encoding).decode(line).split(/[,;\t|"]/);
  return shortenValue(
    cells
      .filter((cell) => /\P{ASCII}/u.test(cell))
      .map((cell) => cell.trim())
      .join(', '),
  );
}

/** Returns the failure for a file of unknown encoding: the samples, each with the flag to add. */
export function unknownEncodingFailure(
  problem: string,
  samples: readonly EncodingSample[],
  hasFlags: boolean,
) {
  if (!hasFlags) return usage(problem, { hint: 'Save it as UTF-8.' });
  const fields: FieldMessages = Object.create(null);
  for (const { encoding, lines } of samples) fields[`--encoding ${encoding}`] = [lines];
  return usage(problem, {
    fields,
    hint: 'Add the flag in front of the right text, or save the file as UTF-8. If no text is right, the file may mix encodings, or have another one.',
  });
}
