/** A cell of a sheet as boh keeps it: what a spreadsheet tells apart, in a form that JSON holds. */

/** A day, a moment or a time of day, as the sheet is dated: it knows no zone. */
export interface DateCell {
  /** `2026-12-31`, `2026-12-31 09:30:00`, `09:30`, or `09:30:15`. */
  date: string;
}

/** null where nothing stands. */
export type SheetCell = string | number | boolean | DateCell | null;

/** The most rows that a sheet is read or written with, beside its header: what a program can hold at once. */
export const mostRows = 50_000;

/** The most characters that spreadsheet programs keep in a cell. */
export const longestCell = 32_767;

/** As a person reads it in the sheet; numbers in plain digits, with as many as spreadsheets show. */
export function cellText(cell: SheetCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return numberText(cell);
  return typeof cell === 'object' ? cell.date : String(cell);
}

/** Spreadsheets compute with 17 digits and keep 15 of them: 0.1 + 0.2 is 0.3 there. */
function numberText(number: number): string {
  const shown = Number(number.toPrecision(15));
  if (!/e/.test(String(shown))) return String(shown);
  const whole = BigInt(Math.trunc(shown));
  return Math.abs(shown) >= 1 ? String(whole) : shown.toFixed(20).replace(/0+$/, '').replace(/\.$/, '');
}

/** What a sheet shows where nothing could be computed: as a text it is one like any other. */
export function isErrorText(text: string): boolean {
  return /^#(N\/A|REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|GETTING_DATA|SPILL!|CALC!)$/.test(text);
}

/** A number that is shown as a share, as its text: 0.15 as `15%`. */
export function shareText(number: number): string {
  return `${numberText(number * 100)}%`;
}

/** Whether it is such a text: with a point, whatever other numbers of the sheet are written with. */
export function isShare(text: string): boolean {
  return /^-?\d+(\.\d+)?%$/.test(text);
}

/** A number that a sheet gives back as it is: what is longer stands there as text. */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  return text !== '' && cellText(number) === text && /^-?\d/.test(text) ? number : undefined;
}

/** What a sheet calls its columns: A for 0, Z for 25, AA for 26. */
export function columnLetters(column: number): string {
  const [more, last] = [Math.floor(column / 26), column % 26];
  return (more > 0 ? columnLetters(more - 1) : '') + String.fromCharCode(65 + last);
}
