/** Defines the result of a row, with the names that scripts depend on. */
import type { Action, LedgerRow, RowError } from './ledger/row.ts';

/** The outcome of one row, as JSON output contains it. */
export interface RowResult {
  /** The resource of the record, by its API name, if a run writes to several resources. */
  resource?: string;
  /** The line in the file, where the header is line 1; null if the rows came from a filter. */
  line: number | null;
  key: string | null;
  action: Action;
  id: string | null;
  outcome: 'done' | 'failed' | 'unknown' | 'not_sent';
  error: RowError | null;
}

export function resultOf({ resource, line, key, action, id, state, error }: LedgerRow): RowResult {
  const result = { line, key, action: action ?? 'skip', id, outcome: outcomes[state], error };
  return resource === null ? result : { resource, ...result };
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
