/**
 * Defines in one table what the sandbox does with each kind of value: how it is stored, validated, returned, and read
 * from a query. A new kind doesn't compile until it is added here. Nothing here is shared with the client.
 */
import type { Field, Kind } from '../contract/field.ts';
import { type BodyField, linkFields, nestedFields } from '../contract/operation.ts';
import type { Cell } from '../storage/database.ts';
import { isDay, isMoment, readMoment, writeMoment } from './calendar.ts';
import {
  booleanProblem,
  choiceProblem,
  closedRing,
  dayProblem,
  filledTextProblem,
  hourProblem,
  integerProblem,
  listProblems,
  momentProblem,
  numberProblem,
  numericTextProblem,
  objectProblems,
  ownProblem,
  type Problems,
  ringProblem,
  textProblem,
  wordProblem,
} from './validation/values.ts';

/** A value in a query; undefined if the text isn't valid for its kind. */
export type QueryValue = string | number | boolean | undefined;

/** What the validation of a value needs to know about the body. */
export interface BodyCheck {
  /** Whether the record is new: some values are only allowed for existing records. */
  isNew: boolean;
  /** Validates the fields of an object within the body. */
  object(fields: readonly BodyField[], value: Readonly<Record<string, unknown>>): Problems;
}

/** How values of one kind are handled. */
export interface KindOfValue {
  /**
   * Where it is stored: in a cell, as the id of another record in a cell, or in other tables, as links or as parts of
   * the record.
   */
  storedAs: 'cell' | 'id' | 'links' | 'parts';
  /** SQLite's type; empty if both numbers and text are allowed, so that SQLite converts neither. */
  column: 'TEXT' | 'INTEGER' | 'REAL' | '';
  /** Whether the cell contains JSON. */
  isJson: boolean;
  toCell(value: unknown): Cell;
  fromCell(cell: Cell): unknown;
  /** The cell of a new record that has no value for it. */
  initial: Cell;
  /** The value to return if none was ever given and the document doesn't allow null. */
  empty(): unknown;
  problems(field: Field, value: unknown, check: BodyCheck): Problems;
  fromQuery(text: string): QueryValue;
}

const plain = {
  storedAs: 'cell',
  column: 'TEXT',
  isJson: false as boolean,
  toCell: (value: unknown): Cell => (typeof value === 'number' ? value : String(value)),
  fromCell: (cell: Cell): unknown => cell,
  initial: null as Cell,
  empty: (): unknown => null,
  fromQuery: (text: string): QueryValue => text,
} as const;

const structure = {
  ...plain,
  isJson: true,
  toCell: (value: unknown): Cell => JSON.stringify(value),
  fromCell: (cell: Cell): unknown => JSON.parse(String(cell)),
} as const;

const list = { ...structure, empty: () => [] } as const;
const separate = { ...plain, problems: () => ownProblem("can't be written") } as const;
const integer = { ...plain, column: 'INTEGER', fromQuery: integerIn } as const;

/** The behavior of each kind. */
export const kinds: Readonly<Record<Kind, KindOfValue>> = {
  text: { ...plain, empty: () => '', problems: (_, value) => ownProblem(textProblem(value)) },
  integer: {
    ...integer,
    empty: () => 0,
    problems: (field, value) => ownProblem(integerProblem(field, value)),
  },
  decimal: {
    ...plain,
    column: 'REAL',
    empty: () => 0,
    problems: (field, value) => ownProblem(numberProblem(field, value)),
    fromQuery: (text) => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined),
  },
  numeric_text: {
    ...plain,
    empty: () => '0',
    problems: (field, value) => ownProblem(numericTextProblem(field, value)),
  },
  unit: {
    ...plain,
    column: '',
    problems: (field, value) =>
      ownProblem(typeof value === 'number' ? integerProblem(field, value) : filledTextProblem(value)),
  },
  hour: { ...plain, column: '', problems: (_, value) => ownProblem(hourProblem(value)) },
  boolean: {
    ...plain,
    column: 'INTEGER',
    toCell: (value) => (value ? 1 : 0),
    fromCell: (cell) => cell === 1,
    initial: 0,
    empty: () => false,
    problems: (_, value) => ownProblem(booleanProblem(value)),
    fromQuery: (text) => booleans.get(text),
  },
  date: {
    ...plain,
    problems: (_, value) => ownProblem(dayProblem(value)),
    fromQuery: (text) => (isDay(text) ? text : undefined),
  },
  timestamp: {
    ...plain,
    problems: (_, value) => ownProblem(momentProblem(value)),
    // A day stands for its first moment.
    fromQuery: (text) => (isMoment(text) || isDay(text) ? writeMoment(readMoment(text)) : undefined),
  },
  choice: {
    ...integer,
    problems: (field, value, { isNew }) => ownProblem(choiceProblem(field, value, isNew)),
  },
  words: {
    ...list,
    problems: (field, value) => listProblems(value, (item) => ownProblem(wordProblem(field, item))),
  },
  integers: {
    ...list,
    problems: (field, value) => listProblems(value, (item) => ownProblem(memberProblem(field, item))),
    fromQuery: integerIn,
  },
  ids: { ...list, problems: (_, value) => listProblems(value, (item) => ownProblem(textProblem(item))) },
  ring: {
    ...structure,
    toCell: (value) => JSON.stringify(closedRing(value)),
    problems: (_, value) => ownProblem(ringProblem(value)),
  },
  one: { ...plain, storedAs: 'id', problems: (_, value) => ownProblem(textProblem(value)) },
  many: {
    ...separate,
    storedAs: 'links',
    problems: (field, value, check) =>
      listProblems(value, (item) => objectProblems(item, (link) => linkProblems(field, link, check))),
  },
  object: { ...structure, problems: separate.problems },
  objects: {
    ...separate,
    storedAs: 'parts',
    problems: (field, value, { object }) =>
      listProblems(value, (item) => objectProblems(item, (part) => object(nestedFields(field), part))),
  },
};

/** Validates a link: `{id}`, or `{id, quantity}` if the link has data of its own. */
function linkProblems(
  field: Field,
  link: Readonly<Record<string, unknown>>,
  { object }: BodyCheck,
): Problems {
  const { id, ...held } = link;
  return [...ownProblem(textProblem(id), '.id'), ...object(linkFields(field), held)];
}

function memberProblem(field: Field, item: unknown): string | undefined {
  return field.traits.open ? integerProblem(field, item) : choiceProblem(field, item, false);
}

function integerIn(text: string): QueryValue {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
