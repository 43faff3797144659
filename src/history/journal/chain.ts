/** The chain that the rows of a journal are links of. */
import { hash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { sha256 } from '../../sha256/sha256.ts';

/** Before the first link. */
export const root = '';

const saltBytes = 16;
/** A run of many writes draws salts by the thousand: a block of them costs hardly more than one. */
const saltsInBlock = 64;
let block: Buffer = Buffer.alloc(0);
let used = 0;

export function newSalt(): string {
  if (used === block.length) [block, used] = [randomBlock(saltBytes * saltsInBlock), 0];
  used += saltBytes;
  return block.toString('base64url', used - saltBytes, used);
}

/** Of what a row says; without its salt nobody can try out what that was. */
export function digestOf(salt: string, content: readonly unknown[]): string {
  return sha256Of(`${salt}\n${JSON.stringify(content)}`);
}

export function linkAfter(before: string, seq: number, digest: string): string {
  return sha256Of(`${before}\n${seq}\n${digest}`);
}

/** As many as our own takes a millisecond for. Node’s module, which takes 4 ms to load, is faster from some dozens on. */
const fewHashes = 24;
let hashes = 0;

function sha256Of(text: string): string {
  if (hashes >= fewHashes) return hash('sha256', text, 'base64url');
  hashes += 1;
  return sha256(text).toString('base64url');
}

/** From where the operating system gives them as a file, without that module. */
function randomBlock(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  try {
    const source = openSync('/dev/urandom', 'r');
    try {
      if (readSync(source, bytes) === size) return bytes;
    } finally {
      closeSync(source);
    }
  } catch {
    // Windows has none.
  }
  return randomBytes(size);
}
