/** Builds the notes about a sheet: other sheets, hidden rows and columns, formulas. */
import { formatCount } from '../base/shown-items.ts';
import type { HiddenRows, ReadResult } from './workbook/messages.ts';

export interface FoundHeader {
  columns: readonly string[];
  /** The number of its row, counted from 1. */
  row: number;
  /** The number of rows above it that aren't empty. */
  rowsAbove: number;
}

/** The maximum number of ranges of hidden rows in a note. */
const maxListedRanges = 5;

/** Returns the notes for the user. `hasFlags` is true if the command has --sheet; `defaultSheet` is the name of the sheet that is read by default. */
export function sheetNotes(
  label: string,
  { sheet, otherSheets, isNamed, formulas, rows, ...hidden }: ReadResult,
  header: FoundHeader,
  { hasFlags, defaultSheet }: { hasFlags: boolean; defaultSheet: string },
): string[] {
  const notes: string[] = [];
  if (otherSheets.length > 0 && !isNamed) {
    const more = otherSheets.length > 5 ? `, and ${otherSheets.length - 5} more` : '';
    const isOne = otherSheets.length === 1;
    const advice = hasFlags
      ? 'To choose one, use --sheet'
      : `A sheet named ${defaultSheet} would be read instead`;
    notes.push(
      `${label}: reading sheet "${sheet}". Other ${isOne ? 'sheet' : 'sheets'}: ${otherSheets.slice(0, 5).join(', ')}${more}. ${advice}.`,
    );
  }
  const hiddenColumns = hidden.hiddenColumns.map((index) => header.columns[index] ?? '').filter(Boolean);
  const hiddenRows = hidden.hiddenRows
    .map(({ from, to }) => ({ from: Math.max(from, header.row + 1), to }))
    .filter(({ from, to }) => from <= to);
  if (hiddenRows.length > 0) notes.push(hiddenRowsNote(label, hiddenRows, rows - header.rowsAbove - 1));
  if (hiddenColumns.length > 0) {
    const isOne = hiddenColumns.length === 1;
    notes.push(
      `${label} hides the ${isOne ? 'column' : 'columns'} ${hiddenColumns.join(', ')}, but ${isOne ? 'it is' : 'they are'} also read. To ignore ${isOne ? 'it' : 'them'}, delete ${isOne ? 'it' : 'them'} in the sheet.`,
    );
  }
  if (formulas > 0) {
    const isOne = formulas === 1;
    notes.push(
      `${label} has ${isOne ? 'a formula' : `${formatCount(formulas)} formulas`}: ${isOne ? 'its value' : 'their values'} from when the workbook was saved ${isOne ? 'is' : 'are'} used.`,
    );
  }
  return notes;
}

/** Returns the note on hidden rows. They are read, because spreadsheet programs also include them in CSV. */
function hiddenRowsNote(label: string, hiddenRanges: readonly HiddenRows[], rows: number): string {
  const count = hiddenRanges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const ranges = hiddenRanges
    .slice(0, maxListedRanges)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const more = hiddenRanges.length > maxListedRanges ? ', …' : '';
  const isOne = count === 1;
  return `${label} hides ${rows === 1 ? 'its only row' : `${formatCount(count)} of its ${formatCount(rows)} rows`}, as filters do (${isOne ? 'row' : 'rows'} ${ranges.join(', ')}${more}), but ${isOne ? 'it is' : 'they are'} also read. To ignore ${isOne ? 'it' : 'them'}, delete ${isOne ? 'it' : 'them'} in the sheet.`;
}
