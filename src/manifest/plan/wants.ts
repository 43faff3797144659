/** Records that are looked for by values of theirs, all those of one kind at a time, in as few requests as the list allows. */

import { findRecords } from '../../bulk/plan/find-records.ts';
import type { Filter } from '../../contract/filter.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure } from '../../errors.ts';
import { isDeleted } from '../../session/list.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declared, plain } from '../declared/declared.ts';

/** A record that has all of these values, however they are written. */
export interface Want {
  /** By the names of answers; of a relation to one record, its id. */
  values: Readonly<Record<string, string>>;
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
  /** Told of every row that is read anyway. */
  onRead?: ((row: Row) => void) | undefined;
  /** As much of a row as is kept of what was found; on account of which declared record, where it was by its key. */
  kept(row: Row, record?: Declared): Row;
}

/** Of what nothing was found for yet. */
export const none: readonly Row[] = [];

/** Values that go in one request. */
const valuesAtATime = 50;

/** Fills in what was found for each want; rows that nobody wants are not kept. Answers whether the whole list was read. */
export async function readWanted(session: Session, wanted: WantedRows): Promise<boolean> {
  const { resource, wants, optional, deletedOnly = false, onEach, onRead, kept } = wanted;
  if (wants.length === 0 && !onEach) return false;
  const index = new WantIndex(resource, wants, kept);
  const meet = (rows: readonly Row[]) => {
    for (const row of rows) {
      if (isDeleted(row) !== deletedOnly) continue;
      onEach?.(row);
      onRead?.(row);
      index.meet(row);
    }
  };
  const list = operation(resource, 'list');
  if (!list) throw new Failure('usage', `${resource.command} can’t be listed, so none can be named.`);
  const asks = onEach ? undefined : asksFor(resource, wants);
  const query = { optional: [...optional] };
  const requests = asks?.reduce((sum, ask) => sum + ask.requests, 0) ?? Number.POSITIVE_INFINITY;
  if (requests > 1) {
    let isWhole = true;
    // Its first page says how long the list is. Some don’t, and are read on where asking can’t be counted.
    const isShort = ({ lastPage }: { lastPage?: number | undefined }) =>
      lastPage === undefined ? asks === undefined : lastPage <= requests;
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
    for await (const rows of findRecords(session, { resource, by, values, optional, deletedOnly }))
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
  values: readonly string[];
  requests: number;
}

/** One list of values for each field that is asked for; undefined where something can’t be asked for at all. */
function asksFor(resource: Resource, wants: readonly Want[]): Ask[] | undefined {
  const fields = new Map<string, Set<string>>();
  const ways = new Map<string, string | undefined>();
  for (const { values } of wants) {
    const names = Object.keys(values);
    const signature = names.join(' ');
    if (!ways.has(signature)) ways.set(signature, askedBy(resource, names));
    const by = ways.get(signature);
    if (by === undefined) return undefined;
    const asked = fields.get(by) ?? new Set();
    fields.set(by, asked.add(values[by] ?? ''));
  }
  return [...fields].map(([by, values]) => ({
    by,
    values: [...values],
    requests: filterOn(resource, by, 'equals') ? Math.ceil(values.size / valuesAtATime) : values.size,
  }));
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
  readonly #resource: Resource;
  readonly #groups: readonly Group[];
  readonly #all: readonly Want[];
  readonly #kept: WantedRows['kept'];

  constructor(resource: Resource, wants: readonly Want[], kept: WantedRows['kept']) {
    this.#resource = resource;
    this.#kept = kept;
    this.#all = wants;
    const groups = new Map<string, Group>();
    for (const want of wants) {
      const signature = `${Object.keys(want.values).join(' ')} ${want.unless ?? ''}`;
      const group = groups.get(signature) ?? {
        names: Object.keys(want.values),
        unless: want.unless,
        wants: new Map(),
      };
      groups.set(signature, group);
      const mark = markOf(group.names, (name) => want.values[name] ?? null) ?? '';
      const other = group.wants.get(mark);
      group.wants.set(mark, other === undefined ? want : [other, want].flat());
    }
    this.#groups = [...groups.values()];
  }

  meet(row: Row): void {
    for (const { names, unless, wants } of this.#groups) {
      if (unless !== undefined && valueIn(row, unless, this.#resource) !== null) continue;
      const mark = markOf(names, (name) => valueIn(row, name, this.#resource));
      const found = mark === undefined ? undefined : wants.get(mark);
      if (found === undefined) continue;
      for (const want of Array.isArray(found) ? found : [found])
        if (!want.found.some(({ id }) => id === row.id))
          want.found = [...want.found, this.#kept(row, want.record)];
    }
  }

  /** What was seen of a list that isn’t read on is read again. */
  forget(): void {
    for (const want of this.#all) want.found = none;
  }
}

/** Mostly there is one field, whose value will do. Undefined where one has none. */
function markOf(names: readonly string[], valueFor: (name: string) => string | null): string | undefined {
  const [first = '', ...others] = names;
  if (others.length === 0) return valueFor(first) ?? undefined;
  const values = names.map(valueFor);
  return values.includes(null) ? undefined : JSON.stringify(values);
}

/** As a want has it; null where the row shows nothing there. */
export function valueIn(row: Row, name: string, resource: Resource): string | null {
  const value = row[name] ?? (resource.fields[name]?.kind === 'one' ? row[`${name}_id`] : undefined);
  const told = isRow(value) ? value.id : value;
  if (told === undefined || told === null || told === '' || typeof told === 'object') return null;
  return plain(told);
}
