/** The encodings of files and standard input. */
import { TextDecoder } from 'node:util';
import { usage } from './errors.ts';

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
