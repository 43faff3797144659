/** What people should know of how a sheet is read, as what they see of it is not all that counts: in sentences. */
import type { HiddenRows, Read } from './workbook/messages.ts';

/** As many stretches of hidden rows are named. */
const mostStretches = 5;

/** `hasFlags`: whether the line may say `--sheet`; `usual`: the name of the sheet that would go before the first one. */
export function sheetRemarks(
  called: string,
  { sheet, others, isNamed, formulas, rows, hiddenRows, hiddenColumns }: Read,
  { hasFlags, usual }: { hasFlags: boolean; usual: string },
): string[] {
  const remarks: string[] = [];
  if (others.length > 0 && !isNamed) {
    const more = others.length > 5 ? `, and ${others.length - 5} more` : '';
    const one = others.length === 1;
    const how = hasFlags ? '--sheet says which' : `One that is called ${usual} would be read instead`;
    remarks.push(
      `${called} is read in its sheet "${sheet}"; ${one ? 'another one is' : 'others are'} ${others.slice(0, 5).join(', ')}${more}. ${how}.`,
    );
  }
  if (hiddenRows.length > 0) remarks.push(onHiddenRows(called, hiddenRows, rows));
  if (hiddenColumns.length > 0) {
    const one = hiddenColumns.length === 1;
    remarks.push(
      `${called} hides the ${one ? 'column' : 'columns'} ${hiddenColumns.join(', ')}: ${one ? 'it counts' : 'they count'} like those that are shown. To leave ${one ? 'it' : 'them'} out, delete ${one ? 'it' : 'them'} in the sheet.`,
    );
  }
  if (formulas > 0) {
    const one = formulas === 1;
    remarks.push(
      `${called} has ${one ? 'a formula' : `${counted(formulas)} formulas`}: what ${one ? 'it' : 'they'} came to when the workbook was saved is taken.`,
    );
  }
  return remarks;
}

/** A filter takes rows out of sight and leaves them in the table, as programs that save it as CSV do. */
function onHiddenRows(called: string, hidden: readonly HiddenRows[], rows: number): string {
  const count = hidden.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const named = hidden
    .slice(0, mostStretches)
    .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`));
  const more = hidden.length > mostStretches ? ', …' : '';
  const one = count === 1;
  return `${called} hides ${rows === 1 ? 'its only row' : `${counted(count)} of its ${counted(rows)} rows`}, as filters do (${one ? 'row' : 'rows'} ${named.join(', ')}${more}): ${one ? 'it counts' : 'they count'} like those that are shown. To leave ${one ? 'it' : 'them'} out, delete ${one ? 'it' : 'them'} in the sheet.`;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}
