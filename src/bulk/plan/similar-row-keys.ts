/**
 * Finds similar keys, for example keys that differ only in case. boh treats them as different, but a service may treat
 * them as the same.
 */
import { maxShownItems } from '../../base/shown-items.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type Key, parseMatchKey } from '../../runs/match-key.ts';
import { SimilarKeys } from '../../session/similar-keys.ts';

/** A row that creates a record, and a similar key. */
export interface SimilarRowKey {
  line: number | null;
  key: string;
  /** The key of another row of the file, or of an existing record. */
  other: { key: string; line: number | null } | { key: string; id: string };
}

interface KeyedRow {
  seq: number;
  line: number | null;
}

const similarKeysProperty = 'alike';

/** Returns the similar keys that were stored for a run. */
export function readSimilarKeys(ledger: Ledger): readonly SimilarRowKey[] {
  return (ledger.property(similarKeysProperty) as readonly SimilarRowKey[] | undefined) ?? [];
}

/**
 * Compares the keys of all rows with each other. Returns the comparison, so that the keys of existing records can be added
 * to it.
 */
export function compareRowKeys(ledger: Ledger, key: Key): SimilarKeys<KeyedRow> {
  const similar = new SimilarKeys<KeyedRow>(key);
  for (const { matchKey, ...row } of ledger.matchKeysWithPrefix('k'))
    similar.add(parseMatchKey(matchKey.slice(1)), row);
  return similar;
}

/** Stores the similar keys of rows that create a record, to display them with the plan. */
export function recordSimilarKeys(ledger: Ledger, { matches }: SimilarKeys<KeyedRow>): void {
  const createdRows = matches.filter(({ item }) => {
    const { action, state } = ledger.row(item.seq) ?? {};
    return action === 'create' && state === 'planned';
  });
  if (createdRows.length === 0) return;
  const storedKeys = createdRows.slice(0, maxShownItems).map(({ item, values, other }): SimilarRowKey => {
    const key = other.values.join(', ');
    const isRecord = 'record' in other;
    return {
      line: item.line,
      key: values.join(', '),
      other: isRecord ? { key, id: String(other.record.id) } : { key, line: other.item.line },
    };
  });
  ledger.setProperty(similarKeysProperty, storedKeys);
}
