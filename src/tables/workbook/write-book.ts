/** Rows of cells as a workbook that people fill in: a header that stays, text that stays text, choices to pick from. Runs in the worker. */
import {
  type Cell,
  type CellValue,
  type ColumnDef,
  type DataValidation,
  type WriteSheet,
  writeXlsx,
} from 'hucre/xlsx';
import { cellText, columnLetters, isErrorText, mostRows, type SheetCell } from './cell.ts';
import type { SheetColumn, SheetHead } from './messages.ts';

export interface FilledSheet {
  head: SheetHead;
  rows: SheetCell[][];
}

export async function bookOf(sheets: readonly FilledSheet[]): Promise<Uint8Array> {
  const lists = new ChoiceLists();
  const written = sheets.map((sheet) => asSheet(sheet, lists));
  return writeXlsx({
    sheets: [...written, ...lists.sheet()],
    // A table of all strings would take as much memory again.
    stringMode: 'inline',
  });
}

function asSheet({ head, rows }: FilledSheet, lists: ChoiceLists): WriteSheet {
  const { columns } = head;
  return {
    name: head.sheet,
    columns: columns.map(({ name, isText }, at): ColumnDef => {
      const numFmt = (isText ?? holdsTextAlone(rows, at)) ? { numFmt: '@' } : {};
      return { width: widthOf(name, rows, at), ...numFmt };
    }),
    rows: [columns.map(({ name }) => name), ...rows.map((cells) => cells.map(asValue))],
    cells: textsLikeErrors(rows),
    freezePane: { rows: 1 },
    dataValidations: columns.flatMap((column, at) => validation(column, at, lists)),
  };
}

/** The library takes them for errors, unless they are texts that could be of several fonts. By row and column. */
function textsLikeErrors(rows: readonly SheetCell[][]): Map<string, Partial<Cell>> {
  const found = new Map<string, Partial<Cell>>();
  for (const [row, cells] of rows.entries()) {
    for (const [column, text] of cells.entries()) {
      if (typeof text === 'string' && isErrorText(text))
        found.set(`${row + 1},${column}`, { richText: [{ text }] });
    }
  }
  return found;
}

function holdsTextAlone(rows: readonly SheetCell[][], at: number): boolean {
  return rows.every((cells) => typeof (cells[at] ?? '') === 'string');
}

function asValue(cell: SheetCell): CellValue {
  if (typeof cell === 'string') return escaped(cell);
  if (cell === null || typeof cell !== 'object') return cell;
  const [day, hours] = cell.date.includes('-') ? cell.date.split(' ') : ['1899-12-31', cell.date];
  return new Date(`${day}T${hours ?? '00:00:00'}Z`);
}

/** `_x0041_` stands for a character in such files, and two of them can't stand there otherwise: the library leaves both. */
function escaped(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[\ufffe\uffff]/g, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase()}_`);
}

/** In characters: enough for most of what stands there. */
const [narrowest, widest, looked] = [8, 48, 500];

function widthOf(name: string, rows: readonly SheetCell[][], at: number): number {
  const longest = rows
    .slice(0, looked)
    .reduce((most, cells) => Math.max(most, cellText(cells[at] ?? null).length), name.length);
  return Math.min(widest, Math.max(narrowest, longest + 2));
}

/** Another word is warned of, not refused: a number is as good, and so is what empties the field. */
function validation({ choices, name }: SheetColumn, at: number, lists: ChoiceLists): DataValidation[] {
  if (!choices || choices.length === 0) return [];
  const column = columnLetters(at);
  return [
    {
      type: 'list',
      ...lists.of(choices),
      range: `${column}2:${column}${mostRows + 1}`,
      allowBlank: true,
      showErrorMessage: true,
      errorStyle: 'warning',
      errorTitle: name,
      errorMessage: 'This is none of the words that are known.',
    },
  ];
}

/** What a drop-down offers: in the cell's own rule where that is short enough, else on a sheet that isn't shown. */
class ChoiceLists {
  readonly #columns: string[][] = [];

  of(choices: readonly string[]): Pick<DataValidation, 'values' | 'formula1'> {
    // Spreadsheets read no more than 255 characters there, and take a comma for the next word.
    const isShort = choices.join(',').length <= 255 && !choices.some((word) => /[",]/.test(word));
    if (isShort) return { values: [...choices] };
    const known = this.#columns.findIndex((column) => column.join('\n') === choices.join('\n'));
    const at = known === -1 ? this.#columns.push([...choices]) - 1 : known;
    const column = columnLetters(at);
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
