/**
 * Detects what a ledger has lost: rows that it calls planned and that may have been sent. A head file outside of the
 * ledger shows that.
 */
import { Failure } from '../../base/errors.ts';
import {
  type FileIdentity,
  HeadFile,
  identityOf,
  isSameFile,
  type RecordedEnd,
} from '../../storage/head-file.ts';

/** The fact that counts the batches of rows that were recorded as sent, under the name that earlier builds gave it. */
const countFact = 'departures';

/** What a ledger has lost. */
export interface LedgerLoss {
  /** The highest sequence number of a row that may have been sent. */
  sentUpTo: number;
  /** Whether all rows are lost too, so that nothing about the run is known. */
  isWhole: boolean;
}

/** The state of a ledger that is compared with its head file. */
interface LedgerEnd {
  id: string | undefined;
  /** How many batches of rows were recorded as sent. */
  batches: number;
  file: FileIdentity;
}

/** The part of the ledger that is needed here. */
interface Facts {
  readonly file: string;
  readonly id: string | undefined;
  fact(name: string): unknown;
  setFact(name: string, value: unknown): void;
}

/** Counts the write-ahead batches of a ledger in the ledger and in a head file, so that lost batches are noticed. */
export class NotedWriteAheads {
  readonly #ledger: Facts;
  readonly #headFile: HeadFile;
  /** The highest sequence number that was recorded as sent. */
  #highest: number | undefined;

  constructor(ledger: Facts, headFile: string) {
    this.#ledger = ledger;
    this.#headFile = new HeadFile(headFile);
  }

  /** Returns what the ledger has lost since rows were last recorded as sent. */
  loss(): LedgerLoss | undefined {
    // The head file is read before the ledger, which is at least as new then.
    const noted = this.#headFile.read();
    const { id, file } = this.#ledger;
    return noted && lossIn(noted, { id, batches: this.#count(), file: identityOf(file) });
  }

  /** Counts a batch of rows as part of a transaction. Call the function that it returns once the transaction has ended. */
  count(row: number): () => void {
    const count = this.#count() + 1;
    const before = this.#highest ?? this.#headFile.read()?.number ?? 0;
    const highest = Math.max(before, row);
    this.#ledger.setFact(countFact, count);
    return () => {
      this.#highest = highest;
      this.#note(count, highest);
    };
  }

  /** Accepts the loss: from here on the ledger and the head file agree. */
  acceptLoss(): void {
    const noted = this.#headFile.read();
    if (!noted) return;
    this.#ledger.setFact(countFact, noted.position + 1);
    this.#note(noted.position + 1, noted.number);
  }

  #count(): number {
    return Number(this.#ledger.fact(countFact) ?? 0);
  }

  #note(place: number, number: number): void {
    const { id = '', file } = this.#ledger;
    this.#headFile.append({ position: place, number, hash: id, file: identityOf(file) });
  }
}

function lossIn(noted: RecordedEnd, { id, batches, file }: LedgerEnd): LedgerLoss | undefined {
  if (id !== undefined && noted.hash !== id) return undefined;
  if (batches < noted.position) return { sentUpTo: noted.number, isWhole: id === undefined };
  // Both may have been restored from an older backup.
  const isCopied = noted.isCopied && !isSameFile(file, noted.file);
  return isCopied ? { sentUpTo: Number.MAX_SAFE_INTEGER, isWhole: false } : undefined;
}

/** Returns the failure of a run that can't be resumed, as its ledger no longer contains it. */
export function lostLedger(file: string, { sentUpTo }: LedgerLoss): Failure {
  return new Failure(
    'unavailable',
    `The ledger ${file} has lost rows: the file was damaged or replaced by an older copy. ${upTo(sentUpTo)}`,
    {
      outcome: 'unknown',
      hint: `Check the records in the account before you run it again, or restore ${file} and its -wal file.`,
    },
  );
}

/** Returns the message about a loss in a run whose rows are still there. */
export function describeLedgerLoss(file: string, { sentUpTo }: LedgerLoss): string {
  return `The ledger ${file} has lost the newest outcomes: the file was damaged or replaced by an older copy. ${upTo(sentUpTo)}`;
}

function upTo(row: number): string {
  const which = row === Number.MAX_SAFE_INTEGER ? 'Rows recorded as not sent' : `Rows up to ${row}`;
  return `${which} may have been sent.`;
}
