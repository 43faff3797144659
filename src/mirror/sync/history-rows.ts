/** Converts a write of the history to rows of a mirror, without what the mirror excludes. */
import { formatTimestamp } from '../../contract/date-time.ts';
import { mismatch, plainDecimal, textCell } from '../schema/cell.ts';
import { type Excluded, isExcluded } from '../schema/excluded.ts';
import { entryColumn, historyFieldsTable, historyTable } from '../schema/history-tables.ts';
import { type Cell, idColumn } from '../schema/table.ts';
import type { Change } from '../stores/store.ts';

/** A write of the history, without secrets. */
export interface HistoryEntry {
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  run: string;
  line: string | null;
  profile: string | null;
  business: string | null;
  user: string | null;
  /** The API's resource name. */
  resource: string | null;
  verb: string | null;
  recordId: string | null;
  otherId: string | null;
  outcome: string;
  error: string | null;
  beforeMissing: string | null;
  undoOf: string | null;
  isForgotten: boolean;
  changes: readonly { field: string; old: unknown; new: unknown }[];
}

/** Returns the changes that store the rows of some writes. */
export function changesFor(entries: readonly HistoryEntry[], excluded: Excluded): Change[] {
  const fields = entries.flatMap((entry) => fieldRows(entry, excluded));
  return [
    { kind: 'put', table: historyTable, rows: entries.map((entry) => entryRow(entry, excluded)) },
    ...(fields.length > 0 ? [{ kind: 'put', table: historyFieldsTable, rows: fields } as const] : []),
  ];
}

/** Returns the changes that delete everything about some writes, given by their numbers. */
export function removalOfEntries(numbers: readonly (number | string)[]): Change[] {
  if (numbers.length === 0) return [];
  const values = numbers.map(String);
  return [
    { kind: 'drop', table: historyFieldsTable, column: entryColumn, values },
    { kind: 'drop', table: historyTable, column: idColumn, values },
  ];
}

/** Returns the row in the order of the table's columns. */
function entryRow(entry: HistoryEntry, excluded: Excluded): Cell[] {
  const { number, at, run, profile, business, user, resource, verb, recordId, otherId } = entry;
  const { outcome, error, beforeMissing, undoOf, isForgotten } = entry;
  // An excluded value may also be in the command line. If the resource isn't known, the line is hidden whenever a field
  // is excluded.
  const isLineHidden = resource === null ? excluded.size > 0 : excluded.has(resource);
  return [
    ...[String(number), number, formatTimestamp(new Date(at)), run],
    ...[isLineHidden ? null : entry.line, profile, business, user, resource, verb, recordId, otherId].map(
      cellOf,
    ),
    ...[outcome, error, beforeMissing, undoOf].map(cellOf),
    isForgotten ? 1 : 0,
  ];
}

function fieldRows({ number, resource, changes }: HistoryEntry, excluded: Excluded): Cell[][] {
  const hidden = [...((resource !== null && excluded.get(resource)) || [])];
  const isShown = ({ field }: { field: string }) =>
    // A field is excluded as a whole if some of its nested fields are.
    !(resource !== null && isExcluded(excluded, resource, field)) &&
    !hidden.some((path) => path.startsWith(`${field}.`));
  return changes
    .filter(isShown)
    .map(({ field, old, new: next }) => [
      `${number}/${field}`,
      String(number),
      field,
      cellOf(old),
      cellOf(next),
    ]);
}

/** Returns text that every engine can store as it is, a number without an exponent, and anything else as JSON. */
function cellOf(value: unknown): Cell {
  const cell = typeof value === 'number' ? (plainDecimal(String(value)) ?? mismatch) : textCell(value);
  return cell === mismatch ? JSON.stringify(value) : cell;
}
