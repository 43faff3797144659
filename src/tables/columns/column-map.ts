/** The file of a column map: which columns of a file are which fields, so that they are mapped only once. */
import { readBoundedSync } from '../../base/bounded-read.ts';
import { usage } from '../../base/errors.ts';
import { readErrorReason } from '../../base/file-errors.ts';
import { isObject } from '../../base/number-text.ts';

/** Our column name for names in the file; '' leaves the column out. */
export type ColumnMap = ReadonlyMap<string, string>;

/** Reads a column map. Throws a usage failure if the file can't be read or isn't one. */
export function readColumnMap(file: string): ColumnMap {
  let text: string;
  try {
    text = readBoundedSync(file).toString();
  } catch (cause) {
    const why = readErrorReason(cause);
    if (why === undefined) throw cause;
    throw usage(`--map: can't read ${file}: ${why}.`, {
      hint: 'To rename one column: --map COLUMN=FIELD',
      cause,
    });
  }
  const columns = columnsIn(text);
  if (columns) return new Map(Object.entries(columns).map(([theirs, ours]) => [theirs, ours ?? '']));
  throw usage(`--map ${file}: this isn't a column map.`, {
    hint: 'Expected {"columns": {"Mobile": "phone", "Remarks": null}}, as --save-map writes it.',
  });
}

function columnsIn(text: string): Record<string, string | null> | undefined {
  try {
    const found: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    const columns = isObject(found) ? found.columns : undefined;
    if (!isObject(columns)) return undefined;
    const isMap = Object.values(columns).every((ours) => ours === null || typeof ours === 'string');
    return isMap ? (columns as Record<string, string | null>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the text of the file. A column that is left out is null. */
export function columnMapText(map: ColumnMap): string {
  const columns = Object.fromEntries([...map].map(([theirs, ours]) => [theirs, ours === '' ? null : ours]));
  return `${JSON.stringify({ columns }, null, 2)}\n`;
}
