/** The host of change sets: the files of a machine, an account and its history. A rehearsal has its own host. */

import type { Session } from '../../account/session/session.ts';
import type { Journal } from '../history/journal/journal.ts';
import type { RunHost } from '../runs/begin-run.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { Undoing } from '../runs/ledger/runs.ts';

/** The account in use on this machine, with the clock, the locks and the progress display of the program. */
export interface Host extends RunHost {
  /** The folder of the account. */
  folder: string;
  /** Opens the account. The history records writes with the name of the change set, and with the run that they undo. */
  open(metadata: { change: string; undoing: Undoing | undefined }): Promise<Session>;
  /** Returns the history of the account; undefined if nothing was ever written. */
  history(): Promise<Journal | undefined>;
  /** Locks resources for a run; its ledger releases them. */
  lock(ledger: Ledger, session: Session, resources: readonly string[]): Promise<void>;
}
