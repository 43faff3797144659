/** Stores which run or write an undo run undoes, as a property of its ledger. */
import type { Ledger } from './ledger.ts';

/** The run or write that an undo run undoes. */
export interface Undoing {
  /** The ID of a run, or the number of a history entry. */
  takesBack: string;
  /** Whether the undone run is itself an undo, so that this run is a redo. */
  isRedo: boolean;
}

const undoingProperty = 'undoing';

export function recordUndoing(ledger: Ledger, undoing: Undoing): void {
  ledger.setProperty(undoingProperty, undoing);
}

/** Returns the run or write that this run undoes; undefined if it isn't an undo. */
export function undoingOf(ledger: Ledger): Undoing | undefined {
  return (ledger.property(undoingProperty) as Undoing | null | undefined) ?? undefined;
}
