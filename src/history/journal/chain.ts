/** Implements the hash chain over the rows of a journal: each link's hash covers the link before it. */
import { hash, randomBytes } from 'node:crypto';

/** The hash before the first link. */
export const rootHash = '';

const saltBytes = 16;

/** Returns 16 random bytes in base64url. */
export function newSalt(): string {
  return randomBytes(saltBytes).toString('base64url');
}

/** Returns the digest of a row's content; without the salt, no one can guess the content by trying values. */
export function digestOf(salt: string, content: readonly unknown[]): string {
  return sha256(`${salt}\n${JSON.stringify(content)}`);
}

/** Returns the hash of the link that follows the link with `previousHash`. */
export function linkAfter(previousHash: string, seq: number, digest: string): string {
  return sha256(`${previousHash}\n${seq}\n${digest}`);
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}
