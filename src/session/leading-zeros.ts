/** Finds codes that differ only in leading zeros, which spreadsheets remove: 00003 becomes 3. */

import type { Row } from '../client/shape.ts';
import type { Filter } from '../contract/filter.ts';
import type { Resource } from '../contract/resource.ts';
import { findRecords } from './find-records.ts';
import type { Lists } from './list.ts';

/** The longest code that is searched for with other zeros. */
const maxDigits = 12;

/** The maximum number of codes that are searched for; each takes a dozen values. */
const maxCodes = 20;

/** Returns whether two texts are the same number, written with different leading zeros. */
export function differInZeros(one: string, other: string): boolean {
  return one !== other && isCode(one) && isCode(other) && withoutZeros(one) === withoutZeros(other);
}

/** Returns records whose code in a field differs from one of the values only in leading zeros. */
export async function recordsWithOtherZeros(
  lists: Lists,
  resource: Resource,
  filter: Filter,
  values: readonly string[],
): Promise<Row[]> {
  const { on = filter.name, match, value } = filter;
  const isOfCodes = match === 'equals' && value.kind === 'text' && value.traits.form === undefined;
  const codes = values.filter(isCode).slice(0, maxCodes);
  if (!isOfCodes || codes.length === 0) return [];
  const asks = [{ by: on, filter, values: codes.flatMap(otherZeros) }];
  const found: Row[] = [];
  for await (const rows of findRecords(lists, { resource, asks, maxPages: 10 }))
    found.push(...rows.filter((row) => codes.some((code) => differInZeros(code, String(row[on])))));
  return found;
}

/** Adds records to `near` whose code differs only in leading zeros, by the value that was searched for. */
export async function noteOtherZeros(
  lists: Lists,
  resource: Resource,
  open: readonly { attempts: readonly { filter: Filter; value: string }[] }[],
  near: Map<string, Row[]>,
): Promise<void> {
  const asked = open.flatMap(({ attempts }) => attempts);
  for (const [filter, own] of Map.groupBy(asked, ({ filter: each }) => each)) {
    const values = filter.name === 'id' ? [] : own.map(({ value }) => value);
    for (const row of await recordsWithOtherZeros(lists, resource, filter, values)) {
      const shown = String(row[filter.on ?? filter.name]);
      for (const value of values)
        if (differInZeros(value, shown)) near.set(value, [...(near.get(value) ?? []), row]);
    }
  }
}

function isCode(text: string): boolean {
  return /^\d+$/.test(text) && text.length <= maxDigits;
}

function withoutZeros(text: string): string {
  return text.replace(/^0+(?=\d)/, '');
}

function otherZeros(text: string): string[] {
  const plain = withoutZeros(text);
  const lengths = Array.from({ length: maxDigits - plain.length + 1 }, (_, more) => plain.length + more);
  return lengths.map((length) => plain.padStart(length, '0')).filter((code) => code !== text);
}
