/** By what a mirror’s file is known, and how messages speak of it. */
import type { Naming } from '../../storage/failures.ts';

/** "boh" and a number. */
export const applicationId = 0x626f6804;

export function namingOfMirror(file: string): Naming {
  return { file, called: 'The mirror', remedy: `Set ${file} aside: the next sync makes it anew.` };
}
