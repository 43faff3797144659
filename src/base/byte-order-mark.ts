/** Detects the byte order mark (BOM): the first bytes of a text file, which name its encoding. */

export type BomEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32';

/** Returns the encoding that the first four bytes name; undefined if they aren't a BOM. */
export function bomEncoding([first, second, third, fourth]: Uint8Array): BomEncoding | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32' : 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0 && second === 0 && third === 0xfe && fourth === 0xff ? 'utf-32' : undefined;
}
