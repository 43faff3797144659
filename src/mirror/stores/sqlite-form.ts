/** By what a mirror’s file is known, and how messages speak of it. */
import type { Naming } from '../../storage/failures.ts';
import type { Cell } from '../schema/table.ts';

/** "boh" and a number. */
export const applicationId = 0x626f6804;

export function namingOfMirror(file: string): Naming {
  const remedy = `Set ${file} aside: the next sync makes it anew.`;
  return { file, called: 'The mirror', remedy, isShared: true };
}

/** SQLite’s own `lower` knows no letters beyond ASCII. */
export const foldFunction = 'boh_lower';

export const readerFunctions = {
  [foldFunction]: (text: Cell) => (text === null ? null : String(text).toLowerCase()),
};
