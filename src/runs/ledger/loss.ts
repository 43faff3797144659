/**
 * Detects lost rows of a ledger: rows that are planned according to the ledger, but may have been sent according to a
 * separate head file.
 */
import { Failure } from '../../base/errors.ts';
import {
  type FileIdentity,
  HeadFile,
  identityOf,
  isSameFile,
  type RecordedEnd,
} from '../../storage/head-file.ts';

/** The property with the number of batches that were recorded as sent. */
const batchCountProperty = 'batches';

/** The rows that a ledger has lost. */
export interface LedgerLoss {
  /** The highest sequence number of a row that may have been sent. */
  sentUpTo: number;
  /** Whether all rows are lost, so that nothing about the run is known. */
  isTotal: boolean;
}

/** The state of a ledger that is compared with its head file. */
interface LedgerEnd {
  id: string | undefined;
  /** How many batches of rows were recorded as sent. */
  batches: number;
  file: FileIdentity;
}

/** The part of a ledger that the counter uses. */
interface CountedLedger {
  readonly file: string;
  readonly id: string | undefined;
  property(name: string): unknown;
  setProperty(name: string, value: unknown): void;
}

/** Counts the write-ahead batches of a ledger in the ledger and in a head file, so that lost batches are noticed. */
export class WriteAheadCounter {
  readonly #ledger: CountedLedger;
  readonly #headFile: HeadFile;
  /** The highest sequence number that was recorded as sent. */
  #highest: number | undefined;

  constructor(ledger: CountedLedger, headFile: string) {
    this.#ledger = ledger;
    this.#headFile = new HeadFile(headFile);
  }

  /** Returns the rows that the ledger has lost; undefined if there are none. */
  loss(): LedgerLoss | undefined {
    // The head file is read first, so that the ledger is at least as new.
    const recordedEnd = this.#headFile.read();
    const { id, file } = this.#ledger;
    return recordedEnd && lossIn(recordedEnd, { id, batches: this.#count(), file: identityOf(file) });
  }

  /** Counts a batch of rows as part of a transaction. Call the returned function after the transaction. */
  count(row: number): () => void {
    const count = this.#count() + 1;
    const previousHighest = this.#highest ?? this.#headFile.read()?.number ?? 0;
    const highest = Math.max(previousHighest, row);
    this.#ledger.setProperty(batchCountProperty, count);
    return () => {
      this.#highest = highest;
      this.#writeHead(count, highest);
    };
  }

  /** Accepts the loss: the ledger and the head file agree again. */
  acceptLoss(): void {
    const recordedEnd = this.#headFile.read();
    if (!recordedEnd) return;
    this.#ledger.setProperty(batchCountProperty, recordedEnd.position + 1);
    this.#writeHead(recordedEnd.position + 1, recordedEnd.number);
  }

  #count(): number {
    return Number(this.#ledger.property(batchCountProperty) ?? 0);
  }

  #writeHead(position: number, number: number): void {
    const { id = '', file } = this.#ledger;
    this.#headFile.append({ position, number, hash: id, file: identityOf(file) });
  }
}

function lossIn(recordedEnd: RecordedEnd, { id, batches, file }: LedgerEnd): LedgerLoss | undefined {
  if (id !== undefined && recordedEnd.hash !== id) return undefined;
  if (batches < recordedEnd.position) return { sentUpTo: recordedEnd.number, isTotal: id === undefined };
  // Both may have been restored from an older backup.
  const isCopied = recordedEnd.isCopied && !isSameFile(file, recordedEnd.file);
  return isCopied ? { sentUpTo: Number.MAX_SAFE_INTEGER, isTotal: false } : undefined;
}

/** Returns the failure of a run that can't be resumed because its ledger no longer contains it. */
export function ledgerLossFailure(file: string, { sentUpTo }: LedgerLoss): Failure {
  return new Failure(
    'unavailable',
    `The ledger ${file} has lost rows: the file was damaged or replaced by an older copy. ${sentRowsMessage(sentUpTo)}`,
    {
      outcome: 'unknown',
      hint: `Check the records in the account before you run it again, or restore ${file} and its -wal file.`,
    },
  );
}

/** Returns the message about a loss in a run that can be resumed. */
export function describeLedgerLoss(file: string, { sentUpTo }: LedgerLoss): string {
  return `The ledger ${file} has lost the newest outcomes: the file was damaged or replaced by an older copy. ${sentRowsMessage(sentUpTo)}`;
}

function sentRowsMessage(row: number): string {
  const rows = row === Number.MAX_SAFE_INTEGER ? 'Rows recorded as not sent' : `Rows up to ${row}`;
  return `${rows} may have been sent.`;
}
