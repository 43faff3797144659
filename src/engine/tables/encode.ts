/** Encodes text. Node decodes many encodings but encodes few, so the tables are built by decoding each byte. */
import { decoderFor } from '../../base/decode-text.ts';

/** Encodes strings in one encoding. */
export interface Encoder {
  /** Encodes a string. Characters that the encoding doesn't contain become question marks. */
  encode(text: string): Buffer;
}

export function encoderFor(encoding: string): Encoder {
  const name = decoderFor(encoding).encoding;
  if (name === 'utf-8') return { encode: (text) => Buffer.from(text) };
  if (name === 'utf-16le') return { encode: (text) => Buffer.from(text, 'utf16le') };
  if (name === 'utf-16be') return { encode: (text) => Buffer.from(text, 'utf16le').swap16() };
  const unknown = Buffer.from('?');
  return { encode: (text) => Buffer.concat(bytesOf(text, name).map((bytes) => bytes ?? unknown)) };
}

/** Encodes a text in an encoding of one or two bytes for each character; undefined if it lacks a character. */
export function encodeExactly(text: string, encoding: string): Buffer | undefined {
  const bytes = bytesOf(text, encoding);
  return bytes.every((character) => character !== undefined) ? Buffer.concat(bytes) : undefined;
}

const charactersByEncoding = new Map<string, ReadonlyMap<string, Buffer>>();

function bytesOf(text: string, encoding: string): (Buffer | undefined)[] {
  const characters = charactersByEncoding.get(encoding) ?? bytesByCharacter(encoding);
  charactersByEncoding.set(encoding, characters);
  return Array.from(text, (character) => characters.get(character));
}

function bytesByCharacter(encoding: string): ReadonlyMap<string, Buffer> {
  const bytes = new Map<string, Buffer>();
  const addCharacter = (code: Buffer) => {
    try {
      const character = decoderFor(encoding).decode(code);
      if ([...character].length === 1 && !bytes.has(character)) bytes.set(character, code);
      return true;
    } catch {
      return false;
    }
  };
  for (let first = 0; first < 256; first++) {
    if (addCharacter(Buffer.of(first))) continue;
    for (let second = 0x30; second < 256; second++) addCharacter(Buffer.of(first, second));
  }
  return bytes;
}
