/** How far the rows of a ledger have left, in the ledger and in a head file: what the ledger loses of it shows there. */
import { HeadFile, identityOf, type NotedEnd } from '../../storage/head-file.ts';
import { type LedgerLoss, lossIn } from './loss.ts';

/** The fact how many times rows were written down to leave. */
const fact = 'departures';

/** What it needs of the ledger. */
interface Facts {
  readonly file: string;
  readonly id: string | undefined;
  fact(name: string): unknown;
  setFact(name: string, value: unknown): void;
}

export class Departed {
  readonly #ledger: Facts;
  readonly #headFile: HeadFile;
  /** The highest row that has left. */
  #highest: number | undefined;

  constructor(ledger: Facts, headFile: string) {
    this.#ledger = ledger;
    this.#headFile = new HeadFile(headFile);
  }

  /** What the ledger has lost since rows were last written down to leave. */
  loss(): LedgerLoss | undefined {
    return this.#lossSince(this.#headFile.read());
  }

  #lossSince(noted: NotedEnd | undefined): LedgerLoss | undefined {
    const { id, file } = this.#ledger;
    return noted && lossIn(noted, { id, departures: this.#count(), file: identityOf(file) });
  }

  /** Counts rows that leave, as part of a transaction; what it answers notes it in the head file, once that is done. */
  count(seqs: readonly number[]): () => void {
    const count = this.#count() + 1;
    const before = this.#highest ?? this.#headFile.read()?.number ?? 0;
    const highest = seqs.reduce((last, seq) => Math.max(last, seq), before);
    this.#ledger.setFact(fact, count);
    return () => {
      this.#highest = highest;
      this.#note(count, highest);
    };
  }

  /** What was lost counts as known from here on. */
  goOn(): void {
    const noted = this.#headFile.read();
    if (!noted) return;
    this.#ledger.setFact(fact, noted.place + 1);
    this.#note(noted.place + 1, noted.number);
  }

  #count(): number {
    return Number(this.#ledger.fact(fact) ?? 0);
  }

  #note(place: number, number: number): void {
    const { id = '', file } = this.#ledger;
    this.#headFile.append({ place, number, hash: id, file: identityOf(file) });
  }
}
