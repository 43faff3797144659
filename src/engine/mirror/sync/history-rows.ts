/** Converts writes of the history to rows of a mirror, without the fields that the mirror excludes. */
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { mismatch, plainDecimal, textCell } from '../schema/cell.ts';
import { type ExcludedFields, isExcluded } from '../schema/excluded.ts';
import { entryColumn, historyFieldsTable, historyTable } from '../schema/history-tables.ts';
import { type Cell, idColumn } from '../schema/table.ts';
import type { StoreChange } from '../stores/store.ts';

/** A write of the history, without secrets. */
export interface HistoryEntry {
  number: number;
  /** The time of the write, in milliseconds since 1970. */
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
export function entryChanges(entries: readonly HistoryEntry[], excluded: ExcludedFields): StoreChange[] {
  const fields = entries.flatMap((entry) => fieldRows(entry, excluded));
  return [
    { kind: 'put', table: historyTable, rows: entries.map((entry) => entryRow(entry, excluded)) },
    ...(fields.length > 0 ? [{ kind: 'put', table: historyFieldsTable, rows: fields } as const] : []),
  ];
}

/** Returns the changes that delete the rows of the writes with some numbers. */
export function entryRemovals(numbers: readonly (number | string)[]): StoreChange[] {
  if (numbers.length === 0) return [];
  const values = numbers.map(String);
  return [
    { kind: 'drop', table: historyFieldsTable, column: entryColumn, values },
    { kind: 'drop', table: historyTable, column: idColumn, values },
  ];
}

/** Returns the row in the order of the table's columns. */
function entryRow(entry: HistoryEntry, excluded: ExcludedFields): Cell[] {
  const { number, at, run, profile, business, user, resource, verb, recordId, otherId } = entry;
  const { outcome, error, beforeMissing, undoOf, isForgotten } = entry;
  // An excluded value may also be in the command line. If the resource is unknown, the line is hidden whenever a field
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

function fieldRows({ number, resource, changes }: HistoryEntry, excluded: ExcludedFields): Cell[][] {
  const excludedPaths = [...((resource !== null && excluded.get(resource)) || [])];
  const isIncluded = ({ field }: { field: string }) =>
    // A field is excluded as a whole if some of its nested fields are.
    !(resource !== null && isExcluded(excluded, resource, field)) &&
    !excludedPaths.some((path) => path.startsWith(`${field}.`));
  return changes
    .filter(isIncluded)
    .map(({ field, old, new: newValue }) => [
      `${number}/${field}`,
      String(number),
      field,
      cellOf(old),
      cellOf(newValue),
    ]);
}

/** Returns text unchanged if every engine can store it, a number without an exponent, and any other value as JSON. */
function cellOf(value: unknown): Cell {
  const cell = typeof value === 'number' ? (plainDecimal(String(value)) ?? mismatch) : textCell(value);
  return cell === mismatch ? JSON.stringify(value) : cell;
}
