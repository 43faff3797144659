/** What became of a row, in the words that scripts depend on. */
import type { Action, LedgerRow, RowError } from './ledger/row.ts';

export interface RowResult {
  /** What the row is a record of, by the API's own name, where a run writes to several resources. */
  resource?: string;
  /** Of the file, the header being line 1; null where the rows came from a filter. */
  line: number | null;
  key: string | null;
  action: Action;
  id: string | null;
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  error: RowError | null;
}

export function resultOf({ resource, line, key, action, id, state, error }: LedgerRow): RowResult {
  const own = { line, key, action: action ?? 'skip', id, outcome: outcomes[state], error };
  return resource === null ? own : { resource, ...own };
}

const outcomes = {
  read: 'not_sent',
  planned: 'not_sent',
  bad: 'failed',
  failed: 'failed',
  done: 'done',
  sent: 'unknown',
  unknown: 'unknown',
} as const;
