/** Records that are looked for by values of theirs, all those of one kind at a time, in as few requests as the list allows. */

import { findRecords, fitsAddress } from '../../bulk/plan/find-records.ts';
import type { Filter } from '../../contract/filter.ts';
import { waysToWrite } from '../../contract/key-form.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure } from '../../errors.ts';
import { isDeleted } from '../../session/list.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declared, formOf } from '../declared/declared.ts';

/** A record that has all of these values, however they are written. */
export interface Want {
  /** Of fields, as answers call them; of none without a value. */
  names: readonly string[];
  /** Theirs, in the form of keys; of a relation to one record, its id. */
  values: readonly string[];
  /** The same as they are written, where one of them is written otherwise. */
  written?: readonly string[] | undefined;
  /** Only rows that show nothing in this field are meant. */
  unless?: string;
  /** Which one this is the key of. */
  record?: Declared | undefined;
  found: readonly Row[];
}

export interface WantedRows {
  resource: Resource;
  wants: readonly Want[];
  /** Relations that the rows have to show where the token may see them. */
  optional: readonly string[];
  deletedOnly?: boolean;
  /** Told of every row of the list: it is read whole then. */
  onEach?: ((row: Row) => void) | undefined;
  /** Told of every row that is read anyway, and whether anything was looked for that it has. */
  onRead?: ((row: Row, isWanted: boolean) => void) | undefined;
  /** As much of a row as is kept of what was found; on account of which declared record, where it was by its key. */
  kept(row: Row, record?: Declared): Row;
}

/** Of what nothing was found for yet. */
export const none: readonly Row[] = [];

/** Values that go in one request. */
const valuesAtATime = 50;

/**
 * Pages of the list that are read in the time of one request for so many values: a long address has to be made, sent and
 * looked up, and none of them is asked for ahead.
 */
const worthOfAsk = 1.25;

/** Fills in what was found for each want; rows that nobody wants are not kept. Answers whether the whole list was read. */
export async function readWanted(session: Session, wanted: WantedRows): Promise<boolean> {
  const { resource, wants, optional, deletedOnly = false, onEach, onRead, kept } = wanted;
  if (wants.length === 0 && !onEach) return false;
  const index = new WantIndex(resource, wants, kept);
  const meet = (rows: readonly Row[]) => {
    for (const row of rows) {
      if (isDeleted(row) !== deletedOnly) continue;
      onEach?.(row);
      const isWanted = index.meet(row);
      onRead?.(row, isWanted);
    }
  };
  const list = operation(resource, 'list');
  if (!list) throw new Failure('usage', `${resource.command} can’t be listed, so none can be named.`);
  const asks = onEach ? undefined : asksFor(resource, index.groups);
  const query = { optional: [...optional] };
  const requests = asks?.reduce((sum, ask) => sum + ask.requests, 0) ?? Number.POSITIVE_INFINITY;
  if (requests > 1) {
    let isWhole = true;
    // Its first page says how long the list is. Some don’t, and are read on where asking can’t be counted.
    const isShort = ({ lastPage }: { lastPage?: number | undefined }) =>
      lastPage === undefined ? asks === undefined : lastPage <= requests * worthOfAsk;
    const reach = { deletedOnly, isWanted: isShort };
    for await (const page of session.list({ operation: list, query }, reach).pages()) {
      meet(page.rows);
      if (page.number > 1 || isShort(page)) continue;
      isWhole = false;
      break;
    }
    if (isWhole) return true;
    index.forget();
  }
  for (const { by, values } of asks ?? []) {
    for await (const rows of findRecords(session, {
      resource,
      by,
      values: [...values.keys()],
      optional,
      deletedOnly,
    }))
      meet(rows);
  }
  return false;
}

/** The same among rows that were read before. */
export function meetWants(resource: Resource, wants: readonly Want[], rows: readonly Row[]): void {
  const index = new WantIndex(resource, wants, (row) => row);
  for (const row of rows) index.meet(row);
}

interface Ask {
  by: string;
  values: Distinct;
  requests: number;
}

/** A `Set`, or the keys of a `Map`. */
interface Distinct {
  readonly size: number;
  keys(): Iterable<string>;
}

/** One list of values for each field that is asked for; undefined where something can’t be asked for at all. */
function asksFor(resource: Resource, groups: readonly Group[]): Ask[] | undefined {
  const fields = new Map<string, Distinct>();
  for (const { names, wants } of groups) {
    const by = askedBy(resource, names);
    if (by === undefined) return undefined;
    const values = valuesAt(resource, names, by, wants);
    const known = fields.get(by);
    fields.set(by, known ? new Set([...known.keys(), ...values.keys()]) : values);
  }
  for (const values of fields.values())
    for (const value of values.keys()) if (!fitsAddress(value)) return undefined;
  return [...fields].map(([by, values]) => ({
    by,
    values,
    requests: filterOn(resource, by, 'equals') ? Math.ceil(values.size / valuesAtATime) : values.size,
  }));
}

