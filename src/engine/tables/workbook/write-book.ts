/** Writes a workbook that people can fill in: with a frozen header, text columns and drop-down lists. Runs in the worker. */
import {
  type Cell,
  type CellValue,
  type ColumnDef,
  type DataValidation,
  type WriteSheet,
  writeXlsx,
} from 'hucre/xlsx';
import { columnLetters, formatCell, isErrorText, maxSheetRows, type SheetCell } from './cell.ts';
import type { SheetColumn, SheetHeader } from './messages.ts';

export interface FilledSheet {
  header: SheetHeader;
  rows: SheetCell[][];
}

export async function buildWorkbook(sheets: readonly FilledSheet[]): Promise<Uint8Array> {
  const lists = new ChoiceLists();
  const builtSheets = sheets.map((sheet) => buildSheet(sheet, lists));
  return writeXlsx({
    sheets: [...builtSheets, ...lists.sheet()],
    // A table of shared strings would double the memory.
    stringMode: 'inline',
  });
}

function buildSheet({ header, rows }: FilledSheet, lists: ChoiceLists): WriteSheet {
  const { columns } = header;
  return {
    name: header.sheet,
    columns: columns.map(({ name, isText }, columnIndex): ColumnDef => {
      const numFmt = (isText ?? hasOnlyText(rows, columnIndex)) ? { numFmt: '@' } : {};
      return { width: columnWidth(name, rows, columnIndex), ...numFmt };
    }),
    rows: [columns.map(({ name }) => name), ...rows.map((cells) => cells.map(cellValue))],
    cells: specialCells(rows),
    freezePane: { rows: 1 },
    dataValidations: columns.flatMap((column, columnIndex) => choiceValidation(column, columnIndex, lists)),
  };
}

/**
 * Returns the cells that need more than a value, by row and column: numbers with a format, and text that looks like an
 * error, for which the library would write an error.
 */
function specialCells(rows: readonly SheetCell[][]): Map<string, Partial<Cell>> {
  const cellsByPosition = new Map<string, Partial<Cell>>();
  for (const [row, cells] of rows.entries()) {
    for (const [column, cell] of cells.entries()) {
      const position = `${row + 1},${column}`;
      if (typeof cell === 'string' && isErrorText(cell))
        cellsByPosition.set(position, { richText: [{ text: cell }] });
      if (typeof cell === 'object' && cell && 'format' in cell)
        cellsByPosition.set(position, { style: { numFmt: cell.format } });
    }
  }
  return cellsByPosition;
}

function hasOnlyText(rows: readonly SheetCell[][], columnIndex: number): boolean {
  return rows.every((cells) => typeof (cells[columnIndex] ?? '') === 'string');
}

function cellValue(cell: SheetCell): CellValue {
  if (typeof cell === 'string') return escapeText(cell);
  if (cell === null || typeof cell !== 'object') return cell;
  if ('number' in cell) return cell.number;
  const [day, timeOfDay] = cell.date.includes('-') ? cell.date.split(' ') : ['1899-12-31', cell.date];
  return new Date(`${day}T${timeOfDay ?? '00:00:00'}Z`);
}

/** Escapes `_x0041_`, which means a character in XLSX, and two characters that XML forbids. The library doesn't. */
function escapeText(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[\ufffe\uffff]/g, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase()}_`);
}

/** The limits of column widths in characters, and the number of rows from which widths are measured. */
const [minWidth, maxWidth, measuredRows] = [8, 48, 500];

function columnWidth(name: string, rows: readonly SheetCell[][], columnIndex: number): number {
  const longest = rows
    .slice(0, measuredRows)
    .reduce((length, cells) => Math.max(length, formatCell(cells[columnIndex] ?? null).length), name.length);
  return Math.min(maxWidth, Math.max(minWidth, longest + 2));
}

/** Returns the rule of a drop-down list. Other values only cause a warning, because numbers and the text that clears a field are also valid. */
function choiceValidation(
  { choices, name }: SheetColumn,
  columnIndex: number,
  lists: ChoiceLists,
): DataValidation[] {
  if (!choices || choices.length === 0) return [];
  const column = columnLetters(columnIndex);
  return [
    {
      type: 'list',
      ...lists.valuesFor(choices),
      range: `${column}2:${column}${maxSheetRows + 1}`,
      allowBlank: true,
      showErrorMessage: true,
      errorStyle: 'warning',
      errorTitle: name,
      errorMessage: 'This value is not in the list.',
    },
  ];
}

/** Stores the values of drop-down lists: short lists in the rule of the cell, others on a hidden sheet. */
class ChoiceLists {
  readonly #columns: string[][] = [];

  valuesFor(choices: readonly string[]): Pick<DataValidation, 'values' | 'formula1'> {
    // Spreadsheets read at most 255 characters in a rule, and split words at commas.
    const isShort = choices.join(',').length <= 255 && !choices.some((word) => /[",]/.test(word));
    if (isShort) return { values: [...choices] };
    const existing = this.#columns.findIndex((column) => column.join('\n') === choices.join('\n'));
    const columnIndex = existing === -1 ? this.#columns.push([...choices]) - 1 : existing;
    const column = columnLetters(columnIndex);
    return { formula1: `${choicesSheet}!$${column}$1:$${column}$${choices.length}` };
  }

  sheet(): WriteSheet[] {
    if (this.#columns.length === 0) return [];
    const height = Math.max(...this.#columns.map((column) => column.length));
    const rows = Array.from({ length: height }, (_, row) =>
      this.#columns.map((column) => column[row] ?? null),
    );
    return [{ name: choicesSheet, rows, hidden: true }];
  }
}

const choicesSheet = '_choices';
