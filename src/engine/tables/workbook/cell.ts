/** Cells of a sheet as JSON can represent them, and their text. */

/** A date, time or both, without a time zone. */
export interface DateCell {
  /** `2026-12-31`, `2026-12-31 09:30:00`, `09:30`, or `09:30:15`. */
  date: string;
}

/** A number that its format shows differently than a plain number. */
export interface FormattedNumber {
  number: number;
  /** The displayed text: `SKU-0012`. */
  shown: string;
  /** The format: `"SKU-"0000`. */
  format: string;
}

/** A cell; null if it is empty. */
export type SheetCell = string | number | boolean | DateCell | FormattedNumber | null;

/** The maximum number of rows in a sheet, without the header. More rows may not fit in memory. */
export const maxSheetRows = 50_000;

/** The maximum number of characters in a cell of spreadsheet programs. */
export const maxCellCharacters = 32_767;

/** Returns the text of a cell as a spreadsheet displays it. Numbers without a special format have all their digits. */
export function formatCell(cell: SheetCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return formatNumber(cell);
  if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE';
  if (typeof cell === 'string') return cell;
  return 'date' in cell ? cell.date : cell.shown;
}

/** Returns a number rounded to 15 digits, like spreadsheets: 0.1 + 0.2 is 0.3. */
function formatNumber(number: number): string {
  const rounded = Number(number.toPrecision(15));
  if (!/e/.test(String(rounded))) return String(rounded);
  const integer = BigInt(Math.trunc(rounded));
  return Math.abs(rounded) >= 1 ? String(integer) : rounded.toFixed(20).replace(/0+$/, '').replace(/\.$/, '');
}

/** Returns whether text is an error value of a formula, in any language of spreadsheets, or looks like one. */
export function isErrorText(text: string): boolean {
  return /^#(N\/[AD]|NV|YOK|GETTING_DATA|[¡¿]?[\p{Lu}/0]+[!?])$/u.test(text);
}

/** Formats a number as a percentage: 0.15 is `15%`. */
export function formatPercent(number: number): string {
  return `${formatNumber(number * 100)}%`;
}

/** Returns whether text is a percentage with a decimal point, as `formatPercent` returns it. */
export function isPercentText(text: string): boolean {
  return /^-?\d+(\.\d+)?%$/.test(text);
}

/** Returns the number if a sheet stores it exactly; undefined if it has to be stored as text. */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  return text !== '' && formatCell(number) === text && /^-?\d/.test(text) ? number : undefined;
}

/** Returns the letters of a column: A for 0, Z for 25, AA for 26. */
export function columnLetters(column: number): string {
  const [quotient, remainder] = [Math.floor(column / 26), column % 26];
  return (quotient > 0 ? columnLetters(quotient - 1) : '') + String.fromCharCode(65 + remainder);
}
