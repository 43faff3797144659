/** Ids: twelve letters and digits that mean nothing. */
import { createHash } from 'node:crypto';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const length = 12;

/** An id is no secret: the engine’s own generator is at hand, and `node:crypto` takes long to load. */
export function newId(): string {
  return write(Uint8Array.from({ length }, () => Math.random() * alphabet.length));
}

/** Always the same for the same words, so that the demo business is the same everywhere. */
export function idFrom(words: string): string {
  return write(createHash('sha256').update(words).digest());
}

function write(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('');
}
