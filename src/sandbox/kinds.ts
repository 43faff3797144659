/**
 * Defines in one table how the sandbox handles each kind of value: how it is stored, validated, returned, and parsed
 * from a query. A new kind doesn't compile until it is added here. Nothing here is shared with the client.
 */
import type { Field, Kind } from '../api/contract/field.ts';
import { type BodyField, linkFields, nestedFields } from '../api/contract/operation.ts';
import type { Cell, StoredRow } from '../base/storage/database.ts';
import { formatTimestamp, isDay, isTimestamp, parseTimestamp } from './calendar.ts';
import {
  booleanProblem,
  choiceProblem,
  closeRing,
  dayProblem,
  type EnumerationCheck,
  hourProblem,
  integerProblem,
  listProblems,
  nonEmptyTextProblem,
  numberProblem,
  numericTextProblem,
  objectProblems,
  type Problems,
  ringProblem,
  textProblem,
  timestampProblem,
  toProblems,
  wordProblem,
} from './validation/values.ts';

/** A value in a query; undefined if the text isn't valid for its kind. */
export type QueryValue = string | number | boolean | undefined;

/** The context of the validation of a value. */
export interface BodyCheck extends EnumerationCheck {
  validateObject(fields: readonly BodyField[], value: Readonly<Record<string, unknown>>): Problems;
}

export interface ValueKind {
  /**
   * The storage: a cell, a cell with the ID of another record, or other tables with links or parts of the record.
   */
  storedAs: 'cell' | 'id' | 'links' | 'parts';
  /** SQLite's type; empty if both numbers and text are allowed, so that SQLite converts neither. */
  sqlType: 'TEXT' | 'INTEGER' | 'REAL' | '';
  /** Whether the cell contains JSON. */
  isJson: boolean;
  toCell(value: unknown): Cell;
  fromCell(cell: Cell): unknown;
  /** The cell of a new record without a value. */
  initialCell: Cell;
  /** The value in responses if none was ever set and the API document doesn't allow null. */
  emptyValue(): unknown;
  problems(field: Field, value: unknown, check: BodyCheck): Problems;
  fromQuery(text: string): QueryValue;
}

const plainKind = {
  storedAs: 'cell',
  sqlType: 'TEXT',
  isJson: false as boolean,
  toCell: (value: unknown): Cell => (typeof value === 'number' ? value : String(value)),
  fromCell: (cell: Cell): unknown => cell,
  initialCell: null as Cell,
  emptyValue: (): unknown => null,
  fromQuery: (text: string): QueryValue => text,
} as const;

const jsonKind = {
  ...plainKind,
  isJson: true,
  toCell: (value: unknown): Cell => JSON.stringify(value),
  fromCell: (cell: Cell): unknown => JSON.parse(String(cell)),
} as const;

const listKind = { ...jsonKind, emptyValue: () => [] } as const;
const unwritableKind = { ...plainKind, problems: () => toProblems("can't be written") } as const;
const integerKind = { ...plainKind, sqlType: 'INTEGER', fromQuery: parseQueryInteger } as const;

