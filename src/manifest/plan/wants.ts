/** Records that are looked for by values of theirs, all those of one kind at a time, in as few requests as the list allows. */

import { withCallingCode } from '../../contract/phone-form.ts';
import type { Resource } from '../../contract/resource.ts';
import { isScalar } from '../../number-text.ts';
import { findRecords } from '../../session/find-records.ts';
import { isDeleted } from '../../session/list.ts';
import { type Ask, askedBy } from '../../session/questions.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Declared, formOf, givenValue } from '../declared/declared.ts';

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
  let isWhole = false;
  for await (const rows of findRecords(session, {
    resource,
    asks: asksFor(resource, index.groups),
    optional,
    deletedOnly,
    isWhole: onEach !== undefined,
    onWhole: () => {
      isWhole = true;
    },
  }))
    meet(rows);
  return isWhole;
}

/** The same among rows that were read before. */
export function meetWants(resource: Resource, wants: readonly Want[], rows: readonly Row[]): void {
  const index = new WantIndex(resource, wants, (row) => row);
  for (const row of rows) index.meet(row);
}

/** One list of values for each field that is asked for. */
function asksFor(resource: Resource, groups: readonly Group[]): Ask[] {
  const byField = new Map<string, Set<string>>();
  for (const { names, wants } of groups) {
    const by = askedBy(resource, names) ?? '';
    const at = names.indexOf(by);
    const values = byField.get(by) ?? new Set<string>();
    byField.set(by, values);
    const { form, dialCode } = resource.fields[by]?.traits ?? {};
    for (const want of [...wants.values()].flat()) {
      const text = (want.written ?? want.values)[at] ?? '';
      values.add(text);
      if (form !== 'phone' || dialCode === undefined || !want.record) continue;
      for (const other of withCallingCode(text, givenValue(want.record, dialCode))) values.add(other);
    }
  }
  return [...byField].map(([by, values]) => ({ by, values }));
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
  readonly #kept: WantedRows['kept'];

  constructor(resource: Resource, wants: readonly Want[], kept: WantedRows['kept']) {
    this.#resource = resource;
    this.#kept = kept;
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
  if (told === undefined || told === null || told === '' || !isScalar(told)) return null;
  return String(told);
}
