/** Reads JSON that boh wrote into a cell, and checks its shape. */
import { exactJson } from '../base/number-text.ts';
import type { Cell, Database } from './database.ts';

/** Whether a value has the shape that boh writes; anything else is damage. */
export type Check<Value> = (value: unknown) => value is Value;

/** Returns the value of a cell. Throws the failure for a damaged file if it isn't JSON of the right shape. */
export function jsonIn<Value>(cell: Cell | undefined, database: Database, isRight: Check<Value>): Value {
  let value: unknown;
  try {
    value = exactJson(String(cell));
  } catch (cause) {
    throw database.damaged(cause);
  }
  if (!isRight(value)) throw database.damaged();
  return value;
}
