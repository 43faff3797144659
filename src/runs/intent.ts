/** What a row of a file asks for, before the records of the service are known. */
import type { Row } from '../session/row.ts';
import type { Mode } from '../tables/columns/options.ts';
import type { RowProblem } from '../tables/table.ts';

/** The command of a row, and the values that it gives to fields. */
export interface Intent {
  command: Mode;
  id?: string | undefined;
  /** When its record last changed, as far as the file says: with seconds or without. */
  updatedAt?: string | undefined;
  /** The values by the names of request fields. Look-ups are `@…` texts in it, secrets are `secretMark`. */
  body: Row;
  /** The texts of cells whose values were normalized, by the same names: a record that has such a text isn't changed. */
  written?: Readonly<Record<string, string>> | undefined;
  /** Why a value is probably a mistake, by the same names. It is accepted only if the record already has it. */
  doubts?: Readonly<Record<string, RowProblem>> | undefined;
}
