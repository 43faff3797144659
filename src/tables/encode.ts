/** Text as the bytes of an encoding: Node decodes many and encodes one, so the others are turned around. */
import { decoderFor } from './encoding.ts';

export interface Encoder {
  /** What the encoding has no character for becomes a question mark. */
  encode(text: string): Buffer;
}

export function encoderFor(encoding: string): Encoder {
  const name = decoderFor(encoding).encoding;
  if (name === 'utf-8') return { encode: (text) => Buffer.from(text) };
  if (name === 'utf-16le') return { encode: (text) => Buffer.from(text, 'utf16le') };
  if (name === 'utf-16be') return { encode: (text) => Buffer.from(text, 'utf16le').swap16() };
  const bytes = bytesOf(name);
  const unknown = Buffer.from('?');
  return { encode: (text) => Buffer.concat([...text].map((character) => bytes.get(character) ?? unknown)) };
}

/** Every character that one byte or two stand for. */
function bytesOf(encoding: string): ReadonlyMap<string, Buffer> {
  const bytes = new Map<string, Buffer>();
  const note = (code: Buffer) => {
    try {
      const character = decoderFor(encoding).decode(code);
      if ([...character].length === 1 && !bytes.has(character)) bytes.set(character, code);
      return true;
    } catch {
      return false;
    }
  };
  for (let first = 0; first < 256; first++) {
    if (note(Buffer.of(first))) continue;
    for (let second = 0x30; second < 256; second++) note(Buffer.of(first, second));
  }
  return bytes;
}
