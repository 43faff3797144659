/** Checks the versions of boh's file formats. Until the first release every format has version 1, which alone is read. */
import { type Category, Failure } from './errors.ts';
import type { Hint } from './hint.ts';

/** Returns the message and the hint for a file of another version. `remedy` is the alternative to an update of boh. */
export function otherVersion(file: string, remedy: Hint): { message: string; hint: Hint } {
  return {
    message: `${file} was written by another version of boh and was left unchanged.`,
    hint: ['Update boh to use it. ', remedy],
  };
}

/** Throws if the version in a JSON file isn't 1. */
export function requireVersion(version: unknown, category: Category, file: string, remedy: Hint): void {
  if (version === 1) return;
  const { message, hint } = otherVersion(file, remedy);
  throw new Failure(category, message, { hint });
}
