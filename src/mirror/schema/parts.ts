/** The columns that a record’s own fields make, what each reads from an answer, and what no column holds, as JSON. */
import { isObject } from '../../base/number-text.ts';
import type { Api } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { maskOfAll } from '../../contract/secret-mask.ts';
import { type Converted, misfit, scalars, textCell } from './cell.ts';
import type { Cell, Column } from './table.ts';

type Row = Record<string, unknown>;

export interface Part {
  column: Column;
  /** The names in an answer that it speaks for. */
  names: readonly string[];
  /** The mirror leaves it out. */
  isHidden?: true;
  /** What fits no column goes into `misfits`, by its name. */
  read(record: Row, misfits: Row): Cell;
}

/** Of single values, relations to one record, and the fields inside of objects; lists have tables of their own. */
export function scalarParts(fields: Fields, isHidden: (path: string) => boolean, prefix = ''): Part[] {
  return Object.entries(fields).flatMap(([name, field]): Part[] => {
    const { secret, writeOnly, fields: inside } = field.traits;
    if (secret || writeOnly) return [];
    const path = `${prefix}${name}`;
    if (field.kind === 'object') {
      return scalarParts(inside ?? {}, isHidden, `${path}.`).map((part) => within(name, part));
    }
    const part = field.kind === 'one' ? relationPart(name, field) : valuePart(name, field);
    if (!part) return [];
    return [isHidden(path) ? { ...part, isHidden: true } : part];
  });
}

function valuePart(name: string, field: Field): Part | undefined {
  const scalar = scalars[field.kind];
  if (!scalar) return undefined;
  const { type, convert } = scalar;
  const column = { name, type, about: aboutOf(field), words: field.traits.words };
  return {
    column,
    names: [name],
    read: (record, misfits) => {
      const cell = convert(record[name]);
      if (cell !== misfit) return cell;
      misfits[name] = record[name];
      return null;
    },
  };
}

/** An answer shows the related record, or its id alone under the name that requests have for it. */
function relationPart(name: string, field: Field): Part {
  const own = `${name}_id`;
  return {
    column: { name: own, type: 'text', about: `${aboutOf(field)}: its id` },
    names: [name, own],
    read: (record, misfits) => {
      const related = record[name];
      const cell: Converted = isObject(related)
        ? textCell(related.id)
        : textCell(related === undefined ? record[own] : related);
      if (cell !== misfit) return cell;
      misfits[name] = related;
      return null;
    },
  };
}

/** `licenses.kds` is the column `licenses_kds`. */
function within(name: string, part: Part): Part {
  return {
    column: { ...part.column, name: `${name}_${part.column.name}` },
    names: [name],
    ...(part.isHidden && { isHidden: true }),
    read: (record, misfits) => {
      const inner = record[name];
      if (isObject(inner)) return part.read(inner, misfits);
      if (inner !== null && inner !== undefined) misfits[name] = inner;
      return null;
    },
  };
}

/** The names in an answer that something stands for. */
export function knownNames(fields: Fields, parts: readonly Part[]): ReadonlySet<string> {
  return new Set([...Object.keys(fields), ...parts.flatMap(({ names }) => names), 'pivot']);
}

/** Those that the mirror leaves out. */
export function hiddenColumns(parts: readonly Part[]): string[] {
  return parts.filter(({ isHidden }) => isHidden).map(({ column }) => column.name);
}

/** With the unit of a number. */
export function aboutOf({ traits: { about = '', unit } }: Field): string {
  return unit === undefined ? about : `${about}; in ${unit}`;
}

export function snakeCase(name: string): string {
  return name.replaceAll(/[- ]/g, '_');
}

/** Names in records, by what is odd about them. */
export interface Met {
  /** Nothing stands for them. */
  unknown: Set<string>;
  /** There is a column or a table, and some value that is none for it. */
  unfit: Set<string>;
}

export function newMet(): Met {
  return { unknown: new Set(), unfit: new Set() };
}

/**
 * Returns a function that reads a cell for each part of a record, and one more: what the record shows beyond the parts and
 * the `known` names, with what fits nowhere, as JSON; null where there is nothing. What fits no column goes into
 * `misfits`, where what fits no table may be already; the names of both are added to `met`.
 */
export function cellReader(
  parts: readonly Part[],
  known: ReadonlySet<string>,
  api: Api,
  met: Met = newMet(),
): (record: Row, misfits: Row) => Cell[] {
  // A service may show what it should not: no secret gets into a copy.
  const covered = maskOfAll(api);
  const places = placesOf(parts, known);
  return (record, misfits) => {
    const cells: Cell[] = parts.map(() => null);
    const unknown: [name: string, value: unknown][] = [];
    for (const name in record) {
      const read = places.get(name);
      if (read) for (const at of read) cells[at] = parts[at]?.read(record, misfits) ?? null;
      else unknown.push([name, record[name]]);
    }
    for (const name in misfits) met.unfit.add(name);
    for (const [name] of unknown) met.unknown.add(name);
    // Made of entries, as a field may be called `__proto__`.
    const others = { ...misfits, ...Object.fromEntries(unknown) };
    cells.push(Object.keys(others).length === 0 ? null : JSON.stringify(covered(others)));
    return cells;
  };
}

/** The parts that each name in a record has to do with, by their places; none for a name that something else stands for. */
function placesOf(parts: readonly Part[], known: ReadonlySet<string>): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>([...known].map((name) => [name, []]));
  for (const [at, { names, isHidden }] of parts.entries()) {
    for (const name of names) places.set(name, [...(places.get(name) ?? []), ...(isHidden ? [] : [at])]);
  }
  return places;
}
