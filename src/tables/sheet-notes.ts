/** Notes on how a sheet is read: other sheets, hidden rows and columns, formulas. */
import type { HiddenRows, Read } from './workbook/messages.ts';

/** Ranges of hidden rows that are listed at most. */
const maxListedRanges = 5;

/** Returns the notes. `hasFlags` is whether the command has --sheet; `usual` is the name of the sheet that is read by default. */
export function sheetNotes(
  label: string,
  { sheet, others, isNamed, formulas, rows, hiddenRows, hiddenColumns }: Read,
  { hasFlags, usual }: { hasFlags: boolean; usual: string },
): string[] {
  const notes: string[] = [];
  if (others.length > 0 && !isNamed) {
    const more = others.length > 5 ? `, and ${others.length - 5} more` : '';
    const one = others.length === 1;
    const how = hasFlags ? 'To choose one, use --sheet' : `A sheet named ${usual} would be read instead`;
    notes.push(
      `${label}: reading sheet "${sheet}". Other ${one ? 'sheet' : 'sheets'}: ${others.slice(0, 5).join(', ')}${more}. ${how}.`,
    );
  }
  if (hiddenRows.length > 0) notes.push(onHiddenRows(label, hiddenRows, rows));
  if (hiddenColumns.length > 0) {
    const one = hiddenColumns.length === 1;
    notes.push(
      `${label} hides the ${one ? 'column' : 'columns'} ${hiddenColumns.join(', ')}, but ${one ? 'it is' : 'they are'} also read. To ignore ${one ? 'it' : 'them'}, delete ${one ? 'it' : 'them'} in the sheet.`,
    );
  }
  if (formulas > 0) {
    const one = formulas === 1;
    notes.push(
      `${label} has ${one ? 'a formula' : `${counted(formulas)} formulas`}: ${one ? 'its value' : 'their values'} from when the workbook was saved ${one ? 'is' : 'are'} used.`,
    );
  }
  return notes;
}

/** Returns the note on hidden rows. They are read, as programs that save a sheet as CSV write them too. */
function onHiddenRows(label: string, hidden: readonly HiddenRows[], rows: number): string {
  const count = hidden.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const named = hidden
    .slice(0, maxListedRanges)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const more = hidden.length > maxListedRanges ? ', …' : '';
  const one = count === 1;
  return `${label} hides ${rows === 1 ? 'its only row' : `${counted(count)} of its ${counted(rows)} rows`}, as filters do (${one ? 'row' : 'rows'} ${named.join(', ')}${more}), but ${one ? 'it is' : 'they are'} also read. To ignore ${one ? 'it' : 'them'}, delete ${one ? 'it' : 'them'} in the sheet.`;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}
