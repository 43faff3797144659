/** Defines the content of a row of a file, before the records of the service are read. */
import type { Row } from '../session/row.ts';
import type { ImportMode } from '../tables/columns/options.ts';
import type { RowProblem } from '../tables/table.ts';

/** The command of a row, and its field values. */
export interface Intent {
  command: ImportMode;
  id?: string | undefined;
  /** When the record last changed, according to the file, with or without seconds. */
  updatedAt?: string | undefined;
  /** The values by the names of request fields. Lookups are strings such as `@VIP`; secrets are `secretPlaceholder`. */
  body: Row;
  /**
   * The original text of cells whose values were normalized, by the same names. A record that already has this text isn't
   * changed.
   */
  written?: Readonly<Record<string, string>> | undefined;
  /**
   * The reasons why values are probably mistakes, by the same names. Such a value is accepted only if the record
   * already has it.
   */
  doubts?: Readonly<Record<string, RowProblem>> | undefined;
}
