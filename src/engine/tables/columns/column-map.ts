/** Reads and writes column maps: files that map the columns of a file to fields, so that users map them only once. */
import { readBoundedFileSync } from '../../../base/bounded-read.ts';
import { decodeTextFile } from '../../../base/decode-text.ts';
import { usage } from '../../../base/errors.ts';
import { readErrorReason } from '../../../base/file-errors.ts';
import { isObject } from '../../../base/number-text.ts';

/** The fields by the column names in the file; '' ignores the column. */
export type ColumnMap = ReadonlyMap<string, string>;

export interface ColumnMapFile {
  columns: ColumnMap;
  /** The encoding of the mapped files that aren't UTF-8. */
  encoding?: string | undefined;
}

/** Reads a column map. Throws a usage failure if the file can't be read or isn't a column map. */
export function readColumnMap(file: string): ColumnMapFile {
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
  const map = parseColumnMap(text);
  if (map) return map;
  throw usage(`--map ${file}: this isn't a column map.`, {
    hint: 'Expected {"columns": {"Mobile": "phone", "Remarks": null}}, as --save-map writes it.',
  });
}

function parseColumnMap(text: string): ColumnMapFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !isObject(value.columns)) return undefined;
    const { encoding } = value;
    const columns = Object.entries(value.columns).map(([column, field]) => [column, field ?? ''] as const);
    const isMap = columns.every((entry): entry is [string, string] => typeof entry[1] === 'string');
    if (!isMap || (encoding !== undefined && typeof encoding !== 'string')) return undefined;
    return { columns: new Map(columns), encoding };
  } catch {
    return undefined;
  }
}

/** Returns the content of a column map file. The field of an ignored column is null. */
export function formatColumnMap({ columns, encoding }: ColumnMapFile): string {
  const fields = Object.fromEntries(
    [...columns].map(([column, field]) => [column, field === '' ? null : field]),
  );
  return `${JSON.stringify({ encoding, columns: fields }, null, 2)}\n`;
}
