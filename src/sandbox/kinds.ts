/**
 * All that the sandbox does by the kind of a value, in one table: how it is kept, checked, answered and read from a
 * query. A new kind doesn't compile until it stands here. None of it is shared with the client.
 */
import type { Field, Kind } from '../contract/field.ts';
import { type BodyField, linkFields, nestedFields } from '../contract/operation.ts';
import type { Cell } from '../storage/database.ts';
import { isDay, isMoment, readMoment, writeMoment } from './calendar.ts';
import { closedRing, ringProblem } from './validation/ring.ts';
import {
  booleanProblem,
  choiceProblem,
  dayProblem,
  filledTextProblem,
  hourProblem,
  integerProblem,
  listProblems,
  momentProblem,
  numberProblem,
  numericTextProblem,
  objectProblems,
  own,
  type Problems,
  textProblem,
  wordProblem,
} from './validation/values.ts';

/** What a value of a query can be; undefined where the text is none of the kind. */
export type QueryValue = string | number | boolean | undefined;

/** How a body is checked from here on down. */
export interface Check {
  /** A new record may be held to fewer values than an existing one. */
  isNew: boolean;
  /** The fields of an object within the body. */
  object(fields: readonly BodyField[], value: Readonly<Record<string, unknown>>): Problems;
}

export interface KindOfValue {
  /** In a cell; as the id of another record in a cell; or in tables beside its own, as links to others or parts of itself. */
  kept: 'cell' | 'id' | 'links' | 'parts';
  /** SQLite's type; none where numbers and text may both stand, so that it changes neither. */
  column: 'TEXT' | 'INTEGER' | 'REAL' | '';
  /** Whether cells hold it as JSON. */
  isJson: boolean;
  toCell(value: unknown): Cell;
  fromCell(cell: Cell): unknown;
  /** What a new record holds of what it was not given. */
  initial: Cell;
  /** What is answered where nothing was ever given, and the document allows no null. */
  empty(): unknown;
  problems(field: Field, value: unknown, check: Check): Problems;
  fromQuery(text: string): QueryValue;
}

const plain = {
  kept: 'cell',
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
const beside = { ...plain, problems: () => own("can't be written") } as const;
const whole = { ...plain, column: 'INTEGER', fromQuery: wholeNumber } as const;

export const kinds: Readonly<Record<Kind, KindOfValue>> = {
  text: { ...plain, empty: () => '', problems: (_, value) => own(textProblem(value)) },
  integer: { ...whole, empty: () => 0, problems: (field, value) => own(integerProblem(field, value)) },
  decimal: {
    ...plain,
    column: 'REAL',
    empty: () => 0,
    problems: (field, value) => own(numberProblem(field, value)),
    fromQuery: (text) => (/^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined),
  },
  numeric_text: {
    ...plain,
    empty: () => '0',
    problems: (field, value) => own(numericTextProblem(field, value)),
  },
  unit: {
    ...plain,
    column: '',
    problems: (field, value) =>
      own(typeof value === 'number' ? integerProblem(field, value) : filledTextProblem(value)),
  },
  hour: { ...plain, column: '', problems: (_, value) => own(hourProblem(value)) },
  boolean: {
    ...plain,
    column: 'INTEGER',
    toCell: (value) => (value ? 1 : 0),
    fromCell: (cell) => cell === 1,
    initial: 0,
    empty: () => false,
    problems: (_, value) => own(booleanProblem(value)),
    fromQuery: (text) => booleans.get(text),
  },
  date: {
    ...plain,
    problems: (_, value) => own(dayProblem(value)),
    fromQuery: (text) => (isDay(text) ? text : undefined),
  },
  timestamp: {
    ...plain,
    problems: (_, value) => own(momentProblem(value)),
    // A day may stand for its first moment.
    fromQuery: (text) => (isMoment(text) || isDay(text) ? writeMoment(readMoment(text)) : undefined),
  },
  choice: { ...whole, problems: (field, value, { isNew }) => own(choiceProblem(field, value, isNew)) },
  words: {
    ...list,
    problems: (field, value) => listProblems(value, (item) => own(wordProblem(field, item))),
  },
  integers: {
    ...list,
    problems: (field, value) => listProblems(value, (item) => own(memberProblem(field, item))),
    fromQuery: wholeNumber,
  },
  ids: { ...list, problems: (_, value) => listProblems(value, (item) => own(textProblem(item))) },
  ring: {
    ...structure,
    toCell: (value) => JSON.stringify(closedRing(value)),
    problems: (_, value) => own(ringProblem(value)),
  },
  one: { ...plain, kept: 'id', problems: (_, value) => own(textProblem(value)) },
  many: {
    ...beside,
    kept: 'links',
    problems: (field, value, check) =>
      listProblems(value, (item) => objectProblems(item, (link) => linkProblems(field, link, check))),
  },
  object: { ...structure, problems: beside.problems },
  objects: {
    ...beside,
    kept: 'parts',
    problems: (field, value, { object }) =>
      listProblems(value, (item) => objectProblems(item, (part) => object(nestedFields(field), part))),
  },
};

/** `{id}`, or `{id, quantity}` where the link itself holds something. */
function linkProblems(field: Field, link: Readonly<Record<string, unknown>>, { object }: Check): Problems {
  const { id, ...held } = link;
  return [...own(textProblem(id), '.id'), ...object(linkFields(field), held)];
}

function memberProblem(field: Field, item: unknown): string | undefined {
  return field.traits.open ? integerProblem(field, item) : choiceProblem(field, item, false);
}

function wholeNumber(text: string): QueryValue {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