/** A list that is asked for whole values knows a record by the way in which it was written alone. */
function valuesAt(resource: Resource, names: readonly string[], by: string, wants: Group['wants']): Distinct {
  const all = [...wants.values()].flat();
  const isExact = filterOn(resource, by, 'equals') !== undefined;
  const isWritten = isExact && all.some(({ written }) => written !== undefined);
  if (names.length === 1 && !isWritten) return wants;
  const at = names.indexOf(by);
  return new Set(
    all.flatMap(({ values, written }) => {
      const value = values[at] ?? '';
      const other = isExact ? written?.[at] : undefined;
      return other === undefined ? [value] : [value, ...waysToWrite(resource.fields[by], other)];
    }),
  );
}

function askedBy(resource: Resource, names: readonly string[]): string | undefined {
  return (
    names.find((name) => filterOn(resource, name, 'equals')) ??
    names.find((name) => filterOn(resource, name, 'contains'))
  );
}

function filterOn({ filters }: Resource, name: string, kind: Filter['match']): Filter | undefined {
  return filters.find(({ on, match }) => on === name && match === kind);
}

/** Wants for the same fields, by their values. */
interface Group {
  names: readonly string[];
  unless: string | undefined;
  wants: Map<string, Want | Want[]>;
}

class WantIndex {
  readonly groups: readonly Group[];
  readonly #resource: Resource;
  readonly #all: readonly Want[];
  readonly #kept: WantedRows['kept'];

  constructor(resource: Resource, wants: readonly Want[], kept: WantedRows['kept']) {
    this.#resource = resource;
    this.#kept = kept;
    this.#all = wants;
    this.groups = groupsOf(wants);
  }

  meet(row: Row): boolean {
    let isWanted = false;
    for (const { names, unless, wants } of this.groups) {
      if (unless !== undefined && valueIn(row, unless, this.#resource) !== null) continue;
      const mark = this.#markOf(row, names);
      const found = mark === null ? undefined : wants.get(mark);
      if (found === undefined) continue;
      isWanted = true;
      if (Array.isArray(found)) for (const want of found) this.#take(want, row);
      else this.#take(found, row);
    }
    return isWanted;
  }

  /** What was seen of a list that isn’t read on is read again. */
  forget(): void {
    for (const want of this.#all) want.found = none;
  }

  #take(want: Want, row: Row): void {
    if (want.found.length === 0) want.found = [this.#kept(row, want.record)];
    else if (!want.found.some(({ id }) => id === row.id))
      want.found = [...want.found, this.#kept(row, want.record)];
  }

  /** Null where one of the fields shows nothing. */
  #markOf(row: Row, names: readonly string[]): string | null {
    const [first = ''] = names;
    if (names.length === 1) return formIn(row, first, this.#resource);
    const values = names.map((name) => formIn(row, name, this.#resource));
    return values.includes(null) ? null : JSON.stringify(values);
  }
}

function groupsOf(wants: readonly Want[]): Group[] {
  const groups = new Map<string, Group>();
  let [group, names]: [Group | undefined, Want['names'] | undefined] = [undefined, undefined];
  for (const want of wants) {
    // One list of names for very many, mostly.
    if (!group || want.names !== names || want.unless !== group.unless) {
      names = want.names;
      const signature = JSON.stringify([names, want.unless]);
      group = groups.get(signature) ?? { names, unless: want.unless, wants: new Map() };
      groups.set(signature, group);
    }
    const [first = ''] = want.values;
    const mark = want.values.length === 1 ? first : JSON.stringify(want.values);
    const other = group.wants.get(mark);
    if (Array.isArray(other)) other.push(want);
    else group.wants.set(mark, other === undefined ? want : [other, want]);
  }
  return [...groups.values()];
}

/** In the form of a want; null where the row shows nothing there. */
export function formIn(row: Row, name: string, resource: Resource): string | null {
  const value = valueIn(row, name, resource);
  return value === null ? null : formOf(resource, name, value);
}

/** As it is written; null where the row shows nothing there. */
export function valueIn(row: Row, name: string, resource: Resource): string | null {
  const value = row[name] ?? (resource.fields[name]?.kind === 'one' ? row[`${name}_id`] : undefined);
  const told = isRow(value) ? value.id : value;
  if (told === undefined || told === null || told === '' || typeof told === 'object') return null;
  return String(told);
}
