/** Keys that are nearly the same, as in case alone: boh takes them for different ones, and a service may take them for one. */
import { nearKeyForm } from '../../contract/key-form.ts';
import { isNearPhone } from '../../contract/phone-form.ts';
import type { Row } from '../../session/row.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Key, markOfRecord, textOfMark } from './mark.ts';

/** A row that adds a record, and what nearly has its key. */
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

const plain = /^[\x20-\x7e]*$/;
const caseless = /^[\x20-\x40[-`{-~]*$/;

/** As many are told of. */
const mostKept = 10;

export function alikeKeysIn(ledger: Ledger): readonly AlikeKey[] {
  return (ledger.fact(fact) as readonly AlikeKey[] | undefined) ?? [];
}

/** Collects them while rows are matched with records. */
export class AlikeKeys {
  readonly #ledger: Ledger;
  readonly #key: Key;
  readonly #hasPhone: boolean;
  readonly #byNear = new Map<string, Marked>();
  readonly #met = new Set<string>();
  readonly #found: { row: Marked; other: AlikeKey['other'] }[] = [];

  /** Looks at the rows themselves, once they have marks. */
  constructor(ledger: Ledger, key: Key) {
    this.#ledger = ledger;
    this.#key = key;
    const isOfDigits = key.every(({ field }) => field?.traits.digits);
    this.#hasPhone = key.some(({ field }) => field?.traits.form === 'phone');
    for (const row of ledger.marksFrom('k')) {
      const near = this.#nearOf(row.mark.slice(1));
      // Of digits that are written in one way there is no other one.
      if (isOfDigits && caseless.test(near)) continue;
      const before = this.#byNear.get(near);
      if (!before) this.#byNear.set(near, row);
      else if (before.mark !== row.mark && this.#isNear(before.mark.slice(1), row.mark.slice(1)))
        this.#found.push({ row, other: { key: textIn(before.mark), line: before.line } });
    }
  }

  /** Records that the service has shown: one that takes no notice of case shows those that are alike. */
  meet(records: readonly Row[]): void {
    if (this.#byNear.size === 0) return;
    for (const record of records) {
      const mark = markOfRecord(record, this.#key);
      const row = mark === undefined ? undefined : this.#byNear.get(this.#nearOf(mark));
      if (mark === undefined || !row || row.mark === `k${mark}`) continue;
      if (!this.#isNear(mark, row.mark.slice(1)) || this.#met.has(`${row.seq} ${record.id}`)) continue;
      this.#met.add(`${row.seq} ${record.id}`);
      this.#found.push({ row, other: { key: textOfMark(mark), id: String(record.id) } });
    }
  }

  /** Numbers of two countries are no one number, whatever their last digits. */
  #isNear(one: string, other: string): boolean {
    if (!this.#hasPhone) return true;
    const [parts, others] = [JSON.parse(one) as string[], JSON.parse(other) as string[]];
    return this.#key.every(
      ({ field }, at) =>
        field?.traits.form !== 'phone' ||
        parts[at] === others[at] ||
        isNearPhone(parts[at] ?? '', others[at] ?? ''),
    );
  }

  #nearOf(mark: string): string {
    // What is written in plain letters has no more than case.
    if (!this.#hasPhone && plain.test(mark)) return mark.toLowerCase();
    const parts = JSON.parse(mark) as string[];
    return JSON.stringify(parts.map((part, at) => nearKeyForm(this.#key[at]?.field, part)));
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
