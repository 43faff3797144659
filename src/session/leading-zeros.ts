/** Finds codes that differ only in leading zeros, which spreadsheets remove: 00003 becomes 3. */

import type { Row } from '../client/shape.ts';
import type { Filter } from '../contract/filter.ts';
import type { Resource } from '../contract/resource.ts';
import { findRecords } from './find-records.ts';
import type { Lists } from './list.ts';

/** The maximum number of digits of a code to search for with other leading zeros. */
const maxDigits = 12;

/** The maximum number of codes to search for. Each is searched for in up to a dozen spellings. */
const maxCodes = 20;

/** Returns whether two codes differ only in their leading zeros. */
export function differOnlyInLeadingZeros(a: string, b: string): boolean {
  return a !== b && isCode(a) && isCode(b) && withoutZeros(a) === withoutZeros(b);
}

/** Returns records whose code in a field differs from one of the values only in leading zeros. */
export async function findWithOtherZeros(
  lists: Lists,
  resource: Resource,
  filter: Filter,
  values: readonly string[],
): Promise<Row[]> {
  const { on = filter.name, match, value } = filter;
  const hasCodes =
    match === 'equals' && value.kind === 'text' && [undefined, 'code'].includes(value.traits.form);
  const codes = values.filter(isCode).slice(0, maxCodes);
  if (!hasCodes || codes.length === 0) return [];
  const searches = [{ by: on, filter, values: codes.flatMap(spellingsOf) }];
  const matches: Row[] = [];
  for await (const rows of findRecords(lists, { resource, searches, maxPages: 10 }))
    matches.push(
      ...rows.filter((row) => codes.some((code) => differOnlyInLeadingZeros(code, String(row[on])))),
    );
  return matches;
}

/** Adds records whose code differs only in leading zeros to `similar`, by the value that was searched for. */
export async function addMatchesWithOtherZeros(
  lists: Lists,
  resource: Resource,
  lookups: readonly { attempts: readonly { filter: Filter; value: string }[] }[],
  similar: Map<string, Row[]>,
): Promise<void> {
  const attempts = lookups.flatMap(({ attempts }) => attempts);
  for (const [filter, attemptsOfFilter] of Map.groupBy(attempts, ({ filter }) => filter)) {
    const values = filter.name === 'id' ? [] : attemptsOfFilter.map(({ value }) => value);
    for (const row of await findWithOtherZeros(lists, resource, filter, values)) {
      const code = String(row[filter.on ?? filter.name]);
      for (const value of values)
        if (differOnlyInLeadingZeros(value, code)) similar.set(value, [...(similar.get(value) ?? []), row]);
    }
  }
}

function isCode(text: string): boolean {
  return /^\d+$/.test(text) && text.length <= maxDigits;
}

function withoutZeros(text: string): string {
  return text.replace(/^0+(?=\d)/, '');
}

function spellingsOf(text: string): string[] {
  const withoutPadding = withoutZeros(text);
  const lengths = Array.from(
    { length: maxDigits - withoutPadding.length + 1 },
    (_, extraDigits) => withoutPadding.length + extraDigits,
  );
  return lengths.map((length) => withoutPadding.padStart(length, '0')).filter((code) => code !== text);
}
