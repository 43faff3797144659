/**
 * Finds keys that are nearly the same, for example except for case: boh treats them as different, but a service may
 * treat them as the same.
 */
import { maxShownItems } from '../../base/shown-items.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type Key, partsOfMatchKey } from '../../runs/match-key.ts';
import { NearKeys } from '../../session/near-keys.ts';

/** A row that adds a record, and a similar key. */
export interface AlikeKey {
  line: number | null;
  key: string;
  /** The key of another row of the file, or of an existing record. */
  other: { key: string; line: number | null } | { key: string; id: string };
}

interface MarkedRow {
  seq: number;
  line: number | null;
}

const fact = 'alike';

/** Returns the similar keys that were noted for a run. */
export function alikeKeysIn(ledger: Ledger): readonly AlikeKey[] {
  return (ledger.fact(fact) as readonly AlikeKey[] | undefined) ?? [];
}

/**
 * Compares the keys of all rows with each other, and returns the comparison, to which the records that are read can be
 * added.
 */
export function nearRows(ledger: Ledger, key: Key): NearKeys<MarkedRow> {
  const near = new NearKeys<MarkedRow>(key);
  for (const { mark, ...row } of ledger.marksFrom('k')) near.add(partsOfMatchKey(mark.slice(1)), row);
  return near;
}

/** Notes the similar keys of rows that add a record, for displaying the plan. */
export function noteAlike(ledger: Ledger, { found }: NearKeys<MarkedRow>): void {
  const added = found.filter(({ item }) => {
    const { action, state } = ledger.row(item.seq) ?? {};
    return action === 'create' && state === 'planned';
  });
  if (added.length === 0) return;
  const noted = added.slice(0, maxShownItems).map(({ item, values, other }): AlikeKey => {
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
