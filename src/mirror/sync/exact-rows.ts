/** Numbers as the service wrote them: `19.90` is not `19.9` to somebody who checks a price list. */
import type { Row } from '../../session/row.ts';

/** A number with the digits that it was written with. */
class Written extends Number {
  readonly #source: string;

  constructor(source: string) {
    super(source);
    this.#source = source;
  }

  override toString(): string {
    return this.#source;
  }

  toJSON(): unknown {
    return rawJson(this.#source);
  }
}

/** In every Node that boh runs on; TypeScript's own declarations don't have it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** Zeros at the end of a fraction: nothing else is written otherwise than JavaScript would. */
const endsInZero = /\d\.\d*0[\s,}\]]/;

/** The same rows, from the body that they came in where that says more of their numbers. */
export function exactRows(rows: readonly Row[], body: string): readonly Row[] {
  if (!endsInZero.test(body)) return rows;
  const written = new Map(
    recordsIn(JSON.parse(body, asWritten)).map((record) => [String(record.id), record]),
  );
  return rows.map((row) => written.get(String(row.id)) ?? row);
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && String(value) !== source ? new Written(source) : value;
}

/** Whatever stands around them. */
function recordsIn(body: unknown): Row[] {
  const lists = [body, ...(isRow(body) ? Object.values(body) : [])].filter(Array.isArray);
  return lists.flat().filter(isRow);
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}
