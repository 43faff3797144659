/** Proof that whoever exchanges a code is who asked for it (RFC 7636): for deployments that take it. */
import { createHash, randomBytes } from 'node:crypto';

/** Goes along with the exchange alone: 256 random bits in 43 characters. */
export function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}

/** What the request for the code shows of the verifier, by the method S256. */
export function challengeFor(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
