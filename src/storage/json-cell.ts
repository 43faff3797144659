/** What boh once wrote into a cell as JSON, read and held against what it must be. */
import { exactJson } from '../base/number-text.ts';
import type { Cell, Database } from './database.ts';

/** Whether a value is what was once written; anything else is damage. */
export type Check<Value> = (value: unknown) => value is Value;

/** Throws the failure that the file is damaged where the cell holds no JSON, or something else. */
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
