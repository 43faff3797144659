/** Text without regard to case, for searches: SQLite's own way knows the Latin alphabet alone. */
import type { Cell } from './cells.ts';

export function fold(text: Cell | undefined): string {
  return String(text ?? '')
    .normalize('NFC')
    .toLowerCase();
}
