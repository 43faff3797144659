/** What of a sheet is out of sight: rows that a filter or somebody hides, and columns. Runs in the worker. */
import type { Sheet } from 'hucre/xlsx';
import { cellText } from './cell.ts';
import type { Read, SheetRow } from './messages.ts';

/** To be told of each row that is read, from the header on. */
export class OutOfSight {
  readonly #sheet: Sheet;
  #header: SheetRow | undefined;
  #rows = 0;
  readonly #hidden: Read['hiddenRows'] = [];

  constructor(sheet: Sheet) {
    this.#sheet = sheet;
  }

  note(row: SheetRow): void {
    if (!this.#header) {
      this.#header = row;
      return;
    }
    this.#rows++;
    if (!this.#sheet.rowDefs?.get(row.row - 1)?.hidden) return;
    const last = this.#hidden.at(-1);
    if (last?.to === row.row - 1) last.to++;
    else this.#hidden.push({ from: row.row, to: row.row });
  }

  get found(): Pick<Read, 'rows' | 'hiddenRows' | 'hiddenColumns'> {
    return { rows: this.#rows, hiddenRows: this.#hidden, hiddenColumns: this.#columns() };
  }

  #columns(): string[] {
    const names = (this.#header?.cells ?? []).map((cell) => cellText(cell).trim());
    return names.filter((name, at) => name !== '' && this.#sheet.columns?.[at]?.hidden === true);
  }
}
