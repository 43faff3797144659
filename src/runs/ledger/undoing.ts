/** What a run takes back, where it is an undo: a fact of its ledger. */
import type { Ledger } from './ledger.ts';

export interface Undoing {
  /** A run, or the number of a write. */
  takesBack: string;
  /** What it takes back is an undo itself. */
  isRedo: boolean;
}

const fact = 'undoing';

export function noteUndoing(ledger: Ledger, undoing: Undoing): void {
  ledger.setFact(fact, undoing);
}

/** Undefined where the run is none. */
export function undoingOf(ledger: Ledger): Undoing | undefined {
  return (ledger.fact(fact) as Undoing | null | undefined) ?? undefined;
}
