/** The rows of a list that have one of many values, in as few requests as the kinds of filter allow. */
import type { Client } from '../client/client.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { keyForm, partToAsk, waysToWrite } from '../contract/key-form.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { usage } from '../errors.ts';
import { isDeleted } from './list.ts';

/** Pages that a look-up reads before it gives up: what matches more is no name. */
const mostPages = 10;

/** Values of one request, and the characters that they may take in its address. */
const mostValues = 100;
const mostCharacters = 4_000;

/** One way to ask: a filter with its value as it goes out. */
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

/** Reads the rows that match attempts, in as few requests as the kinds of filter allow. */
export function rowReader(
  client: Client,
  resource: Resource,
  { deleted, unshown, near }: Search,
): (attempts: readonly Attempt[]) => Promise<Matches> {
  const list = operation(resource, 'list');
  const state = deleted ? { is_deleted: 'true' } : undefined;

  async function* pages(filters: Record<string, string>, include: readonly string[]) {
    if (list) yield* client.pages({ operation: list, query: { filters: { ...filters, ...state }, include } });
  }

  /** Those of the attempts that a row answers to. */
  function keep(matches: Matches, attempts: readonly Attempt[], row: Row): void {
    const isHere = !deleted || isDeleted(row);
    for (const attempt of attempts) {
      if (!isHere) continue;
      if (answers(attempt, row)) matches.set(attempt, [...(matches.get(attempt) ?? []), row]);
      else if (isNear(attempt, row)) near.set(attempt.value, [...(near.get(attempt.value) ?? []), row]);
    }
  }

  /** All of them in one request. What lies beyond the pages that are read could match as well. */
  async function readTogether(matches: Matches, attempts: readonly Attempt[]): Promise<void> {
    const [{ filter } = { filter: undefined }] = attempts;
    if (!filter) return;
    const value = attempts.flatMap((attempt) => waysToAsk(attempt)).join(',');
    let count = 0;
    for await (const { rows } of pages({ [filter.name]: value }, included(filter))) {
      if (count++ >= mostPages) {
        const names = attempts.map((attempt) => `@${attempt.value}`).join(', ');
        throw usage(`${names} is part of too many names.`, { hint: 'Give the id.' });
      }
      if (rows.some((row) => shownBy(filter, row) === undefined)) unshown.add(filter.name);
      for (const row of rows) keep(matches, attempts, row);
    }
  }

  /** Names are matched by a part of them, one a request, unless the whole list takes fewer requests. */
  async function readOneByOne(matches: Matches, attempts: readonly Attempt[]): Promise<void> {
    if (attempts.length > 2 && (await readWholeList(matches, attempts))) return;
    for (const attempt of attempts) await readTogether(matches, [attempt]);
  }

  /** False where the list is longer than that, or doesn't say how long it is. */
  async function readWholeList(matches: Matches, attempts: readonly Attempt[]): Promise<boolean> {
    const rows: Row[] = [];
    for await (const page of pages({}, [])) {
      if (page.lastPage === undefined || page.lastPage >= attempts.length) return false;
      rows.push(...page.rows);
    }
    for (const row of rows) keep(matches, attempts, row);
    return true;
  }

  return async (attempts) => {
    const matches: Matches = new Map();
    for (const group of Object.values(Object.groupBy(attempts, ({ filter }) => filter.name))) {
      const apart = (group ?? []).filter(
        ({ filter, value }) => filter.match !== 'equals' || value.includes(','),
      );
      const batches = batchesOf((group ?? []).filter((attempt) => !apart.includes(attempt)));
      for (const batch of batches) await readTogether(matches, batch);
      await readOneByOne(matches, apart);
    }
    return matches;
  };
}

/** A list that is asked for a whole value knows a record by any way to write it; a part of a text is asked for as it is. */
function waysToAsk({ filter, value }: Attempt): string[] {
  if (filter.match === 'contains') return [partToAsk(filter.value, value)];
  return filter.match === 'equals' && !value.includes(',') ? waysToWrite(filter.value, value) : [value];
}

function batchesOf(attempts: readonly Attempt[]): Attempt[][] {
  const batches: Attempt[][] = [];
  let room = 0;
  for (const attempt of attempts) {
    const length = encodeURIComponent(waysToAsk(attempt).join().toWellFormed()).length + 1;
    const last = batches.at(-1);
    if (last && last.length < mostValues && length <= room) last.push(attempt);
    else batches.push([attempt]);
    room = (last === batches.at(-1) ? room : mostCharacters) - length;
  }
  return batches;
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

/** Whether a row holds a part of what was asked for, as services match names. */
function isNear({ filter, value }: Attempt, row: Row): boolean {
  const shown = shownBy(filter, row);
  return (
    filter.match === 'contains' &&
    typeof shown === 'string' &&
    shown.normalize().toLowerCase().includes(value.normalize().toLowerCase())
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
