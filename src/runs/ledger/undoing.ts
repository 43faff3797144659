/** Records which writes a run undoes, as a fact of its ledger. */
import type { Ledger } from './ledger.ts';

/** What an undo run undoes. */
export interface Undoing {
  /** The id of a run, or the number of a history entry. */
  takesBack: string;
  /** Whether the undone run is itself an undo, so that this one is a redo. */
  isRedo: boolean;
}

const fact = 'undoing';

/** Records in the ledger that its run is an undo. */
export function noteUndoing(ledger: Ledger, undoing: Undoing): void {
  ledger.setFact(fact, undoing);
}

/** Returns what the run undoes; undefined if it isn't an undo. */
export function undoingOf(ledger: Ledger): Undoing | undefined {
  return (ledger.fact(fact) as Undoing | null | undefined) ?? undefined;
}
