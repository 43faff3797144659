/** The chain that the rows of a journal are links of. */
import { hash, randomBytes } from 'node:crypto';

/** Before the first link. */
export const root = '';

const saltBytes = 16;
/** A run of many writes draws salts by the thousand: a block of them costs hardly more than one. */
const saltsInBlock = 64;
let block: Buffer = Buffer.alloc(0);
let used = 0;

export function newSalt(): string {
  if (used === block.length) [block, used] = [randomBytes(saltBytes * saltsInBlock), 0];
  used += saltBytes;
  return block.toString('base64url', used - saltBytes, used);
}

/** Of what a row says; without its salt nobody can try out what that was. */
export function digestOf(salt: string, content: readonly unknown[]): string {
  return hash('sha256', `${salt}\n${JSON.stringify(content)}`, 'base64url');
}

export function linkAfter(before: string, seq: number, digest: string): string {
  return hash('sha256', `${before}\n${seq}\n${digest}`, 'base64url');
}
