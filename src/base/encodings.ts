/** The encodings of files and standard input. */
import { TextDecoder } from 'node:util';
import { usage } from './errors.ts';

/** The encodings in help and completion. All other labels of the Encoding Standard are accepted too. */
export const encodings = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1256', 'iso-8859-1', 'iso-8859-6'],
  ...['windows-1251', 'windows-1254', 'shift_jis', 'gb18030', 'euc-kr'],
];

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
