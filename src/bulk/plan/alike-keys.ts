/** Keys that differ in nothing but case: boh takes them for different ones, and a service may take them for one. */
import type { Row } from '../../session/row.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Key, markOfRecord, textOfMark } from './mark.ts';

/** A row that adds a record, and what has its key but for the case. */
export interface AlikeKey {
  line: number | null;
  key: string;
  /** Of another row of the file, or of a record that is there. */
  other: { key: string; line: number | null } | { key: string; id: string };
}

interface Marked {
  seq: number;
  line: number | null;
  mark: string;
}

const fact = 'alike';

/** As many are told of. */
const mostKept = 10;

export function alikeKeysIn(ledger: Ledger): readonly AlikeKey[] {
  return (ledger.fact(fact) as readonly AlikeKey[] | undefined) ?? [];
}

/** Collects them while rows are matched with records. */
export class AlikeKeys {
  readonly #ledger: Ledger;
  readonly #key: Key;
  readonly #byFolded = new Map<string, Marked>();
  readonly #found: { row: Marked; other: AlikeKey['other'] }[] = [];

  /** Looks at the rows themselves, once they have marks. */
  constructor(ledger: Ledger, key: Key) {
    this.#ledger = ledger;
    this.#key = key;
    for (const row of ledger.marksFrom('k')) {
      const folded = row.mark.toLowerCase();
      // Digits and most scripts have no case.
      if (folded === row.mark.toUpperCase()) continue;
      const before = this.#byFolded.get(folded);
      if (!before) this.#byFolded.set(folded, row);
      else if (before.mark !== row.mark)
        this.#found.push({ row, other: { key: textIn(before.mark), line: before.line } });
    }
  }

  /** Records that the service has shown: one that takes no notice of case shows those that are alike. */
  meet(records: readonly Row[]): void {
    if (this.#byFolded.size === 0) return;
    for (const record of records) {
      const mark = markOfRecord(record, this.#key);
      const row = mark === undefined ? undefined : this.#byFolded.get(`k${mark}`.toLowerCase());
      if (mark === undefined || !row || row.mark === `k${mark}`) continue;
      this.#found.push({ row, other: { key: textOfMark(mark), id: String(record.id) } });
    }
  }

  /** Keeps for whoever shows the plan what is to be added; what has its own record is no news. */
  keep(): void {
    const added = this.#found.filter(({ row }) => {
      const { action, state } = this.#ledger.row(row.seq) ?? {};
      return action === 'create' && state === 'planned';
    });
    if (added.length === 0) return;
    const told = added
      .slice(0, mostKept)
      .map(({ row, other }): AlikeKey => ({ line: row.line, key: textIn(row.mark), other }));
    this.#ledger.setFact(fact, told);
  }
}

function textIn(mark: string): string {
  return textOfMark(mark.slice(1));
}
