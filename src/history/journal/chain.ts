/** The chain that the rows of a journal are links of. */
import { hash, randomBytes } from 'node:crypto';

/** Before the first link. */
export const root = '';

export function newSalt(): string {
  return randomBytes(16).toString('base64url');
}

/** Of what a row says; without its salt nobody can try out what that was. */
export function digestOf(salt: string, content: readonly unknown[]): string {
  return hash('sha256', `${salt}\n${JSON.stringify(content)}`, 'base64url');
}

export function linkAfter(before: string, seq: number, digest: string): string {
  return hash('sha256', `${before}\n${seq}\n${digest}`, 'base64url');
}