export const kinds: Readonly<Record<Kind, ValueKind>> = {
  text: { ...plainKind, emptyValue: () => '', problems: (_, value) => toProblems(textProblem(value)) },
  integer: {
    ...integerKind,
    emptyValue: () => 0,
    problems: (field, value) => toProblems(integerProblem(field, value)),
  },
  decimal: {
    ...plainKind,
    sqlType: 'REAL',
    emptyValue: () => 0,
    problems: (field, value) => toProblems(numberProblem(field, value)),
    fromQuery: (text) => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined),
  },
  numeric_text: {
    ...plainKind,
    emptyValue: () => '0',
    problems: (field, value) => toProblems(numericTextProblem(field, value)),
  },
  unit: {
    ...plainKind,
    sqlType: '',
    problems: (field, value) =>
      toProblems(typeof value === 'number' ? integerProblem(field, value) : nonEmptyTextProblem(value)),
  },
  hour: { ...plainKind, sqlType: '', problems: (_, value) => toProblems(hourProblem(value)) },
  boolean: {
    ...plainKind,
    sqlType: 'INTEGER',
    toCell: (value) => (value ? 1 : 0),
    fromCell: (cell) => cell === 1,
    initialCell: 0,
    emptyValue: () => false,
    problems: (_, value) => toProblems(booleanProblem(value)),
    fromQuery: (text) => booleans.get(text),
  },
  date: {
    ...plainKind,
    problems: (_, value) => toProblems(dayProblem(value)),
    fromQuery: (text) => (isDay(text) ? text : undefined),
  },
  timestamp: {
    ...plainKind,
    problems: (_, value) => toProblems(timestampProblem(value)),
    // A day means its first second.
    fromQuery: (text) =>
      isTimestamp(text) || isDay(text) ? formatTimestamp(parseTimestamp(text)) : undefined,
  },
  choice: {
    ...integerKind,
    problems: (field, value, check) => toProblems(choiceProblem(field, value, check)),
  },
  words: {
    ...listKind,
    problems: (field, value, check) =>
      listProblems(value, (item) => toProblems(wordProblem(field, item, check))),
  },
  integers: {
    ...listKind,
    problems: (field, value, check) =>
      listProblems(value, (item) => toProblems(listItemProblem(field, item, check))),
    fromQuery: parseQueryInteger,
  },
  ids: { ...listKind, problems: (_, value) => listProblems(value, (item) => toProblems(textProblem(item))) },
  ring: {
    ...jsonKind,
    toCell: (value) => JSON.stringify(closeRing(value)),
    problems: (_, value) => toProblems(ringProblem(value)),
  },
  one: { ...plainKind, storedAs: 'id', problems: (_, value) => toProblems(textProblem(value)) },
  many: {
    ...unwritableKind,
    storedAs: 'links',
    problems: (field, value, check) =>
      listProblems(value, (item) => objectProblems(item, (link) => linkProblems(field, link, check))),
  },
  object: { ...jsonKind, problems: unwritableKind.problems },
  objects: {
    ...unwritableKind,
    storedAs: 'parts',
    problems: (field, value, { validateObject }) =>
      listProblems(value, (item) =>
        objectProblems(item, (part) => validateObject(nestedFields(field), part)),
      ),
  },
};

/** Validates a link: `{id}`, or for example `{id, quantity}` if the link has data. */
function linkProblems(
  field: Field,
  link: Readonly<Record<string, unknown>>,
  { validateObject }: BodyCheck,
): Problems {
  const { id, ...pivot } = link;
  return [...toProblems(textProblem(id), '.id'), ...validateObject(linkFields(field), pivot)];
}

function listItemProblem(field: Field, item: unknown, check: BodyCheck): string | undefined {
  return field.traits.allowsOtherNumbers
    ? integerProblem(field, item)
    : choiceProblem(field, item, { ...check, isNew: false });
}

function parseQueryInteger(text: string): QueryValue {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The cells to write, by the name of the column. */
export type Cells = StoredRow;

export function toCell({ kind }: Field, value: unknown): Cell {
  return value === null || value === undefined ? null : kinds[kind].toCell(value);
}

/**
 * Returns the value of a cell for a response. A field that was never set gets the empty value of its kind, unless the
 * API document allows null.
 */
export function fromCell(field: Field, cell: Cell | undefined): unknown {
  return fromCells(field, [cell])[0];
}

/** Returns the values of many cells of one field, like `fromCell`. Throws `DamagedCell` for an invalid cell. */
export function fromCells({ kind, traits }: Field, cells: readonly (Cell | undefined)[]): unknown[] {
  const { fromCell, emptyValue } = kinds[kind];
  const { nullable, secret } = traits;
  try {
    return cells.map((cell) => {
      if (cell === null || cell === undefined) return nullable ? null : emptyValue();
      return secret ? '****' : fromCell(cell);
    });
  } catch (cause) {
    throw new DamagedCell(`A cell of kind ${kind} has an invalid value.`, { cause });
  }
}

/** Returns the text of a cell without case differences. SQLite's own functions only support ASCII letters. */
export function fold(cell: Cell | undefined): string {
  return String(cell ?? '')
    .normalize('NFC')
    .toLowerCase();
}

/** Thrown for a cell with content that boh can't have written. */
export class DamagedCell extends Error {}
