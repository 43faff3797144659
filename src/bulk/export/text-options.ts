/** What makes a file’s text of rows, whichever form it has, and what it has to know. */
import type { Row } from '../../session/row.ts';
import type { TableForm } from '../../tables/table.ts';

export interface TextOptions {
  form: TableForm;
  /** The name of the sheet, in a workbook. */
  sheet: string;
  /** With a byte order mark and CRLF. */
  isForSpreadsheets: boolean;
  /** The text of a cell as it stands in CSV: guarded like that of a list, and quoted where it needs that. */
  csvCell(text: string): string;
  /** Makes a cell harmless for spreadsheets, and `plainCell` takes that back: an import does so with every cell. */
  guard(text: string): string;
  plainCell(text: string): string;
}

export interface RowsText {
  /** `expected` is how many rows the service says that there are. */
  begin(expected: number | undefined): string;
  rows(records: readonly Row[]): string;
  end(): string;
}
