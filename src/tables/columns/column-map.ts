/** Reads and writes column maps: files that map the columns of a file to fields, so that users map them only once. */
import { readBoundedFileSync } from '../../base/bounded-read.ts';
import { decodeTextFile } from '../../base/decode-text.ts';
import { usage } from '../../base/errors.ts';
import { readErrorReason } from '../../base/file-errors.ts';
import { isObject } from '../../base/number-text.ts';

/** The fields by the column names in the file; '' ignores the column. */
export type ColumnMap = ReadonlyMap<string, string>;

/** Reads a column map. Throws a usage failure if the file can't be read or isn't a column map. */
export function readColumnMap(file: string): ColumnMap {
  let text: string;
  try {
    text = decodeTextFile(readBoundedFileSync(file), `--map: ${file}`);
  } catch (cause) {
    const reason = readErrorReason(cause);
    if (reason === undefined) throw cause;
    throw usage(`--map: can't read ${file}: ${reason}.`, {
      hint: 'To rename one column: --map COLUMN=FIELD',
      cause,
    });
  }
  const columns = parseColumnMap(text);
  if (columns) return new Map(Object.entries(columns).map(([column, field]) => [column, field ?? '']));
  throw usage(`--map ${file}: this isn't a column map.`, {
    hint: 'Expected {"columns": {"Mobile": "phone", "Remarks": null}}, as --save-map writes it.',
  });
}

function parseColumnMap(text: string): Record<string, string | null> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const columns = isObject(value) ? value.columns : undefined;
    if (!isObject(columns)) return undefined;
    const isMap = Object.values(columns).every((field) => field === null || typeof field === 'string');
    return isMap ? (columns as Record<string, string | null>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the content of a column map file. The field of an ignored column is null. */
export function formatColumnMap(map: ColumnMap): string {
  const columns = Object.fromEntries(
    [...map].map(([column, field]) => [column, field === '' ? null : field]),
  );
  return `${JSON.stringify({ columns }, null, 2)}\n`;
}
