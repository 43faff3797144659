/** What a ledger has lost: it says of rows that they are still to be sent, and they may have been. */
import { Failure } from '../../errors.ts';
import { type FileIdentity, isSameFile, type NotedEnd } from '../../storage/head-file.ts';

export interface LedgerLoss {
  /** The highest row that may have been sent. */
  sentUpTo: number;
  /** Nothing is known of the run any more: its rows are gone as well. */
  isWhole: boolean;
}

/** What a ledger says of itself. */
export interface LedgerEnd {
  id: string | undefined;
  /** How many times rows were written down to leave. */
  departures: number;
  file: FileIdentity;
}

/** `noted` was read before: what is in the ledger then is at least as new. */
export function lossIn(
  noted: NotedEnd | undefined,
  { id, departures, file }: LedgerEnd,
): LedgerLoss | undefined {
  if (!noted || (id !== undefined && noted.hash !== id)) return undefined;
  if (departures < noted.place) return { sentUpTo: noted.number, isWhole: id === undefined };
  // Both may have been restored from an older backup.
  const isCopied = noted.isCopied && !isSameFile(file, noted.file);
  return isCopied ? { sentUpTo: Number.MAX_SAFE_INTEGER, isWhole: false } : undefined;
}

/** What is thrown where a run can't be gone on with, as nothing is known of it any more. */
export function lostLedger(file: string, { sentUpTo }: LedgerLoss): Failure {
  return new Failure(
    'unavailable',
    `The ledger ${file} has lost its rows: it was damaged, or an older copy took its place. ${upTo(sentUpTo)}`,
    {
      outcome: 'unknown',
      hint: `Look at what the service holds before you run it again, or restore ${file} with the -wal beside it.`,
    },
  );
}

/** What people are told of a run whose rows are there. */
export function describeLedgerLoss(file: string, { sentUpTo }: LedgerLoss): string {
  return `The ledger ${file} has lost what came of its newest rows: it was damaged, or an older copy took its place. ${upTo(sentUpTo)}`;
}

function upTo(row: number): string {
  const which =
    row === Number.MAX_SAFE_INTEGER ? 'Rows that it says are still to be sent' : `Rows up to ${row}`;
  return `${which} may have been sent.`;
}
