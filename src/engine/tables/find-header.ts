/** Finds the header of a table: files start with titles, addresses and notes. */
import { usage } from '../../base/errors.ts';
import { normalizeColumnName } from './columns/columns.ts';

/** The number of rows at the beginning that may be the header. */
export const maxHeaderRows = 100;

/** The number of rows that are offered as the header. */
const maxOfferedRows = 10;

/** A row with its number, counted from 1 with blank rows, as spreadsheets count. */
export interface NumberedRow {
  row: number;
  cells: readonly string[];
}

export interface HeaderOptions {
  /** Normalized column names that identify a header. */
  headerNames: ReadonlySet<string>;
  /** The normalized names that `--map` requires. */
  requiredNames?: readonly string[] | undefined;
  /** The number of the header's row, if it is known. */
  headerRow?: number | undefined;
  /** The number of rows at the beginning that are ignored. */
  skipRows?: number | undefined;
  /** Returns the number of the header's row, which the user chooses if no row fits. */
  chooseHeader?: ((rows: readonly NumberedRow[]) => Promise<number>) | undefined;
}

export function firstHeaderRow({ headerRow, skipRows = 0 }: HeaderOptions): number {
  return headerRow ?? skipRows + 1;
}

/**
 * Returns the index of the header, which is the first row with all names that `--map` requires, else the first row that mostly
 * has column names, else the row with most of them. Returns undefined if no row fits.
 */
export function findHeaderIndex(
  rows: readonly NumberedRow[],
  { headerNames, requiredNames = [], headerRow }: HeaderOptions,
): number | undefined {
  if (headerRow !== undefined)
    return rows[0]?.row === headerRow && filledCells(rows[0]).length > 0 ? 0 : undefined;
  const candidates = rows.map((row, index) => {
    const names = filledCells(row).map(normalizeColumnName);
    const plainNames = filledCells(row).map(plainColumnName);
    const knownCount = new Set(plainNames.filter((name) => headerNames.has(name))).size;
    const hasValue = names.some(isValue);
    const isFit = knownCount >= 2 && knownCount * 2 >= names.length && !hasValue;
    const hasRequired = requiredNames.length > 0 && requiredNames.every((name) => names.includes(name));
    return { index, width: names.length, knownCount, hasValue, isFit, hasRequired };
  });
  const mapped = candidates.filter(({ hasRequired }) => hasRequired);
  // Exports of other programs have many other columns.
  const known = candidates.filter(({ knownCount, hasValue }) => knownCount >= 2 && !hasValue);
  const found =
    mapped.find(({ isFit }) => isFit) ??
    mapped[0] ??
    candidates.find(({ isFit }) => isFit) ??
    known.find(({ knownCount }) => knownCount === Math.max(...known.map((row) => row.knownCount)));
  const [first] = candidates;
  // A first row with one column name is a header with unknown names, or a line of an address: "Phone, 555000333".
  const isAddress = first?.hasValue || (found?.width ?? 0) > (first?.width ?? 0);
  if (first && first.knownCount > 0 && !(found && (found.hasRequired || isAddress))) return 0;
  return found?.index;
}

/**
 * Returns the number of the header's row if no row fits: the user chooses it, or it is the first one (undefined). Throws a usage
 * failure if that is narrower than another row, as a title is, or if the row of `--header-row` is blank.
 */
export async function chooseHeaderRow(
  label: string,
  rows: readonly NumberedRow[],
  { headerRow, skipRows, chooseHeader, hasFlags }: HeaderOptions & { hasFlags: boolean },
): Promise<number | undefined> {
  if (headerRow !== undefined)
    throw usage(`${label} has no header in row ${headerRow}: the row is blank or missing.`);
  const filledRows = rows.filter((row) => filledCells(row).length > 0).slice(0, maxOfferedRows);
  if (filledRows.length === 0 && skipRows !== undefined)
    throw usage(`${label} has no rows after the first ${skipRows}.`);
  if (chooseHeader && filledRows.length > 1) return chooseHeader(filledRows);
  const [widest] = filledRows.toSorted((a, b) => filledCells(b).length - filledCells(a).length);
  if (!hasFlags || !widest || widest === filledRows[0]) return undefined;
  throw usage(`${label} has no row with known column names.`, {
    hint: `If row ${widest.row} is the header (${formatRow(widest)}): --header-row ${widest.row}. To name its columns: --map COLUMN=FIELD`,
  });
}

/** Returns the filled cells of a row as text. */
export function formatRow(row: NumberedRow): string {
  return filledCells(row).join(', ');
}

export function hasOnlyColumnNames(cells: readonly string[], headerNames: ReadonlySet<string>): boolean {
  const filled = filledCells({ cells });
  const hasOnlyNames = filled.every((cell) => headerNames.has(plainColumnName(cell)));
  return hasOnlyNames && new Set(filled.map(plainColumnName)).size > 1;
}

/** Returns a normalized name without the currency that names of amounts may have: `Price (SAR)`. */
function plainColumnName(name: string): string {
  return normalizeColumnName(name.replace(/[([].*$/, ''));
}

function filledCells({ cells }: Pick<NumberedRow, 'cells'>): string[] {
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
}

/** Returns whether a text is a number or an email address, which headers don't contain. */
function isValue(text: string): boolean {
  return (/\p{Nd}/u.test(text) && !/\p{L}/u.test(text)) || /\S@\S/.test(text);
}

export function titleNote(label: string, headerLine: number): string {
  return `${label} starts with a title: the header is line ${headerLine}, and the lines above it are ignored.`;
}
