/** Keys that are nearly the same, as in case alone: boh takes them for different ones, and a service may take them for one. */
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type Key, partsOfMark } from '../../runs/mark.ts';
import { NearKeys } from '../../session/record-key.ts';

/** A row that adds a record, and what nearly has its key. */
export interface AlikeKey {
  line: number | null;
  key: string;
  /** Of another row of the file, or of a record that is there. */
  other: { key: string; line: number | null } | { key: string; id: string };
}

interface MarkedRow {
  seq: number;
  line: number | null;
}

const fact = 'alike';

const maxReported = 10;

/** Returns what was noted of a run’s rows. */
export function alikeKeysIn(ledger: Ledger): readonly AlikeKey[] {
  return (ledger.fact(fact) as readonly AlikeKey[] | undefined) ?? [];
}

/** Compares the keys of all rows with each other; the records that are read are to be compared with them. */
export function nearRows(ledger: Ledger, key: Key): NearKeys<MarkedRow> {
  const near = new NearKeys<MarkedRow>(key);
  for (const { mark, ...row } of ledger.marksFrom('k')) near.add(partsOfMark(mark.slice(1)), row);
  return near;
}

/** Notes those of rows that add a record, for displaying the plan. */
export function noteAlike(ledger: Ledger, { found }: NearKeys<MarkedRow>): void {
  const added = found.filter(({ item }) => {
    const { action, state } = ledger.row(item.seq) ?? {};
    return action === 'create' && state === 'planned';
  });
  if (added.length === 0) return;
  const noted = added.slice(0, maxReported).map(({ item, values, other }): AlikeKey => {
    const key = other.values.join(', ');
    const isRecord = 'record' in other;
    return {
      line: item.line,
      key: values.join(', '),
      other: isRecord ? { key, id: String(other.record.id) } : { key, line: other.item.line },
    };
  });
  ledger.setFact(fact, noted);
}
