/** The records that rules read, and functions that read their values: IDs, text, days. */

import { recordTitle } from '../../account/session/record-key.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Api } from '../../api/contract/api.ts';
import { daysBetween } from '../../api/contract/date-time.ts';

/** Records of an account by resource, on one day. */
export class LintAccount {
  readonly api: Api;
  /** `YYYY-MM-DD` */
  readonly today: string;
  readonly #rows: ReadonlyMap<string, readonly Row[]>;
  readonly #derived = new Map<string, unknown>();

  constructor(api: Api, today: string, rows: ReadonlyMap<string, readonly Row[]>) {
    this.api = api;
    this.today = today;
    // The oldest of several equal records counts as the original, whatever the order of the source.
    this.#rows = new Map([...rows].map(([name, records]) => [name, records.toSorted(compareAge)]));
  }

  /** Returns the records of a resource, by the API's name; an empty list if they weren't read. */
  rows(name: string): readonly Row[] {
    return this.#rows.get(name) ?? [];
  }

  /** Returns whether the list of a resource was read. */
  has(name: string): boolean {
    return this.#rows.has(name);
  }

  find(name: string, id: unknown): Row | undefined {
    return this.memoize(`${name} by id`, () => new Map(this.rows(name).map((row) => [row.id, row]))).get(id);
  }

  /** Computes a value once, and returns it from a cache afterwards. */
  memoize<Value>(key: string, compute: () => Value): Value {
    if (!this.#derived.has(key)) this.#derived.set(key, compute());
    return this.#derived.get(key) as Value;
  }

  /** Returns the days from a date or timestamp until today; undefined if the value isn't a date. */
  daysSince(text: unknown): number | undefined {
    const days = typeof text === 'string' ? daysBetween(text.slice(0, 10), this.today) : Number.NaN;
    return Number.isNaN(days) ? undefined : days;
  }
}

function compareAge(a: Row, b: Row): number {
  const [createdA, createdB] = [String(a.created_at ?? ''), String(b.created_at ?? '')];
  return createdA < createdB ? -1 : createdA > createdB ? 1 : 0;
}

/** Returns the name of the record with an ID; the ID if the record wasn't read. */
export function nameOfRecord(account: LintAccount, target: string, id: unknown): string {
  const [resource, row] = [account.api.resource(target), account.find(target, id)];
  return row && resource ? recordTitle(resource, row) : String(id);
}

/** Returns the IDs in a list, or the ID of a related record; an empty list for other values. */
export function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (isRow(value)) return typeof value.id === 'string' ? [value.id] : [];
  return typeof value === 'string' ? [value] : [];
}

/** Returns whether a value is null or an empty list. A missing value isn't empty. */
export function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Returns a trimmed string; undefined if it is empty or isn't a string. */
export function trimmedText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns whether a value is true: some services return 1. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1;
}

/** Yields each record that has the same key as an earlier record, with the earlier record. */
export function* findDuplicates(
  rows: readonly Row[],
  keyOf: (row: Row) => string | undefined,
): Generator<readonly [row: Row, first: Row]> {
  const seen = new Map<string, Row>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first) yield [row, first];
    else seen.set(key, row);
  }
}
