/** Reads JSON that boh wrote into a cell, and checks its shape. */
import { parseExactJson } from '../number-text.ts';
import type { Cell, Database } from './database.ts';

/** Returns whether a value has the shape that boh writes. */
export type ShapeCheck<Value> = (value: unknown) => value is Value;

/**
 * Returns the JSON value of a cell. Throws the failure for a damaged file if it isn't valid JSON of the expected shape.
 */
export function parseJsonCell<Value>(
  cell: Cell | undefined,
  database: Database,
  isValid: ShapeCheck<Value>,
): Value {
  let value: unknown;
  try {
    value = parseExactJson(String(cell));
  } catch (cause) {
    throw database.damagedFailure(cause);
  }
  if (!isValid(value)) throw database.damagedFailure();
  return value;
}
