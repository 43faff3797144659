/** The rows of a list that answer to look-ups, each held against what was asked, and those that nearly do. */
import { isRow, type Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { keyForm } from '../contract/key-form.ts';
import { isNearPhone } from '../contract/phone-form.ts';
import type { Resource } from '../contract/resource.ts';
import { findRecords, type Lists } from './find-records.ts';

/** Pages that a look-up reads before it gives up: what matches more is no name. */
const maxPages = 10;

/** One way to ask: a filter with its value as it is given. */
export interface Attempt {
  filter: Filter;
  value: string;
}

/** What was found for each. */
export type Matches = Map<Attempt, Row[]>;

export interface Search {
  deleted: boolean;
  /** Filters whose fields the answers don't show: nothing could be held against them. */
  unshown: Set<string>;
  /** Rows that hold a value as a part of what it was looked for in: somebody may have meant one of them. */
  near: Map<string, Row[]>;
}

/** The rows that match each of the attempts, no row twice. */
export async function matchesOf(
  lists: Lists,
  resource: Resource,
  attempts: readonly Attempt[],
  { deleted, unshown, near }: Search,
): Promise<Matches> {
  const matches: Matches = new Map();
  const byFilter = Map.groupBy(attempts, ({ filter }) => filter);
  const asks = [...byFilter].map(([filter, own]) => ({
    by: filter.on ?? filter.name,
    filter,
    values: own.map(({ value }) => value),
  }));
  const include = [...new Set([...byFilter.keys()].flatMap(included))];
  const seen = new Set<unknown>();
  const wanted = { resource, asks, include, deletedOnly: deleted, maxPages };
  for await (const rows of findRecords(lists, wanted)) {
    for (const filter of byFilter.keys())
      if (rows.some((row) => shownBy(filter, row) === undefined)) unshown.add(filter.name);
    for (const row of rows) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      for (const attempt of attempts) {
        if (answers(attempt, row)) matches.set(attempt, [...(matches.get(attempt) ?? []), row]);
        else if (isNear(attempt, row)) near.set(attempt.value, [...(near.get(attempt.value) ?? []), row]);
      }
    }
  }
  return matches;
}

/** Relations to many are shown only where they are asked for. */
function included({ name, on, value }: Filter): string[] {
  return name.includes('.') && on !== undefined && value.traits.includable ? [on] : [];
}

/** What a row shows of the field that the filter looks at; undefined where it shows nothing of it. */
function shownBy({ on = '', value: { kind } }: Filter, row: Row): unknown {
  if (Object.hasOwn(row, on)) return row[on];
  return kind === 'one' && Object.hasOwn(row, `${on}_id`) ? row[`${on}_id`] : undefined;
}

/** Whether a row holds a part of what was asked for, as services match names, or a phone number that is written otherwise. */
function isNear({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (typeof shown !== 'string') return false;
  if (filter.value.traits.form === 'phone') return isNearPhone(shown, value);
  return (
    filter.match === 'contains' && shown.normalize().toLowerCase().includes(value.normalize().toLowerCase())
  );
}

/** Whether a row is what was asked for, whatever the service takes the filter to mean. */
function answers({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (shown === undefined || shown === null) return false;
  return Array.isArray(shown)
    ? shown.some((item) => isSame(filter.value, isRow(item) ? item.id : item, value))
    : isSame(filter.value, isRow(shown) ? shown.id : shown, value);
}

/** A record is named only by the whole of a text; numbers and yes or no stand in queries as their text. */
function isSame(field: Field, shown: unknown, value: string): boolean {
  if (typeof shown === 'string') return keyForm(field, shown) === keyForm(field, value);
  if (typeof shown === 'boolean') return String(shown) === value || (shown ? '1' : '0') === value;
  return typeof shown === 'number' && value.split(',').includes(String(shown));
}

/**
 * Whether a row can be what a filter was asked for: false where it surely isn’t, so that the service has passed over
 * the filter. Letters may differ in case and accents, as services compare them.
 */
export function mayAnswer({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  if (filter.match !== 'equals' || shown === undefined) return true;
  const isText = typeof shown === 'string';
  const folded = isText ? { [filter.on ?? '']: fold(shown) } : row;
  return [value, ...value.split(',')].some((one) =>
    answers({ filter, value: isText ? fold(one) : one }, folded),
  );
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
