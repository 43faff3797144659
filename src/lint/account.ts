/** The records that rules read, and the ways in which they read values: numbers, lists, ids, days. */
import type { Api } from '../contract/api.ts';
import type { Resource } from '../contract/resource.ts';
import { isRow, type Row } from '../session/row.ts';

const dayMs = 86_400_000;

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
    this.#rows = new Map([...rows].map(([name, all]) => [name, all.toSorted(byAge)]));
  }

  /** Returns the records of a resource, by the API's name; none if its list wasn't read. */
  rows(name: string): readonly Row[] {
    return this.#rows.get(name) ?? [];
  }

  /** Returns whether the list of a resource was read. */
  has(name: string): boolean {
    return this.#rows.has(name);
  }

  /** Returns the record with an id. */
  find(name: string, id: unknown): Row | undefined {
    return this.derived(`${name} by id`, () => new Map(this.rows(name).map((row) => [row.id, row]))).get(id);
  }

  /** Returns a value that several records need and that is computed once. */
  derived<Value>(key: string, make: () => Value): Value {
    if (!this.#derived.has(key)) this.#derived.set(key, make());
    return this.#derived.get(key) as Value;
  }

  /** Returns the days from a date or timestamp until today; undefined if there is none. */
  daysSince(text: unknown): number | undefined {
    const from = typeof text === 'string' ? Date.parse(text.slice(0, 10)) : Number.NaN;
    return Number.isNaN(from) ? undefined : Math.round((Date.parse(this.today) - from) / dayMs);
  }
}

function byAge(one: Row, other: Row): number {
  const [a, b] = [String(one.created_at ?? ''), String(other.created_at ?? '')];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the name by which people know a record; its id if it has none. */
export function nameOf(row: Row, { title, key }: Pick<Resource, 'title' | 'key'>): string {
  const names = title === undefined ? key : [title, ...key];
  const found = names.map((name) => row[name]).find((value) => typeof value === 'string' && value !== '');
  return String(found ?? row.id);
}

/** Returns the name of the record with an id; the id if it isn't known. */
export function nameFor(account: LintAccount, target: string, id: unknown): string {
  const [resource, row] = [account.api.resource(target), account.find(target, id)];
  return row && resource ? nameOf(row, resource) : String(id);
}

/** Returns a number, also from numeric text; undefined if there is none. */
export function numberIn(value: unknown): number | undefined {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the linked records or nested objects of a field; undefined if the record doesn't show the field. */
export function listIn(row: Row, field: string): Row[] | undefined {
  const value = row[field];
  if (value === null) return [];
  return Array.isArray(value) ? value.filter(isRow) : undefined;
}

/** Returns the ids in a list, or the id of a related record; none if there is no relation. */
export function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (isRow(value)) return typeof value.id === 'string' ? [value.id] : [];
  return typeof value === 'string' ? [value] : [];
}

/** Returns whether a list is shown and empty. */
export function isEmptyList(row: Row, field: string): boolean {
  return listIn(row, field)?.length === 0;
}

/** Returns the data of a link. */
export function pivotOf({ pivot }: Row): Row {
  return isRow(pivot) ? pivot : {};
}

/** Returns a text without blanks around it; undefined if there is none. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns whether a value is true: some services show 1. */
export function isOn(value: unknown): boolean {
  return value === true || value === 1;
}

/** Yields every record that has the same key as an earlier one, with that one. */
export function* repeated(
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
