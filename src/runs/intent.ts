/** What a row of a file asks for, before it is known what the service holds. */
import type { Row } from '../session/row.ts';
import type { Mode } from '../tables/columns/options.ts';
import type { RowProblem } from '../tables/table.ts';

export interface Intent {
  command: Mode;
  id?: string | undefined;
  /** When its record last changed, as far as the file knows: with seconds or without. */
  updatedAt?: string | undefined;
  /** By the names of requests. Look-ups stand in it as `@…`, secrets as `secretMark`. */
  body: Row;
  /** Texts that were not taken as they stand in their cells, by the same names: a record that has them so is left alone. */
  written?: Readonly<Record<string, string>> | undefined;
  /** By the same names: why a value is hardly what was meant. Only a record that has it already may keep it. */
  doubts?: Readonly<Record<string, RowProblem>> | undefined;
}
